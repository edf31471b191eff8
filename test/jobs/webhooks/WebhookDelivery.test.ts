import { expect, test } from "bun:test"
import { Deferred, Effect, Layer } from "effect"
import { OrganizationId } from "../../../src/domain/Ids.ts"
import { WebhookId } from "../../../src/domain/webhook/Webhook.ts"
import { DeliveryId } from "../../../src/domain/webhook/WebhookDelivery.ts"
import { WebhookDelivery } from "../../../src/jobs/webhooks/WebhookDelivery.ts"
import { WebhookSender } from "../../../src/outbound/WebhookSender.ts"
import { type DeliveryJob, WebhookQueue } from "../../../src/storage/webhooks/WebhookQueue.ts"
import { WebhookUpkeep } from "../../../src/storage/webhooks/WebhookUpkeep.ts"
import { databaseTraits } from "../../lib/Defaults.ts"
import { platform } from "../../lib/Layers.ts"

const newId = () => crypto.randomUUID()
const delivered = { is_delivered: true, response_status: 204, response: null, error: null, duration_ms: 1 }

const newJob = (): DeliveryJob => ({
  id: DeliveryId.make(newId()),
  webhook_id: WebhookId.make(newId()),
  organization_id: OrganizationId.make(newId()),
  lease_id: newId(),
  attempts: 0,
  lapses: 0,
  given_up: 0,
})

test("a delivery that ends makes room for the next one, which nobody has to announce", () =>
  Effect.gen(function* () {
    const waiting = Array.from({ length: 20 }, newJob)
    const allDelivered = yield* Deferred.make<void>()
    let underWay = 0
    const queue = Layer.mock(WebhookQueue)({
      claim: () =>
        Effect.sync(() => {
          if (underWay > 0) return undefined
          const job = waiting.pop()
          if (job !== undefined) underWay += 1
          return job
        }),
      untilDue: (bell) => bell.await,
      isUsed: Effect.succeed(false),
      releaseAll: Effect.void,
      find: () =>
        Effect.succeed({
          url: "https://hooks.example.com/",
          type: "chatbot.updated",
          timestamp: "2026-11-20T14:08:16.031+00:00",
          data: {},
          secrets: Effect.succeed([]),
        }),
      settle: () =>
        Effect.suspend(() => {
          underWay -= 1
          const end = waiting.length === 0 ? Deferred.succeed(allDelivered, undefined) : Effect.void
          return Effect.as(end, undefined)
        }),
    })
    const upkeep = Layer.mock(WebhookUpkeep)({
      failSome: Effect.succeed(0),
      forgetDeleted: Effect.void,
      forgetSecrets: Effect.void,
      expire: () => Effect.succeed(0),
    })
    // An answer takes a moment, in which the other workers find nothing that they may send.
    const sender = Layer.mock(WebhookSender)({ send: () => Effect.as(Effect.yieldNow, delivered) })
    yield* Layer.build(
      Layer.provide(WebhookDelivery.layer, [queue, upkeep, sender, databaseTraits({ isAlone: true }), platform]),
    )
    yield* Deferred.await(allDelivered)
    expect(underWay).toBe(0)
  }).pipe(Effect.scoped, Effect.runPromise))
