import { Context, Duration, Effect, Latch, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { currentMonotonicMillis } from "../../system/Monotonic.ts"
import { decodeRows } from "../Rows.ts"
import { withoutTimeLimit } from "./TimeLimit.ts"

/*
 * One statement by which a process that has nothing to do learns that something is due, for all of its queues together.
 * What this process stores itself it learns from bells in its memory, and when the next row is due it knows. So it looks
 * only for what other processes have stored, and hardly ever while there is none.
 */

/** Longest time between looks of a process that shares the database. What it stores itself it begins at once. */
const LOOK_EVERY = Duration.seconds(2)
/** Longest time between looks of a process that is alone: a command and the system's own statements may store rows. */
const LOOK_ALONE_EVERY = Duration.seconds(5)
/** The least time between two looks, within which workers that fall idle are asked for together. */
const LEAST_PAUSE = Duration.millis(250)
/** The pause after a failure, and while something is due that nobody can claim. */
const RETRY_PAUSE = Duration.seconds(1)
/** The clock of the database counts as set back when it has gone back by more than this, in milliseconds. */
const SET_BACK_MILLIS = 2_000

/** Wakes the workers of a process that have nothing to do. */
export interface PulseShape {
  /** Opens `bell` as soon as the earliest of the times has come that a scalar subquery returns, and waits for the bell. */
  readonly until: (bell: Latch.Latch, earliest: Statement.Fragment) => Effect.Effect<void>
  /**
   * Runs `recover` when the clock of the database has been set back, and after a start. With `isCertain` every time in
   * the future was meant for a clock that is no more; otherwise only a row can tell that was made in the future.
   */
  readonly onSetBack: (recover: (isCertain: boolean) => Effect.Effect<unknown, unknown>) => Effect.Effect<void>
}

/** The pulse of the process. Without a database, only bells wake its workers. */
export const Pulse = Context.Reference<PulseShape>("parley/storage/sql/Pulse", {
  defaultValue: () => ({ until: (bell) => bell.await, onSetBack: () => Effect.void }),
})

const decodeTimes = decodeRows(Schema.Struct({ now: Schema.Finite, times: Schema.Array(Schema.NullOr(Schema.Finite)) }))

/** Begins the pulse of a process, which lasts as long as the scope. */
export const makePulse = Effect.fnUntraced(function* (system: SqlClient.SqlClient, hasOthers: () => boolean) {
  const waiting = new Set<{ readonly bell: Latch.Latch; readonly earliest: Statement.Fragment }>()
  const recoveries: Array<(isCertain: boolean) => Effect.Effect<unknown, unknown>> = []
  const isAsked = yield* Latch.make(false)
  /** Least lead of the database's clock over the monotonic one, in milliseconds; undefined before the first look. */
  let ahead: number | undefined

  /** Opens the bells of what is due. Returns the time until the next is, in milliseconds. */
  const look = Effect.gen(function* () {
    const asked = Array.from(waiting)
    // A command has no workers, and may not write.
    if (asked.length === 0) return Number.POSITIVE_INFINITY
    const begun = yield* currentMonotonicMillis
    const times = asked.map(({ earliest }) => system`(extract(epoch from ${earliest}) * 1000)::float8`)
    const [row] = yield* decodeTimes(
      system`
      select (extract(epoch from clock_timestamp()) * 1000)::float8 as now,
        array[${system.csv([system`null::float8`, ...times])}] as times`.unprepared,
    )
    if (row === undefined) return Number.POSITIVE_INFINITY
    const aheadNow = row.now - (yield* currentMonotonicMillis)
    // An answer that was long under way must not look like a clock that was set back.
    if (ahead === undefined || row.now - begun < ahead - SET_BACK_MILLIS) {
      const isCertain = ahead !== undefined
      if (isCertain) yield* Effect.logWarning("The clock was set back: what was put off is due now")
      yield* Effect.forEach(recoveries, (recover) => recover(isCertain), { discard: true })
      ahead = aheadNow
      return 0
    }
    ahead = aheadNow
    let next = Number.POSITIVE_INFINITY
    for (const [index, { bell }] of asked.entries()) {
      const time = row.times[index + 1]
      if (typeof time !== "number") continue
      if (time <= row.now) bell.openUnsafe()
      next = Math.min(next, time <= row.now ? Duration.toMillis(RETRY_PAUSE) : time - row.now)
    }
    return next
  }).pipe(
    withoutTimeLimit,
    Effect.catchCause((cause) =>
      Effect.as(Effect.logDebug("Nobody knows what is due", cause), Duration.toMillis(RETRY_PAUSE)),
    ),
  )

  const beat = Effect.gen(function* () {
    yield* isAsked.close
    const next = yield* look
    const every = hasOthers() ? LOOK_EVERY : LOOK_ALONE_EVERY
    yield* Effect.timeoutOption(isAsked.await, Math.min(next, Duration.toMillis(every)))
    yield* Effect.sleep(LEAST_PAUSE)
  })
  yield* Effect.forkScoped(Effect.forever(beat))

  return {
    until: (bell, earliest) =>
      Effect.suspend(() => {
        const one = { bell, earliest }
        waiting.add(one)
        isAsked.openUnsafe()
        return Effect.ensuring(
          bell.await,
          Effect.sync(() => waiting.delete(one)),
        )
      }),
    onSetBack: (recover) => Effect.sync(() => void recoveries.push(recover)),
  } satisfies PulseShape
})
