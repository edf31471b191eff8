import { afterAll, expect } from "bun:test"
import { Duration, Effect, Layer, ManagedRuntime } from "effect"
import { MessageId } from "../../../src/domain/Ids.ts"
import { everything } from "../../../src/domain/Page.ts"
import { WebhookEventType } from "../../../src/domain/webhook/WebhookEvent.ts"
import { Conversations } from "../../../src/storage/conversations/Conversations.ts"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import { WebhookDeliveries } from "../../../src/storage/webhooks/WebhookDeliveries.ts"
import { type DeliveryJob, WebhookQueue } from "../../../src/storage/webhooks/WebhookQueue.ts"
import { WebhookUpkeep } from "../../../src/storage/webhooks/WebhookUpkeep.ts"
import { makeFilledTenant, replyOf } from "../../lib/FilledTenant.ts"
import { platform, storage } from "../../lib/Layers.ts"
import { as, newId } from "../../lib/Tenants.ts"
import { effectTests } from "../../lib/EffectTests.ts"

const runtime = ManagedRuntime.make(Layer.merge(storage, platform))
const run = runtime.runPromise
const it = effectTests(run)
afterAll(() => runtime.dispose())

const refused = { is_delivered: false, response_status: 500, response: null, error: null, duration_ms: 1 }
const accepted = { ...refused, is_delivered: true, response_status: 204 }
const leaseOf = () => ({ id: crypto.randomUUID(), duration: Duration.minutes(5) })
/** Of one webhook at once. */
const MOST = 3

/** An organization with a webhook, of whose two deliveries one has failed and one is being sent. */
const made = Effect.gen(function* () {
  const tenant = yield* makeFilledTenant
  const mine = as(tenant.organization)
  const queue = yield* WebhookQueue
  const upkeep = yield* WebhookUpkeep
  const change = SystemSql.use((sql) => sql`update chatbots set version = version + 1 where id = ${tenant.chatbot}`)
  const turn = (active: boolean) =>
    SystemSql.use((sql) => sql`update webhooks set active = ${active} where id = ${tenant.webhook}`)
  const states = Effect.map(
    mine(
      (yield* WebhookDeliveries).list(
        tenant.webhook,
        { state: undefined, type: undefined, types: WebhookEventType.literals },
        everything,
      ),
    ),
    ({ items }) => items.map(({ state }) => state).toSorted(),
  )
  return { ...tenant, mine, queue, upkeep, change, turn, states }
})

/** Claims all that can be claimed now, and returns what is of one webhook. */
const claimAll = (webhook: string) =>
  Effect.gen(function* () {
    const queue = yield* WebhookQueue
    const claimed: Array<DeliveryJob> = []
    for (;;) {
      const job = yield* queue.claim(MOST, leaseOf())
      if (job === undefined) return claimed.filter(({ webhook_id }) => webhook_id === webhook)
      claimed.push(job)
    }
  })

it("a worker that has lost its lease stores nothing", function* () {
  const { mine, queue, sending, states } = yield* made
  const stale = { ...sending, lease_id: crypto.randomUUID() }
  expect(yield* mine(queue.settle(stale, refused, undefined))).toBeUndefined()
  yield* mine(queue.settle(stale, accepted, undefined))
  yield* mine(queue.release(stale, Duration.zero, true))
  yield* mine(queue.forget(stale))
  expect(yield* states).toEqual(["failed", "waiting"])
  expect(yield* mine(queue.settle(sending, refused, Duration.hours(1)))).toMatchObject({ failures: 1 })
})

it("a webhook gets some deliveries at once, one while it is failing, and leaves the others theirs", function* () {
  const { change, mine, queue, sending, webhook } = yield* made
  const other = yield* made
  for (let count = 0; count < 2 * MOST; count++) yield* change
  yield* other.change
  // One of each is being sent already.
  const first = yield* claimAll(webhook)
  expect(first).toHaveLength(MOST - 1)
  yield* other.change
  expect(yield* claimAll(other.webhook)).toHaveLength(1)

  yield* mine(queue.settle(sending, refused, Duration.hours(1)))
  expect(yield* claimAll(webhook)).toEqual([])
  for (const job of first) yield* mine(queue.settle(job, refused, Duration.hours(1)))
  const [only, ...more] = yield* claimAll(webhook)
  expect(more).toEqual([])
  if (only === undefined) return expect.unreachable()
  yield* mine(queue.settle(only, accepted, undefined))
  expect(yield* claimAll(webhook)).toHaveLength(MOST)
})

it("a reply that replaces the part of it that another server has stored is announced again", function* () {
  const { mine, session, states, webhook } = yield* made
  yield* SystemSql.use((sql) => sql`update webhooks set events = '{message.created}' where id = ${webhook}`)
  const conversations = yield* Conversations
  const half = { ...replyOf(MessageId.make(yield* newId)), content: "half" }
  const announced = Effect.map(states, ({ length }) => length)
  const before = yield* announced
  yield* mine(conversations.reply(session, half))
  yield* mine(conversations.reply(session, half, undefined, true))
  expect((yield* announced) - before).toBe(1)
  yield* mine(conversations.reply(session, { ...half, content: "half and half" }, undefined, true))
  expect((yield* announced) - before).toBe(2)
})

it("deliveries are deleted that are older than they are kept, which is longer while they wait", function* () {
  const { states, upkeep, webhook } = yield* made
  yield* SystemSql.use(
    (sql) => sql`
      update webhook_deliveries set created_at = now() - interval '15 days' where webhook_id = ${webhook}`,
  )
  yield* upkeep.expire(16, 16)
  expect(yield* states).toEqual(["failed", "waiting"])
  yield* upkeep.expire(14, 16)
  expect(yield* states).toEqual(["waiting"])
  yield* upkeep.expire(14, 14)
  expect(yield* states).toEqual([])
})

it("a secret before that signs no more is forgotten", function* () {
  const { upkeep, webhook } = yield* made
  const old = (until: string) =>
    SystemSql.use((sql) =>
      Effect.gen(function* () {
        yield* sql`update webhooks set old_secret = 'whsec_eA==', old_until = now() + ${until}::interval
          where id = ${webhook}`
        yield* upkeep.forgetSecrets
        return yield* sql`select 1 from webhooks where id = ${webhook} and old_secret is not null`
      }),
    )
  expect((yield* old("1 hour")).length).toBe(1)
  expect((yield* old("-1 second")).length).toBe(0)
})

it("what waits for a webhook is ended while it is off, except what is being sent", function* () {
  const { change, mine, queue, sending, states, turn, upkeep } = yield* made
  yield* change
  yield* upkeep.failSome
  expect(yield* states).toEqual(["failed", "waiting", "waiting"])
  yield* turn(false)
  yield* upkeep.failSome
  expect(yield* states).toEqual(["failed", "failed", "waiting"])
  expect(yield* mine(queue.settle(sending, refused, Duration.hours(1)))).toMatchObject({ active: false })
  yield* upkeep.failSome
  expect(yield* states).toEqual(["failed", "failed", "failed"])
})

it("nothing is sent to a webhook that is off or deleted, and its deliveries go once it is deleted", function* () {
  const { change, mine, queue, sending, states, turn, upkeep, webhook } = yield* made
  yield* change
  yield* turn(false)
  expect(yield* claimAll(webhook)).toEqual([])
  yield* SystemSql.use((sql) => sql`delete from webhooks where id = ${webhook}`)
  expect(yield* claimAll(webhook)).toEqual([])
  expect(yield* mine(queue.find(sending, 10))).toBeUndefined()
  yield* upkeep.forgetDeleted
  expect(yield* states).toEqual([])
})
