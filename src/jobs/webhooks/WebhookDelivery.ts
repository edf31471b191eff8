import { Clock, Context, Duration, Effect, Latch, Layer, Random } from "effect"
import type { DeliveryId, WebhookTest } from "../../domain/webhook/WebhookDelivery.ts"
import type { WebhookId } from "../../domain/webhook/Webhook.ts"
import { WebhookSender } from "../../outbound/WebhookSender.ts"
import {
  type DueDelivery,
  type Endpoint,
  FAILING_FROM,
  type Settlement,
  type WebhookJob,
  WebhookQueue,
} from "../../storage/webhooks/WebhookQueue.ts"
import { WebhookUpkeep } from "../../storage/webhooks/WebhookUpkeep.ts"
import { TenantUse } from "../../storage/sql/TenantConnections.ts"
import { withoutTimeLimit } from "../../storage/sql/TimeLimit.ts"
import { regularly, surviving } from "../../system/Background.ts"
import { delayAfter, TRIES } from "../Tries.ts"
import { makeWorker, pauseAfter } from "../Worker.ts"

/** Wait for more after something was stored here, before a look whether these are deliveries. */
const GATHERING = Duration.millis(250)
const FAULT_PAUSE = Duration.seconds(2)
/** Time for which a webhook stays with a process that does not renew its lease. */
const LEASE = Duration.seconds(5)
/** Time for which a webhook is sent to before the others have their turn. */
const SLICE = Duration.seconds(5)
/** Requests to one endpoint at once, each for another subject. */
const CONCURRENCY_OF_ENDPOINT = 8
/** The first pause of an endpoint that is failing, doubled with each attempt that fails. */
const PAUSE = Duration.seconds(1)
const PAUSE_MAX = Duration.minutes(5)
/** Delays are longer by up to this part, so that what has failed together does not come back together. */
const JITTER = 0.2
const EXPIRE_INTERVAL = Duration.hours(1)
/** The status by which an endpoint says that it wants no more. */
const GONE = 410

const defaultBounds = {
  /** Webhooks that this process sends to at once; a quarter as many again are for endpoints that are failing. */
  concurrency: 16,
  /** Times of the attempts after the first one, counted from it. After the last one, a webhook is switched off. */
  tries: TRIES,
  /** Deliveries that may wait for a webhook that is failing; beyond it, the oldest ones are dropped. */
  waitingLimit: 10_000,
  /** Most characters of a message's text that are sent; a longer one is cut, and says so. */
  textLimit: 65_536,
  /** Days for which deliveries are kept, and can be sent again. */
  retentionDays: 14,
}
export type DeliveryBounds = Readonly<typeof defaultBounds>
export const DeliveryBounds: Context.Reference<DeliveryBounds> = Context.Reference<DeliveryBounds>(
  "parley/jobs/webhooks/DeliveryBounds",
  { defaultValue: () => defaultBounds },
)

export const webhookBody = (event: { readonly type: string; readonly timestamp: string; readonly data: unknown }) =>
  JSON.stringify({ type: event.type, timestamp: event.timestamp, data: event.data })

/**
 * Sends events to webhooks in the background, as long as the layer lives: at least once, and in order for each subject
 * of a webhook. Several processes share the queue; a webhook is one process's at a time.
 */
