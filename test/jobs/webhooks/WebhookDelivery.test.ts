import { expect, test } from "bun:test"
import { Duration, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { OrganizationId } from "../../../src/domain/Ids.ts"
import { WebhookId } from "../../../src/domain/webhook/Webhook.ts"
import { DeliveryId } from "../../../src/domain/webhook/WebhookDelivery.ts"
import { DeliveryBounds, WebhookDelivery } from "../../../src/jobs/webhooks/WebhookDelivery.ts"
import { WebhookSender } from "../../../src/outbound/WebhookSender.ts"
import { type DueDelivery, WebhookQueue } from "../../../src/storage/webhooks/WebhookQueue.ts"
import { WebhookUpkeep } from "../../../src/storage/webhooks/WebhookUpkeep.ts"
import { databaseTraits } from "../../lib/Defaults.ts"
import { platform } from "../../lib/Layers.ts"

const newId = () => crypto.randomUUID()
const delivered = { is_delivered: true, response_status: 204, response: null, error: null, duration_ms: 1 }

const newDelivery = (): DueDelivery => ({
  id: DeliveryId.make(newId()),
  type: "chatbot.updated",
  timestamp: "2026-11-20T14:08:16.031+00:00",
  attempts: 0,
  data: {},
})

test("an endpoint that answers slowly keeps a worker for a few requests, and then the others have their turn", () =>
  Effect.gen(function* () {
    const jobs = [
      {
        webhook_id: WebhookId.make(newId()),
        organization_id: OrganizationId.make(newId()),
        lease_id: newId(),
        attempts: 0,
        lapses: 0,
        given_up: 0,
      },
    ]
    let finished = 0
    const waiting = new Set(Array.from({ length: 50 }, newDelivery))
    const queue = Layer.mock(WebhookQueue)({
      announce: Effect.succeed({ announced: 0, any: true }),
      claim: (isFailing) => Effect.sync(() => (isFailing ? undefined : jobs.pop())),
      untilDue: () => (bell) => bell.await,
      untilStored: (bell) => bell.await,
      releaseAll: Effect.void,
      renew: () => Effect.succeed(true),
      endpoint: () =>
        Effect.succeed({ url: "https://hooks.example.com/", active: true, failures: 0, secrets: Effect.succeed([]) }),
      due: () => Effect.sync(() => ({ deliveries: Array.from(waiting), isMore: waiting.size > 0 })),
      settle: (_, id) =>
        Effect.sync(() => {
          for (const one of waiting) if (one.id === id) waiting.delete(one)
          return undefined
        }),
      finish: () => Effect.sync(() => ((finished += 1), true)),
    })
    const upkeep = Layer.mock(WebhookUpkeep)({ forgetSecrets: Effect.void, expire: () => Effect.succeed(0) })
    const sender = Layer.mock(WebhookSender)({ send: () => Effect.delay(Effect.succeed(delivered), "14 seconds") })
    const bounds = { ...DeliveryBounds.defaultValue(), concurrency: 1, tries: [] }
    const delivery = Layer.provide(WebhookDelivery.layer, Layer.succeed(DeliveryBounds, bounds))
    yield* Layer.build(Layer.provide(delivery, [queue, upkeep, sender, databaseTraits({ isAlone: true }), platform]))
    yield* TestClock.adjust("14 seconds")
    yield* TestClock.adjust(Duration.zero)
    expect([finished, waiting.size]).toEqual([1, 42])
  }).pipe(Effect.scoped, Effect.provide(TestClock.layer()), Effect.runPromise))
