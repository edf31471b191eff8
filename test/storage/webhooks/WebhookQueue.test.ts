import { afterAll, expect, test } from "bun:test"
import { Duration, Effect, Layer, ManagedRuntime } from "effect"
import { MessageId } from "../../../src/domain/Ids.ts"
import { everything } from "../../../src/domain/Page.ts"
import { WebhookEventType } from "../../../src/domain/webhook/WebhookEvent.ts"
import { Conversations } from "../../../src/storage/conversations/Conversations.ts"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import { WebhookDeliveries } from "../../../src/storage/webhooks/WebhookDeliveries.ts"
import { FAILING_FROM, WebhookQueue } from "../../../src/storage/webhooks/WebhookQueue.ts"
import { WebhookUpkeep } from "../../../src/storage/webhooks/WebhookUpkeep.ts"
import { makeFilledTenant, replyOf } from "../../lib/FilledTenant.ts"
import { platform, storage } from "../../lib/Layers.ts"
import { as, newId } from "../../lib/Tenants.ts"

const runtime = ManagedRuntime.make(Layer.merge(storage, platform))
const run = runtime.runPromise
afterAll(() => runtime.dispose())

const refused = { is_delivered: false, response_status: 500, response: null, error: null, duration_ms: 1 }
const later = { state: "waiting", delay: Duration.hours(1) } as const
const leaseOf = () => ({ id: crypto.randomUUID(), duration: Duration.minutes(5) })

/** An organization with a webhook, of which a worker has the lease, and a chatbot that changes again. */
const made = Effect.gen(function* () {
  const tenant = yield* makeFilledTenant
  const mine = as(tenant.organization)
  const queue = yield* WebhookQueue
  const upkeep = yield* WebhookUpkeep
  const change = SystemSql.use((sql) => sql`update chatbots set version = version + 1 where id = ${tenant.chatbot}`)
  const states = Effect.map(
    mine(
      (yield* WebhookDeliveries).list(
        tenant.webhook,
        { state: undefined, type: undefined, types: WebhookEventType.literals },
        everything,
      ),
    ),
    ({ items }) => items.map(({ state }) => state),
  )
  return { ...tenant, mine, queue, upkeep, change, states }
})

test("a worker that has lost its lease stores nothing, and cannot end the job of its successor", () =>
  run(
    Effect.gen(function* () {
      const { delivery, mine, queue, sending, states } = yield* made
      const stale = { ...sending, lease_id: crypto.randomUUID() }
      yield* mine(queue.settle(stale, delivery, refused, { state: "delivered" }))
      yield* mine(queue.switchOff(stale, "gone"))
      expect(yield* mine(queue.finish(stale, undefined))).toBe(false)
      expect((yield* states).toSorted()).toEqual(["failed", "waiting"])
      expect(yield* mine(queue.endpoint(sending.webhook_id))).toMatchObject({ active: true, failures: 0 })
    }),
  ))

test("the next event of a subject is due when the one before is settled, and not earlier", () =>
  run(
    Effect.gen(function* () {
      const { change, delivery, mine, queue, sending, webhook } = yield* made
      yield* change
      const due = Effect.map(mine(queue.due(webhook, 10)), ({ deliveries }) => deliveries.map(({ id }) => id))
      expect(yield* due).toEqual([delivery])
      yield* mine(queue.settle(sending, delivery, refused, later))
      expect(yield* due).toEqual([])
      yield* mine(queue.settle(sending, delivery, refused, { state: "failed" }))
      const next = yield* due
      expect([next.length, next.includes(delivery)]).toEqual([1, false])
    }),
  ))

