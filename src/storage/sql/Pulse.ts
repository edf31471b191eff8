import { Context, Duration, Effect, Latch, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
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

/** Wakes the workers of a process that have nothing to do. */
export interface PulseShape {
  /** Opens `bell` as soon as the earliest of the times has come that a scalar subquery returns, and waits for the bell. */
  readonly until: (bell: Latch.Latch, earliest: Statement.Fragment) => Effect.Effect<void>
}

/** The pulse of the process. Without a database, only bells wake its workers. */
export const Pulse = Context.Reference<PulseShape>("parley/storage/sql/Pulse", {
  defaultValue: () => ({ until: (bell) => bell.await }),
})

const decodeTimes = decodeRows(Schema.Struct({ now: Schema.Finite, times: Schema.Array(Schema.NullOr(Schema.Finite)) }))

/** Begins the pulse of a process, which lasts as long as the scope. */
export const makePulse = Effect.fnUntraced(function* (system: SqlClient.SqlClient, hasOthers: () => boolean) {
  const waiting = new Set<{ readonly bell: Latch.Latch; readonly earliest: Statement.Fragment }>()
  const isAsked = yield* Latch.make(false)

  /** Opens the bells of what is due. Returns the time until the next is, in milliseconds. */
  const look = Effect.gen(function* () {
    const asked = Array.from(waiting)
    // A command has no workers, and may not write.
    if (asked.length === 0) return Number.POSITIVE_INFINITY
    const times = asked.map(({ earliest }) => system`(extract(epoch from ${earliest}) * 1000)::float8`)
    const [row] = yield* decodeTimes(
      system`
      select (extract(epoch from clock_timestamp()) * 1000)::float8 as now,
        array[${system.csv([system`null::float8`, ...times])}] as times`.unprepared,
    )
    if (row === undefined) return Number.POSITIVE_INFINITY
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
  } satisfies PulseShape
})
