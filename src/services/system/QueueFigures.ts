import { Duration, Effect, Layer, Option, Semaphore } from "effect"
import { beforeReading } from "../../observability/Exposition.ts"
import { database, jobs } from "../../observability/Metrics.ts"
import { Inspection, type Queues } from "../../storage/inspection/Inspection.ts"
import type { QueueState } from "../../storage/sql/LeaseQueue.ts"
import { currentMonotonicMillis } from "../../system/Monotonic.ts"

/** The longest that the database may take, so that the metrics are there while it is not. */
const TIMEOUT = Duration.seconds(1)
/** Time for which figures serve further readers of the metrics, so that many of them cost no more than one. */
const KEPT = Duration.seconds(5)

/** Each queue, by its name in the metrics and in the state of the server. */
const queuesOf = (found: Queues | undefined): ReadonlyArray<readonly [name: string, state: QueueState | undefined]> => [
  ["ingestion", found?.ingestions],
  ["embedding", found?.reembeddings],
  ["sources", found?.source_queue],
  ["tests", found?.test_queue],
  ["webhooks", found?.webhook_deliveries],
  ["mails", found?.mail_queue],
]

const show = (queue: string, { delayed, overdue_seconds, underWay, waiting }: QueueState): void => {
  jobs.queued(queue, "waiting").set(waiting)
  jobs.queued(queue, "under_way").set(underWay)
  jobs.queued(queue, "delayed").set(delayed)
  jobs.oldest(queue).set(Math.max(0, overdue_seconds ?? 0))
}

/** Removes the figures of a queue, instead of repeating old ones while the database does not answer. */
const clear = (queue: string): void => {
  for (const state of ["waiting", "under_way", "delayed"]) jobs.queued(queue, state).clear()
  jobs.oldest(queue).clear()
}

/** Asks the database for the length and the age of its queues when the metrics are read, at most every five seconds. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const { queues } = yield* Inspection
    const turn = yield* Semaphore.make(1)
    let freshUntil = 0

    const ask = Effect.gen(function* () {
      const now = yield* currentMonotonicMillis
      if (now < freshUntil) return
      const found = Option.getOrUndefined(
        yield* Effect.timeoutOption(
          Effect.orElseSucceed(queues, () => undefined),
          TIMEOUT,
        ),
      )
      database.up().set(found === undefined ? 0 : 1)
      for (const [name, state] of queuesOf(found)) {
        if (state === undefined) clear(name)
        else show(name, state)
      }
      freshUntil = (yield* currentMonotonicMillis) + Duration.toMillis(KEPT)
    })

    yield* beforeReading(Semaphore.withPermit(turn, ask))
  }),
)