test("a webhook that is failing is due at the end of its pause, although what has failed is due in an hour", () =>
  run(
    Effect.gen(function* () {
      const { change, delivery, mine, queue, sending } = yield* made
      for (let count = 0; count < FAILING_FROM; count++) {
        yield* mine(queue.settle(sending, delivery, refused, later))
      }
      yield* mine(queue.finish(sending, Duration.minutes(2)))
      yield* change
      yield* queue.announce
      const [row] = yield* SystemSql.use(
        (sql) => sql<{ failing: boolean; minutes: number }>`
          select is_failing as failing, extract(epoch from run_at - now())::float8 / 60 as minutes
          from webhook_queue where webhook_id = ${sending.webhook_id}`,
      )
      expect(row?.failing).toBe(true)
      expect(Math.ceil(row?.minutes ?? 0)).toBe(2)
    }),
  ))

test("attempts that fail at once make an endpoint a failing one, and pause it no longer than that", () =>
  run(
    Effect.gen(function* () {
      const { delivery, mine, queue, sending } = yield* made
      const failuresAfter = (isProbe: boolean) =>
        Effect.map(mine(queue.settle(sending, delivery, refused, later, isProbe)), (failing) => failing?.failures)
      const ofBurst = yield* Effect.forEach(Array.from({ length: 12 }), () => failuresAfter(false))
      expect(ofBurst.at(-1)).toBe(FAILING_FROM)
      expect(yield* failuresAfter(true)).toBe(FAILING_FROM + 1)
      expect(yield* failuresAfter(false)).toBe(FAILING_FROM + 1)
    }),
  ))

test("an event that comes while the job is being ended is not forgotten", () =>
  run(
    Effect.gen(function* () {
      const { change, delivery, mine, queue, sending } = yield* made
      yield* mine(queue.settle(sending, delivery, undefined, { state: "dropped" }))
      yield* change
      yield* queue.announce
      expect(yield* mine(queue.finish(sending, undefined))).toBe(true)
      const again = yield* queue
        .claim(false, leaseOf())
        .pipe(Effect.repeat({ until: (job) => job === undefined || job.webhook_id === sending.webhook_id }))
      expect(again?.webhook_id).toBe(sending.webhook_id)
    }),
  ))

test("a reply that replaces the part of it that another server has stored is announced again", () =>
  run(
    Effect.gen(function* () {
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
    }),
  ))

test("deliveries that are older than they are kept are deleted, unless they wait", () =>
  run(
    Effect.gen(function* () {
      const { states, upkeep, webhook } = yield* made
      yield* SystemSql.use(
        (sql) => sql`
          update webhook_deliveries set created_at = now() - interval '15 days' where webhook_id = ${webhook}`,
      )
      yield* upkeep.expire(16)
      expect((yield* states).toSorted()).toEqual(["failed", "waiting"])
      yield* upkeep.expire(14)
      expect(yield* states).toEqual(["waiting"])
    }),
  ))

test("a secret before that signs no more is forgotten", () =>
  run(
    Effect.gen(function* () {
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
    }),
  ))

test("a delivery that a dead process was to make due is due at the end of the job", () =>
  run(
    Effect.gen(function* () {
      const { delivery, mine, queue, sending, webhook } = yield* made
      yield* SystemSql.use((sql) => sql`update webhook_deliveries set due_at = null where webhook_id = ${webhook}`)
      const due = Effect.map(mine(queue.due(webhook, 10)), ({ deliveries }) => deliveries.map(({ id }) => id))
      expect(yield* due).toEqual([])
      expect(yield* mine(queue.finish(sending, undefined))).toBe(true)
      expect(yield* due).toEqual([delivery])
    }),
  ))

test("what waits for a webhook is ended while it is off, and not once it is on again", () =>
  run(
    Effect.gen(function* () {
      const { mine, states, upkeep, webhook } = yield* made
      const turn = (active: boolean) =>
        SystemSql.use((sql) => sql`update webhooks set active = ${active} where id = ${webhook}`)
      yield* mine(upkeep.failSome(webhook))
      expect((yield* states).toSorted()).toEqual(["failed", "waiting"])
      yield* turn(false)
      yield* mine(upkeep.failSome(webhook))
      expect(yield* states).toEqual(["failed", "failed"])
    }),
  ))
