import { Context, Duration, Effect, Latch, Random } from "effect"
import type { WebhookTest } from "../../domain/webhook/WebhookDelivery.ts"
import { Service } from "../../domain/Service.ts"
import { WebhookSender } from "../../outbound/WebhookSender.ts"
import { TenantUse } from "../../storage/sql/TenantConnections.ts"
import { type DeliveryJob, WebhookQueue } from "../../storage/webhooks/WebhookQueue.ts"
import { WebhookUpkeep } from "../../storage/webhooks/WebhookUpkeep.ts"
import { regularly } from "../../system/Background.ts"
import type { SecretUnreadable } from "../../system/Secrets.ts"
import { delayAfter, TRIES } from "../Tries.ts"
import { makeWorker, type Verdict, type Worker } from "../Worker.ts"

/** Wait for more after something was stored here, before a look whether these are deliveries. */
const GATHERING = Duration.millis(250)
/** Time for which a delivery stays with a process that hangs: longer than an attempt takes, so that none renews it. */
const LEASE = Duration.minutes(1)
/** The pause of a delivery that cannot be signed, because the key of the webhook's secret is not there. */
const UNSIGNED_PAUSE = Duration.minutes(5)
/** Delays are longer by up to this part, so that what has failed together does not come back together. */
const JITTER = 0.2
const UPKEEP_INTERVAL = Duration.hours(1)
/** The status by which an endpoint says that it wants no more. */
const GONE = 410

const defaultBounds = {
  /** Deliveries that this process sends at once. */
  concurrency: 128,
  /** Those of them to one webhook, so that an endpoint that hangs leaves most of them to the others. */
  concurrencyOfWebhook: 8,
  /** Times of the attempts after the first one, counted from it. After the last one, a webhook is switched off. */
  tries: TRIES,
  /** Most characters of a message's text that are sent; a longer one is cut, and says so. */
  textLimit: 65_536,
  /** Days for which deliveries are kept, and can be sent again. */
  retentionDays: 14,
  /** Days after which a delivery is deleted that still waits, because its endpoint is slower than the events. */
  waitingDays: 28,
}
export type DeliveryBounds = Readonly<typeof defaultBounds>
export const DeliveryBounds: Context.Reference<DeliveryBounds> = Context.Reference<DeliveryBounds>(
  "parley/jobs/webhooks/DeliveryBounds",
  { defaultValue: () => defaultBounds },
)

export const webhookBody = (event: { readonly type: string; readonly timestamp: string; readonly data: unknown }) =>
  JSON.stringify({ type: event.type, timestamp: event.timestamp, data: event.data })

/**
 * Sends events to webhooks in the background, as long as the layer lives: each at least once, and in no order. Several
 * processes share the queue.
 */
export class WebhookDelivery extends Service<WebhookDelivery>()("parley/jobs/webhooks/WebhookDelivery", function* () {
  const bounds = yield* DeliveryBounds
  const tries = bounds.tries.map((one) => Duration.fromInputUnsafe(one))
  const queue = yield* WebhookQueue
  const upkeep = yield* WebhookUpkeep
  const sender = yield* WebhookSender
  const tenantUse = yield* TenantUse
  const last = tries.at(-1) ?? Duration.zero
  const switchedOff = yield* Latch.make(false)

  /** Makes one attempt. Returns its result; undefined when there is nothing to send any more. */
  const send = Effect.fnUntraced(function* (job: DeliveryJob) {
    const outgoing = yield* queue.find(job, bounds.textLimit)
    if (outgoing === undefined) return undefined
    if (outgoing.data === null) return yield* Effect.as(queue.forget(job), undefined)
    const secrets = yield* outgoing.secrets
    return yield* sender.send({ url: outgoing.url, id: job.id, body: webhookBody(outgoing), secrets })
  })

  /** Stores the result of an attempt, and switches the webhook off when its endpoint is gone or failed for long. */
  const settle = Effect.fnUntraced(function* (job: DeliveryJob, result: WebhookTest) {
    const delay = delayAfter(tries, job.attempts)
    const retryIn = delay && Duration.times(delay, 1 + JITTER * (yield* Random.next))
    const failing = yield* queue.settle(job, result, retryIn)
    if (failing === undefined) return
    if (failing.active) {
      // The number matters as well: no server may have run for most of the time.
      const isDead = failing.failures > tries.length && failing.failing_for >= Duration.toMillis(last)
      const why = result.response_status === GONE ? "gone" : isDead ? "failing" : undefined
      if (why === undefined) return
      yield* Effect.logWarning("A webhook is switched off", { why })
      yield* queue.switchOff(job.webhook_id, why)
    }
    yield* switchedOff.open
  })

  const worker: Worker = yield* makeWorker({
    name: "Sending to webhooks",
    metricsName: "webhooks",
    labels: ({ webhook_id }: DeliveryJob) => ({ webhook_id }),
    queue: {
      ...queue,
      claim: (lease) => Effect.andThen(tenantUse.close, queue.claim(bounds.concurrencyOfWebhook, lease)),
    },
    concurrency: bounds.concurrency,
    lease: LEASE,
    // Triggers store the events, so that any use of the database by a tenant may have stored some.
    untilDue: Effect.fnUntraced(function* (bell) {
      const isUsed = yield* Effect.orElseSucceed(queue.isUsed, () => true)
      const storedHere = isUsed ? Effect.andThen(tenantUse.await, Effect.sleep(GATHERING)) : Effect.never
      yield* Effect.raceFirst(queue.untilDue(bell), storedHere)
    }),
    attempt: (job) => ({
      work: send(job),
      renew: Effect.succeed(true),
      finish: (result: WebhookTest | undefined) =>
        Effect.as(result === undefined ? Effect.void : settle(job, result), true),
    }),
    judge: ({ key, why }: SecretUnreadable): Verdict<never> => ({
      is: "early",
      delay: UNSIGNED_PAUSE,
      detail: `The secret cannot be decrypted: ${key}, ${why}.`,
    }),
    // The webhook may be sent another one now.
    ended: () => worker.nudge,
    backOff: (attempts) => delayAfter(tries, attempts) ?? last,
  })
  yield* Effect.forkScoped(worker.run)

  const { expire, failSome, forgetDeleted, forgetSecrets } = upkeep
  const all = <E>(some: Effect.Effect<number, E>) => Effect.repeat(some, { while: (count) => count > 0 })
  yield* Effect.forkScoped(
    regularly(
      UPKEEP_INTERVAL,
      "Old deliveries and secrets of webhooks could not be deleted",
      Effect.all([forgetSecrets, all(failSome), forgetDeleted, all(expire(bounds.retentionDays, bounds.waitingDays))]),
      switchedOff,
    ),
  )

  return {
    /** Looks for new deliveries at once, which otherwise happens soon. */
    nudge: worker.nudge,
    /** Ends or deletes the deliveries of webhooks that were switched off or deleted, at once. */
    tidy: Effect.asVoid(switchedOff.open),
  }
}) {}
