import { afterAll, describe, expect } from "bun:test"
import { Effect, Layer, ManagedRuntime } from "effect"
import { SqlClient } from "effect/sql"
import * as fc from "fast-check"
import { type ChatbotId, MessageId, type OrganizationId, SessionId } from "../../../src/domain/Ids.ts"
import { ConversationSums } from "../../../src/storage/conversations/ConversationSums.ts"
import { Conversations, type HistoryBounds } from "../../../src/storage/conversations/Conversations.ts"
import { Messages } from "../../../src/storage/conversations/Messages.ts"
import type { BotMessage, NewMessage } from "../../../src/storage/conversations/ConversationWrites.ts"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import { nextMillisecond, platform, storage } from "../../lib/Layers.ts"
import { as, makeTenant, newId, sessionNamed } from "../../lib/Tenants.ts"
import { effectTests } from "../../lib/EffectTests.ts"

const runtime = ManagedRuntime.make(Layer.merge(storage, platform))
const run = runtime.runPromise
const it = effectTests(run)
afterAll(() => runtime.dispose())

interface Tenant {
  readonly organization: OrganizationId
  readonly chatbot: ChatbotId
}

const newSessionId = Effect.map(newId, (id) => SessionId.make(id))
const messagesOf = (contents: ReadonlyArray<string>) =>
  Effect.forEach(contents, (content) =>
    Effect.map(newId, (id): NewMessage => ({
      id: MessageId.make(id),
      sender_type: "user",
      content,
      mid: `client-${content}`,
    })),
  )

/** Appends messages of the user to the session with the token, which is opened if it does not exist. */
const append = Effect.fnUntraced(function* (
  { organization, chatbot }: Tenant,
  token: string | null,
  contents: ReadonlyArray<string>,
  email?: string,
) {
  const session = { id: yield* newSessionId, token, tokenKey: null, platform: "web" }
  const messages = yield* messagesOf(contents)
  const { id } = yield* as(organization)(
    (yield* Conversations).append(
      chatbot,
      session,
      messages,
      email === undefined ? undefined : { email, mayAskAgain: false },
    ),
  )
  return id
})

const source = { document_id: "01a1f949-b557-76c3-802f-bd8df25192ac", title: "T", chunk: 1, page: null, quote: "Q" }
const answer = (content: string): Effect.Effect<BotMessage, never, Effect.Services<typeof newId>> =>
  Effect.map(newId, (id) => ({
    id: MessageId.make(id),
    content,
    model: "m",
    provider: "p",
    tokens_used: 12,
    usage: { input: 5, output: 7 },
    finish_reason: "stop",
    tool_calls: [{ type: "tool-call" }],
    tool_results: [],
    sources: [source],
    unanswered: false,
  }))
const reply = Effect.fnUntraced(function* ({ organization }: Tenant, session: SessionId, content: string) {
  yield* as(organization)((yield* Conversations).reply(session, yield* answer(content)))
})

const read = Effect.fnUntraced(function* ({ organization, chatbot }: Tenant, name: string, page = 1, limit = 100) {
  const { messages, total } = yield* as(organization)(
    (yield* Messages).page(chatbot, sessionNamed(name), { page, limit }),
  )
  return { contents: messages.map(({ content }) => content), total, messages }
})

const findWithin = Effect.fnUntraced(function* (
  { organization, chatbot }: Tenant,
  name: string,
  bounds: Partial<HistoryBounds>,
) {
  const everything = { messages: 1_000, bytes: 1_000_000, characters: 1_000_000 }
  return yield* as(organization)((yield* Conversations).find(chatbot, sessionNamed(name), { ...everything, ...bounds }))
})

