import { setPriority } from "node:os"
import { Effect } from "effect"
import { priorityBelow } from "../../system/Priority.ts"
import { ProcessEnded } from "./ExtractProcess.ts"
import { killTree, type Limits, type OutOfMemory, type TimedOut, within } from "./Watch.ts"

interface ProgramLimits extends Limits {
  /** The most bytes that the program may print. */
  readonly output: number
}

/** The text that a program printed, and the milliseconds of processor time that it took. */
interface Printed {
  readonly output: string
  readonly milliseconds: number
}

/** Steps of priority below the server, beside which a page gets a quarter of a processor and so ends within its time. */
const STEPS_BELOW = 5

/**
 * Runs a program that reads `input` from its standard input, and returns what it prints. It is killed with all that it has
 * started when it exceeds its limits, when the work is interrupted, and where the system can do so, when the server dies.
 */
export const runProgram = Effect.fnUntraced(function* (
  command: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>>,
  input: Uint8Array<ArrayBuffer>,
  limits: ProgramLimits,
): Effect.fn.Return<Printed, ProcessEnded | OutOfMemory | TimedOut> {
  const setpriv = process.platform === "linux" ? Bun.which("setpriv") : null
  const start = () => {
    const child = Bun.spawn([...(setpriv === null ? [] : [setpriv, "--pdeathsig", "KILL", "--"]), ...command], {
      env: environment,
      cwd: "/",
      stdin: new Blob([input]),
      stdout: "pipe",
      stderr: "ignore",
    })
    setPriority(child.pid, priorityBelow(STEPS_BELOW))
    return child
  }
  const printed = (child: ReturnType<typeof start>) =>
    Effect.tryPromise({
      try: async () => {
        const pieces: Array<Uint8Array> = []
        let length = 0
        for await (const piece of child.stdout) {
          length += piece.length
          if (length > limits.output) throw new Error("it prints more than a page has")
          pieces.push(piece)
        }
        const code = await child.exited
        if (code !== 0) throw new Error(`signal ${child.signalCode}, exit code ${code}`)
        const microseconds = child.resourceUsage()?.cpuTime.total ?? 0
        return { output: Buffer.concat(pieces).toString("utf8"), milliseconds: Number(microseconds) / 1_000 }
      },
      catch: (cause) => new ProcessEnded({ how: cause instanceof Error ? cause.message : String(cause) }),
    })
  return yield* Effect.acquireUseRelease(
    Effect.try({ try: start, catch: (cause) => new ProcessEnded({ how: String(cause) }) }),
    (child) => within(printed(child), child.pid, limits),
    killTree,
  )
})
