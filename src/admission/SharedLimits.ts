import { Clock, Duration, Effect, Exit, Latch } from "effect"
import type { RateLimited } from "../domain/Errors.ts"
import { isUnlimitedRate, type RateStanding } from "../domain/organizations/RateLimit.ts"
import { RateCounts } from "../storage/RateCounts.ts"
import { regularly } from "../system/Background.ts"
import { DatabaseTraits } from "../system/DatabaseTraits.ts"
import { monotonicMillis } from "../system/Monotonic.ts"
import type { RateCounter } from "./RateCounter.ts"

/** The time between two exchanges that no request waits for. One takes about a millisecond of a processor. */
const EXCHANGE_INTERVAL = Duration.millis(100)
/** Longest time of an exchange. */
const EXCHANGE_PATIENCE = Duration.seconds(1)
/** Milliseconds for which a server decides alone after an exchange has failed. */
const ALONE_MILLIS = 2_000
const SWEEP_INTERVAL = Duration.minutes(1)

/** Decision about a request. */
export interface RateDecision {
  /** Error that refuses the request; undefined when it is granted. */
  readonly refusal: RateLimited | undefined
  /** Standings of the limit of the key, and of that of its organization when less remains of it. */
  readonly standings: ReadonlyArray<RateStanding>
}

type Counters = readonly [key: RateCounter, organization: RateCounter]

const refusalOf = ([key, organization]: Counters, cost: number) => key.refusal(cost) ?? organization.refusal(cost)

const decisionOf = ([key, organization]: Counters, refusal?: RateLimited): RateDecision => ({
  refusal,
  standings: [key.standing("key"), ...(organization.free < key.free ? [organization.standing("organization")] : [])],
})

/**
 * Makes the function that takes the units of a request, at most all, from the limits of a key and its organization, or
 * refuses it. Servers on one Postgres share these limits.
 *
 * Each server counts for itself, and exchanges counts with the others in the background. A request that takes it beyond
 * a small share of the quota waits for an exchange, together with all others that wait, and is taken back if others have
 * taken the units. One that exceeds the known counts is refused at once. While the database cannot be reached, each
 * server decides by its own counts.
 *
 * `RateLimiter` of `effect/persistence` asks its store for every request and every limit, and both of its algorithms
 * grant up to twice the limit within one window of time.
 */
export const sharedLimits = Effect.gen(function* () {
  const storage = yield* RateCounts
  const { isAlone } = yield* DatabaseTraits
  const clock = yield* Clock.Clock
  const isUrgent = Latch.makeUnsafe(false)
  let untold = new Set<RateCounter>()
  let waiting: Array<() => void> = []
  let aloneUntil = isAlone ? Number.POSITIVE_INFINITY : 0

  const now = () => monotonicMillis(clock)

  /** Counts units. Returns whether the other servers have to be told first. */
  const count = (counters: Counters, units: number): boolean => {
    for (const counter of counters) counter.add(units)
    if (now() < aloneUntil) return false
    for (const counter of counters.filter(({ limit }) => !isUnlimitedRate(limit))) {
      counter.untold += units
      untold.add(counter)
    }
    return counters.some((counter) => counter.untold > counter.untoldMax)
  }

  const takeBack = (counters: Counters, units: number): void => {
    count(counters, -units)
    isUrgent.openUnsafe()
    for (const counter of counters) counter.excess -= units
  }

  const exchange = Effect.suspend(() => {
    const sent = Array.from(untold, (counter) => ({ counter, id: counter.id, units: counter.untold }))
    const answered = waiting
    untold = new Set()
    waiting = []
    if (sent.length === 0) return Effect.void
    return Effect.onExit(Effect.timeout(storage.add(sent), EXCHANGE_PATIENCE), (exit) =>
      Effect.sync(() => {
        const counts = Exit.isSuccess(exit) ? exit.value : undefined
        if (counts === undefined) aloneUntil = now() + ALONE_MILLIS
        for (const { counter, id, units } of sent) counter.settle(units, counts?.get(id), now())
        for (const answer of answered) answer()
      }),
    )
  })

  if (!isAlone) {
    yield* Effect.forkScoped(
      regularly(EXCHANGE_INTERVAL, "Servers do not share rate limits for the moment", exchange, isUrgent),
    )
    yield* Effect.forkScoped(regularly(SWEEP_INTERVAL, "Old rate limits could not be deleted", storage.sweep))
  }

  return (counters: Counters, units: number): Effect.Effect<RateDecision> => {
    const cost = Math.min(units, ...counters.map(({ limit }) => limit.quota))
    const refusal = refusalOf(counters, cost)
    if (refusal !== undefined) {
      // Others may have taken units back, which the next exchange tells.
      count(counters, 0)
      return Effect.succeed(decisionOf(counters, refusal))
    }
    if (!count(counters, cost)) return Effect.succeed(decisionOf(counters))
    isUrgent.openUnsafe()
    return Effect.callback((resume) => {
      waiting.push(() => {
        const isGranted = counters.every(({ excess }) => excess <= 0)
        if (!isGranted) takeBack(counters, cost)
        resume(Effect.succeed(decisionOf(counters, isGranted ? undefined : refusalOf(counters, cost))))
      })
    })
  }
})