describe("a session", () => {
  it("is opened by the first message, continues by its token or its id, and keeps its messages in order", function* () {
    const tenant = yield* makeTenant
    const id = yield* append(tenant, "token", ["1"])
    yield* reply(tenant, id, "2")
    expect(yield* append(tenant, "token", ["3", "4"])).toBe(id)
    const byToken = yield* read(tenant, "token")
    expect(byToken).toMatchObject({ contents: ["1", "2", "3", "4"], total: 4 })
    expect(yield* read(tenant, id)).toEqual(byToken)
    expect(byToken.messages[0]).toMatchObject({
      session_id: id,
      sender_type: "user",
      metadata: { mid: "client-1" },
    })
    expect(byToken.messages[1]).toMatchObject({
      sender_type: "bot",
      metadata: {},
      model: "m",
      provider: "p",
      tokens_used: 12,
      tool_calls: [{ type: "tool-call" }],
      tool_results: [],
      sources: [source],
    })
    // Where a message rests on none, it has no such field.
    expect(byToken.messages[0]).not.toHaveProperty("sources")
  })

  it("keeps the times to the first word of its first hundred streamed replies, which reports count once", function* () {
    const tenant = yield* makeTenant
    const session = yield* append(tenant, null, ["1"])
    const other = yield* append(tenant, null, ["1"])
    yield* reply(tenant, other, "not streamed")
    const store = Effect.fnUntraced(function* (firstWord: number) {
      const message = { ...(yield* answer("streamed")), firstWord }
      yield* as(tenant.organization)((yield* Conversations).reply(session, message))
    })
    yield* Effect.forEach(
      Array.from({ length: 105 }, (_, index) => index + 1),
      store,
    )
    // Also where a day has ended meanwhile.
    const scope = { from: "2020-01-01", to: "2100-01-01", reach: null }
    const report = { ...scope, page: { page: 1, limit: 10 }, timeZone: "UTC" }
    const { rows, total } = yield* as(tenant.organization)(
      (yield* ConversationSums).count({ ...report, groups: "chatbot" }),
    )
    // 106 messages and 2.
    const counts = {
      conversations: 2,
      questions: 54,
      unanswered: 0,
      rated_up: 0,
      rated_down: 0,
      resolved: 2,
      // In steps of four percent.
      first_word_ms: { median: 51, p95: 95 },
    }
    expect(total).toEqual(counts)
    expect(rows).toEqual([{ chatbot_id: tenant.chatbot, chatbot_name: expect.any(String), ...counts }])
    const none = yield* as(tenant.organization)(
      (yield* ConversationSums).count({ ...report, to: "2020-01-02", groups: "language" }),
    )
    expect([none.rows, none.total.first_word_ms]).toEqual([[], null])
  })

  it("keeps the order of a long transcript that is sent at once", function* () {
    const tenant = yield* makeTenant
    const contents = Array.from({ length: 1_000 }, (_, index) => `${index}`)
    const id = yield* append(tenant, null, contents)
    const pages = yield* Effect.forEach(
      Array.from({ length: 11 }, (_, index) => index + 1),
      (page) => read(tenant, id, page),
    )
    expect(pages.flatMap((page) => page.contents)).toEqual(contents)
    expect(pages.map(({ total }) => total)).toEqual(Array.from({ length: 11 }, () => 1_000))
  })

  it("keeps its messages in order where the clock was set back between them", function* () {
    const tenant = yield* makeTenant
    const sql = yield* SystemSql
    const id = yield* append(tenant, "ahead", ["One"])
    const conversations = yield* Conversations
    yield* as(tenant.organization)(conversations.reply(id, yield* answer("Two")))
    // However long the statements take, a message comes before the next change of its conversation.
    const [times] = yield* sql<{ before: boolean }>`
      select max(m.created_at) < max(s.updated_at) + interval '1 millisecond' as before
      from messages m join sessions s on s.id = m.session_id where s.id = ${id}`
    expect(times?.before).toBe(true)
    // As an hour later, by the clock that is set back then.
    yield* sql`update messages set created_at = created_at + interval '1 hour' where session_id = ${id}`
    yield* sql`update sessions set updated_at = updated_at + interval '1 hour' where id = ${id}`
    yield* append(tenant, "ahead", ["Three", "Four"])
    yield* as(tenant.organization)(conversations.reply(id, yield* answer("Five")))
    const rows = yield* sql<{ content: string }>`
      select content from messages where session_id = ${id} order by created_at, id`
    expect(rows.map(({ content }) => content)).toEqual(["One", "Two", "Three", "Four", "Five"])
  })

  it("is opened once and loses no message when many requests open it and write to it at once", function* () {
    const tenant = yield* makeTenant
    const names = Array.from({ length: 20 }, (_, index) => `${index}`)
    const ids = yield* Effect.forEach(
      names,
      (name) => Effect.tap(append(tenant, "shared", [name]), (id) => reply(tenant, id, `re ${name}`)),
      { concurrency: "unbounded" },
    )
    expect(new Set(ids).size).toBe(1)
    const { contents, total } = yield* read(tenant, "shared")
    expect(contents.toSorted()).toEqual([...names, ...names.map((name) => `re ${name}`)].toSorted())
    expect(total).toBe(40)
    for (const name of names) expect(contents.indexOf(name)).toBeLessThan(contents.indexOf(`re ${name}`))
  })

  it("is found with its latest messages and with the user's data", function* () {
    const tenant = yield* makeTenant
    const id = yield* append(tenant, "known", ["1", "2", "3"], "a@b.example")
    yield* reply(tenant, id, "4")
    const find = (name: string, messages: number) => findWithin(tenant, name, { messages })
    const found = yield* find("known", 2)
    const said = yield* Messages.use((messages) =>
      as(tenant.organization)(messages.page(tenant.chatbot, sessionNamed(id), { page: 2, limit: 2 })),
    )
    expect({ ...found, history: found?.history }).toEqual({
      id,
      user_info: { email: "a@b.example" },
      may_ask_email: false,
      history: said.messages.map(({ id, sender_type, content, model, metadata: { mid = null } }) => ({
        id,
        sender_type,
        content,
        model,
        finish_reason: sender_type === "bot" ? "stop" : null,
        mid,
        person: null,
        has_files: false,
      })),
    })
    expect(found?.history.map(({ content }) => content)).toEqual(["3", "4"])
    expect((yield* find(id, 100))?.history).toHaveLength(4)
    expect(yield* find("unknown", 1)).toBeUndefined()
    yield* append(tenant, "known", ["5"])
    expect((yield* find("known", 1))?.user_info).toEqual({ email: "a@b.example" })
  })

  it("is found with as many of its latest messages as keep the bounds, and with the bounded part of each text", function* () {
    const tenant = yield* makeTenant
    const [umlauts, letters] = ["ä".repeat(50), "a".repeat(40)]
    yield* append(tenant, "long", ["first", umlauts, letters, "last"])
    const found = (bounds: Partial<HistoryBounds>) =>
      Effect.map(findWithin(tenant, "long", bounds), (session) => session?.history.map(({ content }) => content))
    expect(yield* found({})).toEqual(["first", umlauts, letters, "last"])
    expect(yield* found({ bytes: 144 })).toEqual([umlauts, letters, "last"])
    // A message that does not fit ends the history, even if an earlier one would fit.
    expect(yield* found({ bytes: 143 })).toEqual([letters, "last"])
    expect(yield* found({ bytes: 3 })).toEqual([])
    expect(yield* found({ characters: 4 })).toEqual(["firs", "ääää", "aaaa", "last"])
    expect(yield* found({ characters: 4, bytes: 12 })).toEqual(["ääää", "aaaa", "last"])
  })

  it("whose token looks like the id of another session is found by the token", function* () {
    const tenant = yield* makeTenant
    const first = yield* append(tenant, null, ["first"])
    expect((yield* read(tenant, first)).contents).toEqual(["first"])
    yield* append(tenant, first, ["second"])
    expect((yield* read(tenant, first)).contents).toEqual(["second"])
  })

  it("belongs to its chatbot, so that the same token at another chatbot names another session", function* () {
    const [one, other] = [yield* makeTenant, yield* makeTenant]
    const first = yield* append(one, "same", ["one"])
    expect(yield* append(other, "same", ["other"])).not.toBe(first)
    expect((yield* read(one, "same")).contents).toEqual(["one"])
    expect((yield* Effect.flip(read(other, first)))._tag).toBe("NotFound")
  })

  it("is deleted with its messages, and a late reply does not restore it", function* () {
    const tenant = yield* makeTenant
    const conversations = yield* Conversations
    const id = yield* append(tenant, "gone", ["1"])
    const remove = as(tenant.organization)(conversations.remove(tenant.chatbot, sessionNamed("gone")))
    yield* remove
    yield* reply(tenant, id, "late")
    expect((yield* Effect.flip(read(tenant, id)))._tag).toBe("NotFound")
    expect((yield* Effect.flip(remove))._tag).toBe("NotFound")
  })
})