export class WebhookDelivery extends Context.Service<WebhookDelivery>()("parley/jobs/webhooks/WebhookDelivery", {
  make: Effect.gen(function* () {
    const bounds = yield* DeliveryBounds
    const tries = bounds.tries.map((one) => Duration.fromInputUnsafe(one))
    const queue = yield* WebhookQueue
    const upkeep = yield* WebhookUpkeep
    const sender = yield* WebhookSender
    const last = tries.at(-1) ?? Duration.zero

    const settlementOf = Effect.fnUntraced(function* (result: WebhookTest, attempts: number) {
      if (result.is_delivered) return { state: "delivered" } as const
      const delay = delayAfter(tries, attempts)
      if (delay === undefined) return { state: "failed" } as const
      return { state: "waiting", delay: Duration.times(delay, 1 + JITTER * (yield* Random.next)) } as const
    })

    /** Sends one delivery. Returns how many attempts at the endpoint have failed in a row. */
    const deliver = Effect.fnUntraced(function* (
      job: WebhookJob,
      { secrets, url }: { readonly secrets: Effect.Success<Endpoint["secrets"]>; readonly url: string },
      delivery: DueDelivery,
      isProbe: boolean,
    ) {
      const settle = (id: DeliveryId, result: WebhookTest | undefined, settlement: Settlement) =>
        queue.settle(job, id, result, settlement, isProbe)
      if (delivery.data === null) return yield* Effect.as(settle(delivery.id, undefined, { state: "dropped" }), 0)
      const result = yield* sender.send({ url, id: delivery.id, body: webhookBody(delivery), secrets })
      const failing = yield* settle(delivery.id, result, yield* settlementOf(result, delivery.attempts))
      if (failing === undefined) return 0
      const isGone = result.response_status === GONE
      // The number matters as well: no server may have run for most of the time.
      const isDead = failing.failures > tries.length && failing.failing_for >= Duration.toMillis(last)
      if (isGone || isDead) {
        yield* Effect.logWarning("A webhook is switched off", { why: isGone ? "gone" : "failing" })
        yield* queue.switchOff(job, isGone ? "gone" : "failing")
      }
      return failing.failures
    })

    const repeatedly = <E, R>(some: Effect.Effect<boolean, E, R>) => Effect.repeat(some, { while: (isMore) => isMore })

    /** Sends what is due for a webhook, for a while. Returns the pause before the next attempt if it is failing. */
    const work = Effect.fnUntraced(function* (job: WebhookJob) {
      const id: WebhookId = job.webhook_id
      const end = (yield* Clock.currentTimeMillis) + Duration.toMillis(SLICE)
      for (;;) {
        const endpoint = yield* queue.endpoint(id)
        if (endpoint === undefined) return yield* Effect.as(repeatedly(upkeep.forgetSome(id)), undefined)
        if (!endpoint.active) return yield* Effect.as(repeatedly(upkeep.failSome(id)), undefined)
        let { failures } = endpoint
        if (failures >= FAILING_FROM) {
          const dropped = yield* upkeep.trim(id, bounds.waitingLimit)
          if (dropped > 0) yield* Effect.logWarning("Deliveries of a webhook are dropped", { dropped })
        }
        const secrets = yield* Effect.catchTag(endpoint.secrets, "SecretUnreadable", ({ key, why }) =>
          Effect.as(Effect.logWarning("The secret of a webhook cannot be decrypted", { key, why }), undefined),
        )
        if (secrets === undefined) return PAUSE_MAX
        const { deliveries, isMore } = yield* queue.due(id, bounds.textLimit)
        if (deliveries.length === 0 && !isMore) return pauseOf(failures)
        // An endpoint that is failing gets one request at a time, until one of them succeeds.
        const isProbe = failures >= FAILING_FROM
        const sent = isProbe ? deliveries.slice(0, 1) : deliveries
        yield* Effect.forEach(
          sent,
          Effect.fnUntraced(function* (delivery, index) {
            if (!isProbe && failures >= FAILING_FROM) return
            // What is left goes on after the others' turns: a slow endpoint may not keep a worker for minutes.
            if (index >= CONCURRENCY_OF_ENDPOINT && (yield* Clock.currentTimeMillis) > end) return
            failures = yield* deliver(job, { url: endpoint.url, secrets }, delivery, isProbe)
          }),
          { concurrency: CONCURRENCY_OF_ENDPOINT, discard: true },
        )
        const isOver = (yield* Clock.currentTimeMillis) > end
        if ((failures >= FAILING_FROM && !(yield* isOff(id))) || isOver) return pauseOf(failures)
      }
    })

    const isOff = (id: WebhookId) => Effect.map(queue.endpoint(id), (endpoint) => endpoint?.active !== true)

    const workerFor = (isFailing: boolean, concurrency: number) =>
      makeWorker({
        name: "Sending to webhooks",
        metricsName: "webhooks",
        labels: ({ webhook_id }: WebhookJob) => ({ webhook_id }),
        queue: { ...queue, claim: (lease) => queue.claim(isFailing, lease) },
        concurrency,
        lease: LEASE,
        untilDue: queue.untilDue(isFailing),
        attempt: (job) => ({
          work: work(job),
          renew: queue.renew(job, LEASE),
          finish: (pause: Duration.Duration | undefined) => queue.finish(job, pause),
        }),
        judge: (error: never) => error,
        backOff: (attempts) => Duration.times(FAULT_PAUSE, Math.min(2 ** attempts, 100)),
      })
    const worker = yield* workerFor(false, bounds.concurrency)
    const workerOfFailing = yield* workerFor(true, Math.ceil(bounds.concurrency / 4))
    const bell = yield* Latch.make(false)
    const tenantUse = yield* TenantUse

    const look = Effect.gen(function* () {
      yield* bell.close
      yield* tenantUse.close
      const { announced, any } = yield* queue.announce
      if (announced > 0) {
        yield* worker.nudge
        return yield* workerOfFailing.nudge
      }
      // Events are stored by triggers, so that only the statement itself can tell whether there are any.
      const storedHere = any ? Effect.andThen(tenantUse.await, Effect.sleep(GATHERING)) : Effect.never
      yield* Effect.raceFirst(queue.untilStored(bell), storedHere)
    })
    const looks = Effect.forever(surviving("Events for webhooks wait", pauseAfter)(look))

    yield* Effect.forkScoped(worker.run)
    yield* Effect.forkScoped(workerOfFailing.run)
    yield* Effect.forkScoped(withoutTimeLimit(looks))
    const expire = Effect.repeat(upkeep.expire(bounds.retentionDays), { while: (count) => count > 0 })
    yield* Effect.forkScoped(
      regularly(
        EXPIRE_INTERVAL,
        "Old deliveries and secrets of webhooks could not be deleted",
        Effect.andThen(upkeep.forgetSecrets, expire),
      ),
    )

    return {
      /** Looks for new deliveries at once, which otherwise happens soon. */
      nudge: Effect.asVoid(bell.open),
    }
  }),
}) {
  static readonly layer = Layer.effect(this, this.make)
}

/** The time for which an endpoint that is failing is left alone; undefined for one that is not. */
const pauseOf = (failures: number): Duration.Duration | undefined =>
  failures < FAILING_FROM
    ? undefined
    : Duration.min(Duration.times(PAUSE, 2 ** Math.min(failures - FAILING_FROM, 20)), PAUSE_MAX)
