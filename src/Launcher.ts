import { readFileSync } from "node:fs"
import { isatty } from "node:tty"
import { Deferred, Effect, Schedule, type Scope } from "effect"

/*
 * Finds out when a server has to stop because the processes that launched it have ended. A signal to `npx bun run
 * start` reaches only npx and its shell: they end, while `bun run` and the server would live on and keep the port and
 * the lock of the database. So the server watches its launchers. Other processes above it may end without consequence,
 * such as the terminal of `nohup bun run start &`, or a shell that exits on purpose.
 */

/** A process above this one in the tree of processes. */
export interface Ancestor {
  /** Process id of the parent of this ancestor. */
  readonly parent: number
  /** The command line, with its arguments separated by spaces. */
  readonly command: string
}

const LOOK_EVERY = "1 second"
/** Most ancestors that are looked at; launchers never nest so deep. */
const ANCESTORS_MAX = 16

/** Matches `bun run` of a script of `package.json` that starts a server. */
const BUN_RUN = /^\S*bun(?:\.exe)? (?:--cwd \S+ |-\S+ )*(?:run (?:-\S+ )*)?(?:start|parley|quickstart)(?: |$)/
/** Matches npx, whether the command line shows its interpreter or the title that npx sets, `npm exec …`. */
const NPX = /^(?:\S+ )?(?:\S*\/)?(?:npm (?:exec|x)|npx(?:-cli\.js)?) /
const SHELL = /^(?:\S*\/)?(?:ba|da|a|k|z)?sh -c /

/**
 * Returns the ids of the processes that launched a server and that it must not outlive, beginning with its parent:
 * `bun run`, npx, and the shells between them. A shell above all of these belongs to the user and is left out.
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
  // The name of the program stands in parentheses and may contain any text; the state and the parent follow it.
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
    // EPERM: the process exists, but belongs to another user.
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
}

/**
 * Finds the launchers of this process. Run it first of all, because a launcher that has ended before is not found. The
 * inner effect completes when one of the launchers has ended, and never completes if there are none.
 */
const watchLauncher: Effect.Effect<Effect.Effect<void>> = Effect.sync(() => {
  const parent = process.ppid
  const launchers = launchersFrom(parent, ancestor)
  if (launchers.length === 0) return Effect.never
  return Effect.sync(() => process.ppid === parent && launchers.every(lives)).pipe(
    Effect.repeat({ while: (areThere) => areThere, schedule: Schedule.spaced(LOOK_EVERY) }),
    Effect.asVoid,
  )
})

/**
 * Keeps SIGHUP from ending this process as long as the scope is open. The inner effect completes when the terminal of
 * the process is closed. Any other SIGHUP calls `onHangUp`: one that an operator sends, and one that `bun run` forwards
 * under `nohup`, where the server is meant to live on. Workers that are replaced live on as well, so that nobody has to
 * tell the two apart.
 *
 * With `onHangUp`, a terminal that is still there has not been closed. Without it, SIGHUP means the end of a terminal.
 */
const watchTerminal = (onHangUp?: () => void): Effect.Effect<Effect.Effect<void>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const closed = yield* Deferred.make<void>()
    const hasTerminal = () => [0, 1, 2].some(isatty)
    const hadTerminal = hasTerminal()
    const onSignal = () => {
      const isClosed = hadTerminal && (onHangUp === undefined || !hasTerminal())
      if (isClosed) Deferred.doneUnsafe(closed, Effect.void)
      else onHangUp?.()
    }
    yield* Effect.acquireRelease(
      Effect.sync(() => process.on("SIGHUP", onSignal)),
      () => Effect.sync(() => process.off("SIGHUP", onSignal)),
    )
    return closed
  }).pipe(Effect.map((closed) => Deferred.await(closed)))

/**
 * Watches the launcher and the terminal of this process, without which a server ends, from now on until the scope closes.
 * The inner effect completes with the reason. Any other SIGHUP calls `onHangUp`.
 */
export const watchSurroundings = (onHangUp?: () => void): Effect.Effect<Effect.Effect<string>, never, Scope.Scope> =>
  Effect.zipWith(watchLauncher, watchTerminal(onHangUp), (launcherEnded, terminalClosed) =>
    Effect.raceFirst(
      Effect.as(launcherEnded, "what launched it has ended"),
      Effect.as(terminalClosed, "its terminal was closed"),
    ),
  )

/** The signals on which `NodeRuntime.runMain` interrupts the program. */
const SIGNALS = ["SIGINT", "SIGTERM"] as const

/** Calls `listener` with the signal that is about to interrupt the program. */
export const onStopSignal = (listener: (signal: NodeJS.Signals) => void): Effect.Effect<void, never, Scope.Scope> =>
  Effect.asVoid(
    Effect.acquireRelease(
      Effect.sync(() => {
        for (const signal of SIGNALS) process.prependListener(signal, listener)
      }),
      () => Effect.sync(() => SIGNALS.forEach((signal) => process.off(signal, listener))),
    ),
  )