describe("lists", () => {
  it("of messages show each on exactly one page", function* () {
    const tenant = yield* makeTenant
    const contents = Array.from({ length: 23 }, (_, index) => `${index}`)
    const id = yield* append(tenant, null, contents)
    yield* Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(fc.integer({ min: 1, max: 30 }), async (limit) => {
          const pages = Math.ceil(contents.length / limit)
          const seen = await Promise.all(
            Array.from({ length: pages + 1 }, (_, index) => run(read(tenant, id, index + 1, limit))),
          )
          expect(seen.flatMap((page) => page.contents)).toEqual(contents)
          expect(seen.at(-1)).toMatchObject({ contents: [], total: contents.length })
        }),
        { numRuns: 15 },
      ),
    )
  })

  it("of sessions are ordered by the latest activity, and show the last message", function* () {
    const tenant = yield* makeTenant
    const conversations = yield* Conversations
    const list = (page: number, limit: number) =>
      as(tenant.organization)(conversations.list(tenant.chatbot, { page, limit }))
    const [a, b, c] = [
      yield* append(tenant, "a", ["1"]),
      yield* append(tenant, "b", ["1"]),
      yield* append(tenant, null, ["1"]),
    ]
    yield* nextMillisecond
    yield* reply(tenant, a, "2")
    const { sessions, total } = yield* list(1, 10)
    expect(sessions.map(({ id }) => id)).toEqual([a, c, b])
    expect(total).toBe(3)
    expect(sessions[0]).toMatchObject({
      chatbot_id: tenant.chatbot,
      session_token: "a",
      platform: "web",
      state: "open",
      last_message: { content: "2", sender_type: "bot" },
      user_info: {},
      message_count: 2,
    })
    expect(yield* as(tenant.organization)(conversations.get(tenant.chatbot, sessionNamed(a)))).toMatchObject({
      ...sessions[0],
    })
    expect((yield* list(2, 2)).sessions.map(({ id }) => id)).toEqual([b])
    expect(yield* list(3, 2)).toEqual({ sessions: [], total: 3 })
  })
})

