import { Cause, Clock, Context, Deferred, Duration, Effect, Latch, Layer } from "effect"
import type { Caller } from "../../domain/Caller.ts"
import type { RateLimited } from "../../domain/Errors.ts"
import { isUnlimitedRate, type RateLimit, type RateLimits, type RateStanding } from "../../domain/rates/RateLimit.ts"
import { RateCounts, type RateReport } from "../../storage/RateCounts.ts"
import { regularly } from "../../system/Background.ts"
import { DatabaseTraits } from "../../system/DatabaseTraits.ts"
import { monotonicMillis } from "../../system/Monotonic.ts"
import { clockOffset } from "./ClockOffset.ts"
import { RateCounter } from "./RateCounter.ts"
import { rateLimited } from "./Refusal.ts"
import { RecentMap } from "./RecentMap.ts"

/** The most limits whose counts are kept in memory; one takes about half a kilobyte. */
const COUNTERS_MAX = 50_000
/** The time between two reports that no request waits for. A report takes about a millisecond of a processor. */
const REPORT_INTERVAL = Duration.millis(100)
/** How long a request waits for the answer to a report before the server decides alone. */
const REPORT_PATIENCE = Duration.seconds(1)
/** How long a server decides alone after the others could not be reached. */
const ALONE_MILLIS = 2_000
const SWEEP_INTERVAL = Duration.minutes(1)

/** What became of a request. */
export interface RateDecision {
  /** Why the request is refused; undefined when it is granted. */
  readonly refusal: RateLimited | undefined
  /** What remains of the limit of the key, and of that of its organization. */
  readonly standings: readonly [key: RateStanding, organization: RateStanding]
}

/** The limit of a key, and whose it is, as a refusal says it. */
export interface KeyLimit {
  readonly limit: RateLimit
  readonly owner: string
}

type Counters = readonly [key: RateCounter, organization: RateCounter]

interface Request {
  readonly counters: Counters
  /** Whose the limit of the key is. */
  readonly owner: string
  readonly cost: number
}

interface Waiting extends Request {
  readonly decision: Deferred.Deferred<RateDecision>
}

/**
 * Limits the rate of requests of each API key and each organization.
 *
 * Where servers share one Postgres they share the counts, without a statement for each request: a server grants a small
 * share of a quota alone and reports it within 100 ms, all limits in one statement. Only a request beyond that waits
 * for an answer, together with all others that wait, and a request that cannot be granted is refused without asking.
 * When the database cannot be reached, each server decides by its own counts.
 *
 * `RateLimiter` of `effect/persistence` asks its store for every request, and both of its algorithms grant up to twice
 * the limit within one window of time.
 */
export class RateLimiter extends Context.Service<
  RateLimiter,
  {
    /** Whether requests are limited at all. */
    readonly isOn: boolean
    /**
     * Takes the cost of a request from the limits of the caller's key and organization, or refuses it.
     *
     * @param key the limit of the key, if it is another one than that of API keys
     */
    readonly decide: (
      caller: Pick<Caller["Service"], "apiKeyId" | "organizationId">,
      cost: number,
      key?: KeyLimit,
    ) => Effect.Effect<RateDecision>
  }
>()("parley/services/rates/RateLimiter") {
  static readonly layer = (settings: RateLimits) =>
    Layer.effect(
      RateLimiter,
      Effect.gen(function* () {
        const storage = yield* RateCounts
        const ofApiKeys: KeyLimit = { limit: settings.key, owner: "This API key" }
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
        const isOnItsOwn = () => aloneUntil > monotonicMillis(clock)
        const counterOf = (owner: string, limit: RateLimit) => counters.get(owner, () => new RateCounter(owner, limit))

        const settled = (counters: Counters, refuse?: (at: number) => RateLimited): RateDecision => {
          const at = now()
          return {
            refusal: refuse?.(at),
            standings: [counters[0].standing(at), counters[1].standing(at)],
          }
        }

        /** Grants or refuses a request; undefined when that needs a report first. */
        const tryNow = ({ cost, counters, owner }: Request): RateDecision | undefined => {
          const at = now()
          const alone = isOnItsOwn()
          for (const counter of counters) counter.advance(at)
          const lacking = counters.find(({ free }) => free < cost)
          if (lacking !== undefined) {
            const whose = lacking === counters[0] ? owner : "The API keys of the organization together"
            return settled(counters, (now) => rateLimited(whose, lacking.limit, cost, lacking.secondsUntil(cost, now)))
          }
          if (!alone && !counters.every((counter) => counter.mayGrantAlone(cost))) return undefined
          for (const counter of counters) {
            if (isUnlimitedRate(counter.limit)) continue
            if (alone) counter.window.add(cost)
            else counter.prepaid -= cost
            if (counter.prepaid < 0) unreported.add(counter)
          }
          if (unreported.size > 0) reported.openUnsafe()
          return settled(counters)
        }

        const waitForReport = (request: Waiting): void => {
          const { cost, counters } = request
          for (const counter of counters) {
            if (counter.mayGrantAlone(cost)) continue
            counter.wanted += cost
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
          const before = monotonicMillis(clock)
          const counts = yield* count(reports.map(([, report]) => report))
          const after = monotonicMillis(clock)
          if (counts === undefined) aloneUntil = after + ALONE_MILLIS
          const [first] = counts ?? []
          if (first !== undefined) ahead = clockOffset(ahead, { other: first.at, before, after })
          const byId = new Map(counts?.map((one) => [one.id, one]))
          for (const [counter, report] of reports) {
            const found = byId.get(report.id)
            if (found === undefined) counter.settleAlone(report, now())
            else counter.settle(report, found, now())
          }
          for (const one of answered) {
            const decision = tryNow(one)
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
          isOn: !isUnlimitedRate(settings.key),
          decide: ({ apiKeyId, organizationId }, units, { limit, owner } = ofApiKeys) =>
            Effect.suspend(() => {
              const cost = Math.min(units, limit.quota, settings.organization.quota)
              const counters: Counters = [
                counterOf(`key ${apiKeyId}`, limit),
                counterOf(`organization ${organizationId}`, settings.organization),
              ]
              const request = { counters, owner, cost }
              const decided = tryNow(request)
              if (decided !== undefined) return Effect.succeed(decided)
              const decision = Deferred.makeUnsafe<RateDecision>()
              waitForReport({ ...request, decision })
              return Deferred.await(decision)
            }),
        }
      }),
    )
}
