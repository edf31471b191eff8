import { readFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { Context, Effect, Schedule, type Scope } from "effect"
import { linuxTreeOf, linuxUsageOf } from "../../../src/readers/process/ProcessUsage.ts"
import { withEngineSettings } from "../../../src/launch.ts"
import { ShareBounds } from "../../../src/admission/Shares.ts"
import { scriptWith } from "../../lib/ServerProcess.ts"

/** A server in a process of its own. */
export interface Child {
  readonly port: number
  /** Milliseconds from the start of the process to its first answer of status 200. */
  readonly coldStart: number
  /** Milliseconds of processor time that the process and its workers have taken. Linux only, as is the next. */
  readonly processorTime: () => number
  /** MB that the process and its workers have now, and that each has had at most. */
  readonly memory: () => { readonly now: number; readonly peak: number }
}

export interface ChildOptions {
  readonly script: string
  readonly environment: Readonly<Record<string, string>>
  /** What it is asked, again and again, until it answers. */
  readonly ready: { readonly path: string; readonly headers?: Record<string, string> }
  /** Options of bun, for a profile. */
  readonly bunOptions?: ReadonlyArray<string>
  /** Where its standard output goes. */
  readonly output: string
}

/** Settings of a server that a single client may keep busy: without them a benchmark would measure how it is refused. */
export const withoutLimits: Readonly<Record<string, string>> = {
  RATE_LIMIT: "off",
}

const bounds = ShareBounds.defaultValue()
const MANY = 1_000_000

/** Shares that a single client cannot use up. */
const unlimitedShares = Context.make(ShareBounds, {
  ...bounds,
  organization: {
    uploads: MANY,
    turns: MANY,
    searches: MANY,
    chats: MANY,
    streams: MANY,
    lists: MANY,
    events: MANY,
    updates: MANY,
  },
})

const root = join(import.meta.dir, "../../..")

/** The script and the arguments: a server whose settings have no limits gets no shares either. */
const commandOf = ({ environment, script }: ChildOptions): ReadonlyArray<string> =>
  environment["RATE_LIMIT"] === "off" && script === join(root, "src/main.ts")
    ? scriptWith(unlimitedShares).map((word, index) => (index === 0 ? join(root, word) : word))
    : [script]

const POLL_MILLISECONDS = 3
const START_SECONDS = 60

/** Starts it on a free port; closing the scope ends it by SIGTERM. */
export const start = (options: ChildOptions): Effect.Effect<Child, never, Scope.Scope> =>
  Effect.gen(function* () {
    const port = yield* freePort
    const begin = performance.now()
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        Bun.spawn([process.execPath, ...(options.bunOptions ?? []), ...commandOf(options)], {
          // Nothing of the environment gets in: a setting of the machine must not change the figures.
          env: withEngineSettings({
            PATH: process.env["PATH"],
            HOME: process.env["HOME"],
            ...options.environment,
            PORT: String(port),
          }),
          stdin: "ignore",
          stdout: Bun.file(options.output),
          stderr: "inherit",
        }),
      ),
      (child) =>
        Effect.promise(() => {
          child.kill("SIGTERM")
          return child.exited
        }),
    )
    yield* Effect.tryPromise(() =>
      fetch(`http://127.0.0.1:${port}${options.ready.path}`, { headers: options.ready.headers ?? {} }),
    ).pipe(
      Effect.filterOrFail((response) => response.status === 200),
      Effect.retry({
        schedule: Schedule.spaced(POLL_MILLISECONDS),
        while: () => child.exitCode === null,
      }),
      Effect.timeout(START_SECONDS * 1_000),
      Effect.orDie,
    )
    const coldStart = performance.now() - begin
    // One alone counts without what it starts, which reads documents.
    const processes = () => (Number(options.environment["WORKERS"] ?? 1) > 1 ? linuxTreeOf(child.pid) : [child.pid])
    const sum = (values: ReadonlyArray<number>) => values.reduce((one, other) => one + other, 0)
    const memory = () => {
      const all = processes().map((pid) => readFileSync(`/proc/${pid}/status`, "utf8"))
      const megabytes = (field: string) =>
        sum(all.map((status) => Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1_024))
      return { now: megabytes("VmRSS"), peak: megabytes("VmHWM") }
    }
    const processorTime = () => sum(processes().map((pid) => linuxUsageOf(pid).milliseconds))
    return { port, coldStart, processorTime, memory }
  })

/** One that nothing listened on a moment ago. */
const freePort: Effect.Effect<number> = Effect.callback((resume) => {
  const server = createServer()
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    server.close(() => resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0)))
  })
})
