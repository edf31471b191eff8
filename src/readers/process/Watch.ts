import { Context, Duration, Effect, Schema } from "effect"
import { isUsageCheap, linuxTreeOf, usageOf } from "./ProcessUsage.ts"

/** The process uses more memory than `Limits.memory`. */
export class OutOfMemory extends Schema.TaggedError<OutOfMemory>()("OutOfMemory", {}) {}

/** The process has used up `Limits.time`. */
export class TimedOut extends Schema.TaggedError<TimedOut>()("TimedOut", {}) {}

/** Limits on what a process, with all that it has started, may use for one piece of work. */
export interface Limits {
  /** Resident memory in bytes. */
  readonly memory: number
  /** Processor time, since on a busy machine a process of low priority gets little of each second. */
  readonly time: Duration.Duration
}

/** A process that waits, or gets no processor time, is given up after this multiple of its time limit on the clock. */
export const WallClockFactor: Context.Reference<number> = Context.Reference<number>(
  "parley/readers/process/WallClockFactor",
  { defaultValue: () => 10 },
)

/** The pause between two checks of a process's usage: longer where a check starts a process itself. */
const WATCH_INTERVAL = Duration.millis(isUsageCheap ? 50 : 250)

/** Waits for what a process does, and fails when the process exceeds its limits meanwhile. */
export const within = <A, E>(
  work: Effect.Effect<A, E>,
  pid: number,
  limits: Limits,
): Effect.Effect<A, E | OutOfMemory | TimedOut> =>
  Effect.flatMap(WallClockFactor, (factor) =>
    Effect.raceFirst(work, watch(pid, limits)).pipe(
      Effect.timeoutOrElse({
        duration: Duration.times(limits.time, factor),
        orElse: () => Effect.fail(new TimedOut()),
      }),
    ),
  )

const watch = Effect.fnUntraced(function* (pid: number, { memory, time }: Limits) {
  let usage = yield* usageOf(pid)
  const end = usage.milliseconds + Duration.toMillis(time)
  for (;;) {
    if (usage.bytes > memory) return yield* new OutOfMemory()
    if (usage.milliseconds > end) return yield* new TimedOut()
    yield* Effect.sleep(WATCH_INTERVAL)
    usage = yield* usageOf(pid)
  }
})

/** The ids of a process and, on Linux, of all that it has started: in a sandbox, a program runs behind others. */
export const pidsOf = (pid: number): ReadonlyArray<number> => (isUsageCheap ? linuxTreeOf(pid) : [pid])

/** Kills a process and all that it has started at once, in the middle of anything, and waits until it is gone. */
export const killTree = (child: Bun.Subprocess): Effect.Effect<void> =>
  Effect.promise(async () => {
    const inner = pidsOf(child.pid).filter((pid) => pid !== child.pid)
    child.kill("SIGKILL")
    inner.forEach(killIfThere)
    await child.exited
  })

const killIfThere = (pid: number): void => {
  try {
    process.kill(pid, "SIGKILL")
  } catch {
    // It has ended with the others.
  }
}