it("a page of a list reads no more sessions than it shows, however many the chatbot has", function* () {
  const { chatbot, organization } = yield* makeTenant
  const sessions = 400
  const page = { page: 2, limit: 20 }
  // Among so many others, Postgres takes all sessions of one chatbot for few.
  const system = yield* SystemSql
  yield* system.withTransaction(
    Effect.gen(function* () {
      yield* system`set local session_replication_role = replica`
      yield* system`
        insert into sessions (id, organization_id, chatbot_id, platform)
        select gen_random_uuid(), case when n > ${sessions} then md5((n / 10)::text)::uuid else ${organization}::uuid end,
          case when n > ${sessions} then md5((n / 4)::text)::uuid else ${chatbot}::uuid end, 'web'
        from generate_series(1, ${10 * sessions}::int) n`
    }),
  )
  yield* system`analyze sessions`.unprepared
  const sql = yield* SqlClient.SqlClient
  // Postgres counts for about a second what a connection has read, in its earlier transactions as well.
  const rowsRead = Effect.map(
    sql<{ rows: number }>`
      select pg_stat_get_xact_tuples_fetched('sessions'::regclass)::int
        + pg_stat_get_xact_tuples_returned('sessions'::regclass)::int
        + (select sum(pg_stat_get_xact_tuples_returned(indexrelid))::int from pg_index
          where indrelid = 'sessions'::regclass) as rows`,
    ([row]) => row?.rows ?? Number.POSITIVE_INFINITY,
  )
  const read = yield* as(organization)(
    sql.withTransaction(
      Effect.gen(function* () {
        yield* sql`select set_config('plan_cache_mode', 'force_generic_plan', true)`
        const before = yield* rowsRead
        const listed = yield* (yield* Conversations).list(chatbot, page)
        expect({ shown: listed.sessions.length, total: listed.total }).toEqual({
          shown: page.limit,
          total: sessions,
        })
        return (yield* rowsRead) - before
      }),
    ),
  )
  // All are counted, and those before the page are skipped.
  expect(read).toBeGreaterThan(page.limit)
  expect(read).toBeLessThan(5 * sessions)
})
