import { Clock, Duration, Effect, type Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { Caller, isWithin, lacks, refusal } from "../../domain/Caller.ts"
import { Conflict, InvalidRequest } from "../../domain/Errors.ts"
import type { Range } from "../../domain/Page.ts"
import type { Change } from "../../domain/schema/Merge.ts"
import { timestamp } from "../../domain/schema/Timestamp.ts"
import {
  type Webhook,
  WEBHOOK_SECRET_BYTES,
  WebhookId,
  type WebhookInput,
  type WebhookPatch,
} from "../../domain/webhook/Webhook.ts"
import type { DeliveryId } from "../../domain/webhook/WebhookDelivery.ts"
import { scopeOfEvent, WebhookEventType } from "../../domain/webhook/WebhookEvent.ts"
import { webhookSecret } from "../../domain/webhook/WebhookSignature.ts"
import { Service } from "../../domain/Service.ts"
import * as Jobs from "../../jobs/webhooks/WebhookDelivery.ts"
import { SafeFetch } from "../../outbound/SafeFetch.ts"
import { WebhookSender } from "../../outbound/WebhookSender.ts"
import { type DeliveryFilter, WebhookDeliveries } from "../../storage/webhooks/WebhookDeliveries.ts"
import * as Storage from "../../storage/webhooks/Webhooks.ts"
import { Shares } from "../../admission/Shares.ts"

/** Most webhooks of one organization: each event is stored once for each of them. */
const WEBHOOKS_MAX_COUNT = 20

/** Time for which the previous secret signs as well, after a rotation. */
const OVERLAP = Duration.hours(24)
const TEST_TYPE = "webhook.test"

const isOff = new Conflict({ detail: "The webhook is switched off. Set `active` to true first." })
const unreadable = new Conflict({
  detail: "The server cannot decrypt the secret of the webhook any more: rotate it.",
})

/** A webhook together with its new secret, which is shown this once. */
export interface IssuedWebhook {
  readonly webhook: Webhook
  readonly secret: Redacted.Redacted
}

/**
 * Manages webhooks. A caller whose key is bound to a chatbot reaches the webhooks of that chatbot alone. Only a caller
 * whose key may read what events tell can have them sent, redirected or sent again, see their deliveries, and get the
 * secret that signs them.
 */
export class Webhooks extends Service<Webhooks>()("parley/services/webhooks/Webhooks", function* () {
  const storage = yield* Storage.Webhooks
  const deliveries = yield* WebhookDeliveries
  const { nudge, tidy } = yield* Jobs.WebhookDelivery
  const { send } = yield* WebhookSender
  const { check } = yield* SafeFetch
  const random = yield* SecureRandom.SecureRandom
  const withinShare = (yield* Shares).within("chats")

  const reach = Caller.use(({ chatbots }) => Effect.succeed(chatbots))

  const ensureMayCall = (url: string) =>
    Effect.mapError(check(new URL(url)), ({ detail }) => InvalidRequest.at("url", detail))

  const ensureMayRead = (events: Storage.WebhookContent["events"]) =>
    Caller.use((caller) => {
      const needed = new Set(events.map((event) => scopeOfEvent[event]))
      const lacking = Array.from(needed).filter((scope) => !caller.scopes.includes(scope))
      return lacking.length === 0 ? Effect.void : lacks(caller, `what these events tell: ${lacking.join(", ")}`)
    })

  const newSecret = Effect.map(random.randomBytes(WEBHOOK_SECRET_BYTES), webhookSecret)

  /**
   * Finds a webhook whose events the caller may read: anyone with its secret or its deliveries can use what they
   * tell.
   */
  const readable = Effect.fnUntraced(function* (id: WebhookId) {
    const webhook = yield* storage.get(id, yield* reach)
    yield* ensureMayRead(webhook.events)
    return webhook
  })

  /** The types of events that the caller may read. Deliveries may be older than what the webhook is sent now. */
  const readableTypes = Caller.use(({ scopes }) =>
    Effect.succeed(WebhookEventType.literals.filter((type) => scopes.includes(scopeOfEvent[type]))),
  )

  const ensureActive = Effect.fnUntraced(function* (id: WebhookId) {
    if (!(yield* readable(id)).active) return yield* isOff
  })

  const create = Effect.fn("Webhooks.create")(function* (input: WebhookInput) {
    const { active = true, chatbot_id = null, description = "", events, url } = input
    const caller = yield* Caller
    if (caller.chatbots !== null && (chatbot_id === null || !isWithin(caller.chatbots, chatbot_id)))
      return yield* refusal(caller, {
        key: "This API key is bound to a chatbot, and can only make webhooks of the same one.",
        person: "Your roles are for some chatbots, and only these can have your webhooks.",
      })
    yield* ensureMayRead(events)
    yield* ensureMayCall(url)
    const secret = yield* newSecret
    const id = WebhookId.make(yield* random.uuidV7())
    const content = { active, description, events, url }
    const webhook = yield* storage.insert(id, chatbot_id ?? undefined, content, secret, WEBHOOKS_MAX_COUNT)
    return { webhook, secret }
  })

  const update = Effect.fn("Webhooks.update")(function* (id: WebhookId, change: Change<Webhook, WebhookPatch>) {
    return yield* storage.modify(id, yield* reach, (webhook) =>
      Effect.gen(function* () {
        const { active, description, events, url } = { ...webhook, ...(yield* change(webhook)) }
        yield* ensureMayRead([...webhook.events, ...events])
        if (url !== webhook.url) {
          // What waits goes to the new address.
          yield* ensureMayRead(yield* deliveries.waitingTypes(id))
          yield* ensureMayCall(url)
        }
        return { active, description, events, url }
      }),
    )
  })

  const test = Effect.fn("Webhooks.test")(function* (id: WebhookId) {
    const { secrets: opening, url } = yield* storage.signTest(id, yield* reach)
    const secrets = yield* Effect.mapError(opening, () => unreadable)
    const event = {
      type: TEST_TYPE,
      timestamp: timestamp(new Date(yield* Clock.currentTimeMillis)),
      data: { webhook_id: id },
    }
    return yield* send({ url, id: yield* random.uuidV7(), body: Jobs.webhookBody(event), secrets })
  })

  return {
    create: (input: WebhookInput) => Effect.tap(create(input), nudge),

    /** Lists the webhooks within the caller's reach, oldest first. */
    list: Effect.flatMap(reach, storage.list),

    get: (id: WebhookId) => Effect.flatMap(reach, (within) => storage.get(id, within)),

    update: (id: WebhookId, change: Change<Webhook, WebhookPatch>) =>
      Effect.tap(update(id, change), Effect.andThen(nudge, tidy)),

    remove: (id: WebhookId) => Effect.flatMap(reach, (within) => Effect.tap(storage.remove(id, within), tidy)),

    /** Replaces the secret. The one before signs as well for 24 hours. */
    rotate: Effect.fn("Webhooks.rotate")(function* (id: WebhookId) {
      yield* readable(id)
      const secret = yield* newSecret
      return { webhook: yield* storage.rotate(id, yield* reach, secret, OVERLAP), secret }
    }),

    /** Sends an event of the type `webhook.test` now, and returns the outcome. */
    test: (id: WebhookId) => withinShare(test(id)),

    /** Lists the deliveries of a webhook, the latest first. */
    deliveries: Effect.fn("Webhooks.deliveries")(function* (
      id: WebhookId,
      filter: Omit<DeliveryFilter, "types">,
      range: Range,
    ) {
      yield* readable(id)
      return yield* deliveries.list(id, { ...filter, types: yield* readableTypes }, range)
    }),

    /** Sends a delivery again. Fails with `Conflict` while the webhook is off. */
    resend: Effect.fn("Webhooks.resend")(function* (id: WebhookId, delivery: DeliveryId) {
      yield* ensureActive(id)
      return yield* Effect.tap(deliveries.resend(id, delivery, yield* readableTypes), nudge)
    }),

    /** Sends failed deliveries since a moment again, some at once, and returns their number. */
    resendFailed: Effect.fn("Webhooks.resendFailed")(function* (id: WebhookId, since: Date) {
      yield* ensureActive(id)
      return yield* Effect.tap(deliveries.resendFailed(id, since, yield* readableTypes), nudge)
    }),
  }
}) {}
