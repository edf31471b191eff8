import { afterAll, expect } from "bun:test"
import { Effect, Layer, ManagedRuntime } from "effect"
import type { ChatbotId, OrganizationId } from "../../../src/domain/Ids.ts"
import type { ConversationGroups } from "../../../src/domain/organizations/Usage.ts"
import { TopicId } from "../../../src/domain/topics/Topic.ts"
import { ConversationSums } from "../../../src/storage/conversations/ConversationSums.ts"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import { platform, storage } from "../../lib/Layers.ts"
import { as, makeTenant, newId } from "../../lib/Tenants.ts"
import { effectTests } from "../../lib/EffectTests.ts"

const runtime = ManagedRuntime.make(Layer.merge(storage, platform))
const run = runtime.runPromise
const it = effectTests(run)
afterAll(() => runtime.dispose())

interface Tenant {
  readonly organization: OrganizationId
  readonly chatbot: ChatbotId
}

/** A conversation with one reply for each topic; null for a topic that is not known yet. */
interface Conversation {
  readonly platform: string
  readonly page?: string
  /** When it began; its latest activity is a day later. */
  readonly at: string
  readonly rating?: "down" | "up"
  readonly isUnanswered?: boolean
  readonly topics?: ReadonlyArray<string | null>
}

const add = Effect.fnUntraced(function* ({ chatbot, organization }: Tenant, conversation: Conversation) {
  const { at, isUnanswered = false, page, platform: origin, rating, topics = [null] } = conversation
  const sql = yield* SystemSql
  const id = yield* newId
  const column = page === undefined ? null : JSON.stringify({ url: page })
  yield* sql`
    insert into sessions (id, organization_id, chatbot_id, platform, page, message_count, created_at, updated_at,
      unanswered_replies, rated_up, rated_down)
    values (${id}, ${organization}, ${chatbot}, ${origin}, ${column}::text::jsonb, ${2 * topics.length}::int,
      ${at}::text::timestamptz, ${at}::text::timestamptz + interval '1 day', ${isUnanswered}::boolean::int,
      ${rating === "up"}::boolean::int, ${rating === "down"}::boolean::int)`
  for (const [index, topic] of topics.entries()) {
    const message = yield* newId
    const feedback = index > 0 || rating === undefined ? null : JSON.stringify({ rating })
    yield* sql`
      insert into messages (id, organization_id, session_id, sender_type, content, unanswered, feedback, created_at)
      values (${message}, ${organization}, ${id}, 'bot', 'A reply', ${isUnanswered && index === 0}::boolean,
        ${feedback}::text::jsonb, ${at}::text::timestamptz)`
    yield* sql`
      insert into reply_grounds (message_id, organization_id, chatbot_id, question, topic_id, created_at)
      values (${message}, ${organization}, ${chatbot}, 'A question', ${topic}::text::uuid, ${at}::text::timestamptz)`
  }
})

const addTopic = Effect.fnUntraced(function* ({ chatbot, organization }: Tenant, name: string) {
  const id = TopicId.make(yield* newId)
  const sql = yield* SystemSql
  yield* sql`insert into topics (id, organization_id, chatbot_id, name, centre)
    values (${id}, ${organization}, ${chatbot}, ${name}, '{}')`
  return id
})

const report = Effect.fnUntraced(function* (tenant: Tenant, groups: ConversationGroups, timeZone = "UTC") {
  const of = { from: "2026-03-01", to: "2026-03-31", reach: null, page: { page: 1, limit: 10 } }
  return yield* as(tenant.organization)((yield* ConversationSums).count({ ...of, groups, timeZone }))
})

const [prices, help] = ["https://shop.example.com/prices", "https://shop.example.com/help"]

it("conversations are counted by where and when they began, with those that needed no help", function* () {
  const tenant = yield* makeTenant
  yield* add(tenant, { platform: "api", at: "2026-03-02T20:15:00Z" })
  yield* add(tenant, { platform: "widget", page: help, at: "2026-03-03T20:45:00Z", isUnanswered: true })
  yield* add(tenant, { platform: "widget", page: prices, at: "2026-03-04T08:00:00Z", rating: "down" })
  yield* add(tenant, { platform: "widget", page: prices, at: "2026-03-05T08:00:00Z", rating: "up" })
  yield* add(tenant, { platform: "widget", page: prices, at: "2026-03-31T08:00:00Z" })

  const platforms = yield* report(tenant, "platform")
  expect(platforms.rows.map((row) => [row.platform, row.conversations, row.resolved])).toEqual([
    ["widget", 3, 1],
    ["api", 1, 1],
  ])
  expect(platforms.total).toMatchObject({
    conversations: 4,
    unanswered: 1,
    rated_up: 1,
    rated_down: 1,
    resolved: 2,
  })
  const pages = yield* report(tenant, "page")
  expect(pages.rows.map(({ conversations, page }) => [page, conversations])).toEqual([
    [prices, 2],
    [help, 1],
    [null, 1],
  ])
  const hours = yield* report(tenant, "hour")
  expect(hours.rows.map(({ conversations, hour }) => [hour, conversations])).toEqual([
    [8, 2],
    [20, 2],
  ])
  // Half an hour of every time zone of India is of the hour before, elsewhere.
  const india = yield* report(tenant, "hour", "Asia/Kolkata")
  expect(india.rows.map(({ conversations, hour }) => [hour, conversations])).toEqual([
    [1, 1],
    [2, 1],
    [13, 2],
  ])
})

it("a conversation counts for each topic that was asked about in it, and its rating for that of the reply", function* () {
  const tenant = yield* makeTenant
  const [refunds, hours] = [yield* addTopic(tenant, "refund"), yield* addTopic(tenant, "opening hours")]
  yield* add(tenant, {
    platform: "api",
    at: "2026-03-02T20:15:00Z",
    rating: "down",
    topics: [refunds, hours, hours],
  })
  yield* add(tenant, { platform: "api", at: "2026-03-03T20:15:00Z", isUnanswered: true, topics: [refunds] })
  yield* add(tenant, { platform: "api", at: "2026-03-03T20:15:00Z", topics: [null] })
  yield* add(tenant, { platform: "api", at: "2026-04-01T20:15:00Z", topics: [refunds] })
  const none = { unanswered: 0, rated_up: 0, rated_down: 0, first_word_ms: null }
  const one = {
    ...none,
    conversations: 1,
    resolved: 1,
    chatbot_id: tenant.chatbot,
    chatbot_name: expect.anything(),
  }
  const { rows, total } = yield* report(tenant, "topic")
  expect(rows).toHaveLength(3)
  expect(rows[0]).toMatchObject({ topic_name: "refund", conversations: 2, questions: 2, resolved: 0 })
  expect(rows[0]).toMatchObject({ unanswered: 1, rated_down: 1 })
  expect(rows).toContainEqual({ ...one, topic_id: hours, topic_name: "opening hours", questions: 2 })
  expect(rows).toContainEqual({ ...one, topic_id: null, topic_name: null, questions: 1 })
  expect(total).toMatchObject({ conversations: 4, questions: 5 })
})
