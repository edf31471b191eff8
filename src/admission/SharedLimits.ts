import { Cause, Clock, Deferred, Duration, Effect, Latch } from "effect"
import type { RateLimited } from "../domain/Errors.ts"
import { isUnlimitedRate, type RateLimit, type RateStanding } from "../domain/organizations/RateLimit.ts"
import { RateCounts, type RateReport } from "../storage/RateCounts.ts"
import { regularly } from "../system/Background.ts"
import { DatabaseTraits } from "../system/DatabaseTraits.ts"
import { monotonicMillis } from "../system/Monotonic.ts"
import { RecentMap } from "../system/RecentMap.ts"
import { RateCounter } from "./RateCounter.ts"

/** The most limits whose counts are kept in memory; one takes about half a kilobyte. */
const COUNTERS_MAX = 50_000
/** The time between two reports that no request waits for. A report takes about a millisecond of a processor. */
const REPORT_INTERVAL = Duration.millis(100)
/** Longest time that a request waits for the answer to a report before the server decides alone. */
const REPORT_PATIENCE = Duration.seconds(1)
/** Milliseconds for which a server decides alone after the others could not be reached. */
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

interface Waiting {
  readonly counters: Counters
  readonly cost: number
  readonly decision: Deferred.Deferred<RateDecision>
}

/**
 * Makes the limits of keys and organizations.
 *
 * Where servers share one Postgres they share the counts, without a statement for each request: a server grants a small
 * share of a quota alone and reports it within 100 ms, all limits in one statement. Only a request beyond that waits
 * for an answer, together with all others that wait, and a request that cannot be granted is refused without asking.
 * When the database cannot be reached, each server decides by its own counts.
 *
 * `RateLimiter` of `effect/persistence` asks its store for every request, and both of its algorithms grant up to twice
 * the limit within one window of time.
 */
export const sharedLimits = Effect.gen(function* () {
  const storage = yield* RateCounts
  const { isAlone } = yield* DatabaseTraits
  const clock = yield* Clock.Clock
  const counters = new RecentMap<RateCounter>(COUNTERS_MAX)
  const reported = Latch.makeUnsafe(false)
  const isUrgent = Latch.makeUnsafe(false)
  let unreported = new Set<RateCounter>()
  let waiting: Array<Waiting> = []
  /** The database's clock, which numbers the slots, minus the monotonic clock of this process. */
  let ahead = 0
  let aloneUntil = isAlone ? Number.POSITIVE_INFINITY : 0

  const now = () => monotonicMillis(clock) + ahead

  const standingsOf = ([key, organization]: Counters, at: number): ReadonlyArray<RateStanding> =>
    organization.free < key.free
      ? [key.standing("key", at), organization.standing("organization", at)]
      : [key.standing("key", at)]

  /** Grants or refuses a request; undefined when that needs a report first. */
  const tryNow = (counters: Counters, cost: number): RateDecision | undefined => {
    const at = now()
    const isOnItsOwn = aloneUntil > monotonicMillis(clock)
    for (const counter of counters) counter.advance(at)
    const refusal = counters[0].refusal(cost, at) ?? counters[1].refusal(cost, at)
    if (refusal !== undefined) return { refusal, standings: standingsOf(counters, at) }
    if (!isOnItsOwn && !counters.every((counter) => counter.mayGrantAlone(cost))) return undefined
    for (const counter of counters) {
      if (isUnlimitedRate(counter.limit)) continue
      if (isOnItsOwn) counter.window.add(cost)
      else counter.prepaid -= cost
      if (counter.prepaid < 0) unreported.add(counter)
    }
    if (unreported.size > 0) reported.openUnsafe()
    return { refusal, standings: standingsOf(counters, at) }
  }

  const waitForReport = (request: Waiting): void => {
    for (const counter of request.counters) {
      if (counter.mayGrantAlone(request.cost)) continue
      counter.wanted += request.cost
      unreported.add(counter)
    }
    waiting.push(request)
    isUrgent.openUnsafe()
    reported.openUnsafe()
  }

  const count = (reports: ReadonlyArray<RateReport>) =>
    storage.count(reports).pipe(
      Effect.timeout(REPORT_PATIENCE),
      Effect.catchCause((cause) =>
        Effect.as(
          Effect.logWarning("Servers do not share rate limits for the moment:", Cause.squash(cause)),
          undefined,
        ),
      ),
    )

  const exchange = Effect.fnUntraced(function* (answered: ReadonlyArray<Waiting>) {
    const reports = Array.from(unreported, (counter) => [counter, counter.report()] as const)
    unreported = new Set()
    const counts = yield* count(reports.map(([, report]) => report))
    const after = monotonicMillis(clock)
    if (counts === undefined) aloneUntil = after + ALONE_MILLIS
    const [first] = counts ?? []
    if (first !== undefined) ahead = first.at - after
    const byId = new Map(counts?.map((one) => [one.id, one]))
    for (const [counter, report] of reports) {
      const found = byId.get(report.id)
      if (found === undefined) counter.settleAlone(report, now())
      else counter.settle(report, found, now())
    }
    for (const one of answered) {
      const decision = tryNow(one.counters, one.cost)
      if (decision === undefined) waitForReport(one)
      else Deferred.doneUnsafe(one.decision, Effect.succeed(decision))
    }
  })

  const report = Effect.suspend(() => {
    const answered = waiting
    waiting = []
    return Effect.onError(exchange(answered), (cause) =>
      Effect.sync(() => {
        // Nobody waits for ever for a report that has died.
        for (const { decision } of answered) Deferred.doneUnsafe(decision, Effect.failCause(cause))
      }),
    )
  })

  if (!isAlone) {
    const next = reported.await.pipe(Effect.andThen(reported.close), Effect.andThen(report))
    yield* Effect.forkScoped(regularly(REPORT_INTERVAL, "Rate limits could not be shared", next, isUrgent))
    yield* Effect.forkScoped(regularly(SWEEP_INTERVAL, "Old rate limits could not be deleted", storage.sweep))
  }

  return {
    /** The counter of an owner, of whom a refusal speaks as `who`. */
    counterOf: (owner: string, who: string, limit: RateLimit): RateCounter =>
      counters.get(owner, () => new RateCounter(owner, who, limit)),
    /** Takes the cost of a request from the limits of a key and its organization, or refuses it. */
    take: (counters: Counters, units: number): Effect.Effect<RateDecision> =>
      Effect.suspend(() => {
        const cost = counters[0].costOf(counters[1].costOf(units))
        const decided = tryNow(counters, cost)
        if (decided !== undefined) return Effect.succeed(decided)
        const decision = Deferred.makeUnsafe<RateDecision>()
        waitForReport({ counters, cost, decision })
        return Deferred.await(decision)
      }),
  }
})
