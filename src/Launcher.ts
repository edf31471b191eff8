import { readFileSync } from "node:fs"
import { isatty } from "node:tty"
import { Deferred, Effect, Schedule, type Scope } from "effect"

/*
 * What a server ends with, beside its own work. A signal to `npx bun run start` reaches npx and its shell and nobody
 * else: they end, and `bun run` and the server would live on with port and lock. So the server looks after those that
 * launched it. What it was not launched by may end: the terminal of `nohup bun run start &`, or a shell that exits on
 * purpose.
 */

export interface Ancestor {
  /** Process id of its own parent. */
  readonly parent: number
  /** With its arguments. */
  readonly command: string
}

const LOOK_EVERY = "1 second"
/** Deeper than any launcher nests. */
const ANCESTORS_MAX = 16

/** `bun run` of a script of `package.json` that starts a server. */
const BUN_RUN = /^\S*bun(?:\.exe)? (?:--cwd \S+ |-\S+ )*(?:run (?:-\S+ )*)?(?:start|parley|quickstart)(?: |$)/
/** With its interpreter, or under the name that it gives itself, `npm exec …`. */
const NPX = /^(?:\S+ )?(?:\S*\/)?(?:npm (?:exec|x)|npx(?:-cli\.js)?) /
const SHELL = /^(?:\S*\/)?(?:ba|da|a|k|z)?sh -c /

/**
 * The processes that launched a server and that it must not outlive, from its parent on: `bun run`, npx, and the shells
 * between them. A shell above them all is the user's.
 */
export const launchersFrom = (parent: number, lookUp: (pid: number) => Ancestor | undefined): ReadonlyArray<number> => {
  const climbed: Array<number> = []
  let launchers = 0
  for (let pid = parent; pid > 0 && climbed.length < ANCESTORS_MAX;) {
    const found = lookUp(pid)
    if (found === undefined) break
    const isLauncher = BUN_RUN.test(found.command) || NPX.test(found.command)
    if (!isLauncher && !SHELL.test(found.command)) break
    climbed.push(pid)
    if (isLauncher) launchers = climbed.length
    pid = found.parent
  }
  return climbed.slice(0, launchers)
}

const ancestor = (pid: number): Ancestor | undefined => {
  try {
    return process.platform === "linux" ? fromProc(pid) : fromPs(pid)
  } catch {
    return undefined
  }
}

const fromProc = (pid: number): Ancestor => {
  // The name, in parentheses, may hold anything; after it come the state and the parent.
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
  const [, parent] = stat
    .slice(stat.lastIndexOf(")") + 1)
    .trim()
    .split(" ")
  const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")
  return { parent: Number(parent), command }
}

const fromPs = (pid: number): Ancestor => {
  const { stdout } = Bun.spawnSync(["ps", "-o", "ppid=,args=", "-p", String(pid)])
  const [, parent, command = ""] = /^\s*(\d+)\s+(.*)/.exec(stdout.toString()) ?? []
  return { parent: Number(parent), command }
}

const lives = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // Another user's process is there as well.
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
}

/**
 * Looks at who launched this process. To be run first of all, since whoever ends before goes unnoticed. The effect inside
 * completes when one of the launchers has ended; never when there are none.
 */
export const watchLauncher: Effect.Effect<Effect.Effect<void>> = Effect.sync(() => {
  const parent = process.ppid
  const launchers = launchersFrom(parent, ancestor)
  if (launchers.length === 0) return Effect.never
  return Effect.sync(() => process.ppid === parent && launchers.every(lives)).pipe(
    Effect.repeat({ while: (areThere) => areThere, schedule: Schedule.spaced(LOOK_EVERY) }),
    Effect.asVoid,
  )
})

/**
 * From now on SIGHUP does not end this process. The effect inside completes when its terminal is closed. Without a
 * terminal the signal is for somebody else: `bun run` passes it on under `nohup`, too, and would end what is meant to stay.
 */
export const watchTerminal: Effect.Effect<Effect.Effect<void>, never, Scope.Scope> = Effect.gen(function* () {
  const closed = yield* Deferred.make<void>()
  const hasTerminal = [0, 1, 2].some(isatty)
  const onHangUp = () => {
    if (hasTerminal) Deferred.doneUnsafe(closed, Effect.void)
  }
  yield* Effect.acquireRelease(
    Effect.sync(() => process.on("SIGHUP", onHangUp)),
    () => Effect.sync(() => process.off("SIGHUP", onHangUp)),
  )
  return closed
}).pipe(Effect.map((closed) => Deferred.await(closed)))

/** Those at which `NodeRuntime.runMain` interrupts the program. */
const SIGNALS = ["SIGINT", "SIGTERM"] as const

/** Tells which signal it is that interrupts the program, just before it does. */
export const notingSignals = (note: (signal: NodeJS.Signals) => void): Effect.Effect<void, never, Scope.Scope> =>
  Effect.asVoid(
    Effect.acquireRelease(
      Effect.sync(() => {
        for (const signal of SIGNALS) process.prependListener(signal, note)
      }),
      () => Effect.sync(() => SIGNALS.forEach((signal) => process.off(signal, note))),
    ),
  )
