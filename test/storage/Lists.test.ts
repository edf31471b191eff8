import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { Effect, Layer, ManagedRuntime } from "effect"
import { SqlClient } from "effect/sql"
import { chatbotDefaults } from "../../src/domain/chatbot/Chatbot.ts"
import { freeSlug } from "../../src/domain/chatbot/Slug.ts"
import { emptyChatWidget } from "../../src/domain/chatbot/ChatWidget.ts"
import type { ConversationFilter } from "../../src/domain/chat/ConversationFilter.ts"
import { ApiKeyId, ChatbotId, DocumentId, OrganizationId, ToolId } from "../../src/domain/Ids.ts"
import { everything, type Listed, type Place, type Range } from "../../src/domain/Page.ts"
import { ApiKeys } from "../../src/storage/keys/ApiKeys.ts"
import { Chatbots } from "../../src/storage/chatbots/Chatbots.ts"
import { ChatbotTools } from "../../src/storage/tools/ChatbotTools.ts"
import { ConversationLists } from "../../src/storage/conversations/ConversationLists.ts"
import { Conversations } from "../../src/storage/conversations/Conversations.ts"
import { SystemSql } from "../../src/storage/sql/Database.ts"
import { Documents } from "../../src/storage/documents/Documents.ts"
import { Organizations } from "../../src/storage/organizations/Organizations.ts"
import { noFilter, someTool } from "../lib/FilledTenant.ts"
import { nextMillisecond, platform, quiet, storage } from "../lib/Layers.ts"
import { as, contentOf, makeTenant, newApiKey } from "../lib/Tenants.ts"
import { effectTests } from "../lib/EffectTests.ts"

setDefaultTimeout(180_000)

const runtime = ManagedRuntime.make(Layer.mergeAll(storage, platform, quiet))
const run = runtime.runPromise
const it = effectTests(run)
afterAll(() => runtime.dispose())

describe("a list of what servers with different clocks have made", () => {
  /** Makes rows with ids of ever earlier times. The clock of the embedded database has milliseconds. */
  const making = <A, E, R>(make: (id: string, name: string) => Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      const ids: Array<string> = []
      for (const hours of [4, 3, 2, 1]) {
        const id = Bun.randomUUIDv7("hex", hours * 3_600_000)
        ids.push(id)
        yield* make(id, `name${hours}`)
        yield* nextMillisecond
      }
      return ids
    })

  /** Reads a whole list in pages of two. */
  const paged = <A extends { readonly id: string }, E, R>(list: (range: Range) => Effect.Effect<Listed<A>, E, R>) =>
    Effect.gen(function* () {
      const ids: Array<string> = []
      let after: Place | undefined
      do {
        const { items, next } = yield* list({ limit: 2, after })
        ids.push(...items.map(({ id }) => id))
        after = next
      } while (after !== undefined)
      return ids
    })

  it("has the order in which the database stored them: chatbots, documents, tools and keys", function* () {
    const { organization, chatbot } = yield* makeTenant
    const mine = as(organization)
    const [chatbots, documents] = [yield* Chatbots, yield* Documents]
    const [tools, keys] = [yield* ChatbotTools, yield* ApiKeys]

    const bots = yield* making((id, slug) =>
      mine(
        chatbots.insert({
          id: ChatbotId.make(id),
          name: slug,
          slug,
          chat_widget_config: emptyChatWidget,
          ...chatbotDefaults("Some", "local/extractive"),
        }),
      ),
    )
    expect(yield* paged((range) => mine(chatbots.list(range, null)))).toEqual([...bots.toReversed(), chatbot])

    const files = yield* making((id, name) => mine(documents.add(DocumentId.make(id), chatbot, contentOf(name))))
    const listed = yield* mine(documents.list(chatbot, { page: 1, limit: 10 }, { status: "queued" }))
    expect(listed.data.map(({ id }): string => id)).toEqual(files)

    const made = yield* making((id, name) => mine(tools.insert(ToolId.make(id), chatbot, { ...someTool, name }, 9)))
    expect((yield* mine(tools.list(chatbot))).map(({ id }): string => id)).toEqual(made)

    const issued = yield* making((id, name) =>
      Effect.flatMap(newApiKey(organization, { id: ApiKeyId.make(id), name }), keys.insert),
    )
    expect(yield* paged((range) => keys.list(organization, range))).toEqual(issued.toReversed())
  })

  it("has the order in which the database stored them: organizations", function* () {
    const organizations = yield* Organizations
    const before = (yield* organizations.list(everything)).items.map(({ id }): string => id)
    const made = yield* making((id, name) => organizations.insert({ id: OrganizationId.make(id), name }))
    expect(yield* paged(organizations.list)).toEqual([...before, ...made])
  })
})

describe("a list", () => {
  const ROWS = 1_000

  /**
   * The number of rows of a table that a list reads, by an index or not. Rows that an index alone answers do not count.
   */
  const reads = <A, E, R>(table: string, list: Effect.Effect<A, E, R>) =>
    SqlClient.SqlClient.use((sql) => {
      // The count may include earlier transactions, until the database has added them up.
      const count = Effect.map(
        sql<{ rows: number }>`select (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int as rows
          from pg_stat_xact_user_tables where relname = ${table}`,
        ([row]) => row?.rows ?? 0,
      )
      const counts = Effect.all([count, Effect.andThen(list, count)])
      return Effect.map(sql.withTransaction(counts), ([before, after]) => after - before)
    })

  /** Makes a tenant with many rows in every listed table. */
  const fillOne = Effect.gen(function* () {
    const { organization, chatbot } = yield* makeTenant
    const sql = yield* SystemSql
    yield* sql`insert into sessions (id, organization_id, chatbot_id, platform, message_count, updated_at,
        unanswered_replies, rated_down, user_info)
      select gen_random_uuid(), ${organization}, ${chatbot}, case when number % 250 = 0 then 'phone' else 'web' end, 1,
        now() - number * interval '1 second', (number % 90 = 0)::int, (number % 150 = 0)::int,
        case when number % 350 = 0 then '{"email": "Ada@Example.com"}'::jsonb else '{}' end
      from generate_series(1, ${ROWS}::int) number`
    yield* sql`insert into messages (id, organization_id, session_id, sender_type, content)
      select gen_random_uuid(), organization_id, id, 'user', 'Hello' from sessions where chatbot_id = ${chatbot}`
    yield* sql`insert into documents
        (id, organization_id, chatbot_id, name, content_type, size_bytes, sha256, blob_key, status, created_at)
      select gen_random_uuid(), ${organization}, ${chatbot}, 'a', 'text/plain', 1, number, number,
        case when number % 40 = 0 then 'failed' else 'ready' end, now() - number * interval '1 second'
      from generate_series(1, ${ROWS}::int) number`
    yield* sql`insert into chatbots (id, organization_id, name, description, slug, is_public, personality_config, settings,
        chat_widget_config)
      select gen_random_uuid(), ${organization}, 'a', '', case when number = 1 then 'a' else 'a-' || number end, false,
        '{}', '{}', '{}'
      from generate_series(1, ${ROWS}::int) number`
    return { organization, chatbot }
  })

  /** Makes several such tenants: Postgres would read a table as a whole if one tenant had most of it. */
  const fill = Effect.gen(function* () {
    const tenant = yield* fillOne
    yield* Effect.replicateEffect(fillOne, 4)
    const sql = yield* SystemSql
    for (const table of ["sessions", "messages", "documents", "chatbots"]) {
      yield* sql`vacuum (analyze) ${sql(table)}`.unprepared
    }
    return tenant
  })
  const filling = run(Effect.cached(fill))
  /** Made by the first test that needs them, so that no earlier test sees these tenants. */
  const filled = () => filling.then(run)

  /** Looks through the conversations that meet a condition, at most so many. */
  const scanning = (condition: Partial<ConversationFilter>, conversations: number, after?: Place) =>
    ConversationLists.use((lists) =>
      lists.scan({ ...noFilter, ...condition }, after, { conversations, messages: Number.POSITIVE_INFINITY }),
    )

  const LIMIT = 20
  const lastPage = { page: ROWS / LIMIT, limit: LIMIT }
  /** Each row of a page may be read once to find it, and once to show it. */
  const ofAPage = 2 * LIMIT

  test("of conversations reads those of its page and their last messages, even on a late page", async () => {
    const { organization, chatbot } = await filled()
    const list = Conversations.use((conversations) => conversations.list(chatbot, lastPage))
    const { sessions, total } = await run(as(organization)(list))
    expect([sessions.length, total]).toEqual([LIMIT, ROWS])
    expect(await run(as(organization)(reads("sessions", list)))).toBeLessThanOrEqual(ofAPage)
    expect(await run(as(organization)(reads("messages", list)))).toBeLessThanOrEqual(ofAPage)
  })

  test("of the conversations of all chatbots reads those of its page under each condition that has an index", async () => {
    const { organization, chatbot } = await filled()
    const after = (await run(as(organization)(scanning({}, 300)))).scanned.at(-1)
    const from = new Date(Date.now() - 3_600_000)
    for (const [condition, expected] of [
      [{}, LIMIT],
      [{ from, to: new Date() }, LIMIT],
      [{ chatbots: [chatbot] }, LIMIT],
      [{ isUnanswered: true }, 8],
      [{ rating: "down" }, 4],
      [{ rating: "down", isUnanswered: true, chatbots: [chatbot] }, 2],
      [{ email: "ada@example.COM" }, 2],
    ] as const) {
      const list = scanning(condition, LIMIT, after)
      const { scanned } = await run(as(organization)(list))
      expect(scanned.length).toBe(expected)
      expect(await run(as(organization)(reads("sessions", list)))).toBeLessThanOrEqual(ofAPage)
      expect(await run(as(organization)(reads("messages", list)))).toBe(0)
    }
  })

  test("of the conversations of all chatbots ends a search at the bound of messages, and says where", async () => {
    const { organization } = await filled()
    const lists = await run(ConversationLists)
    const search = { ...noFilter, search: "HELLO" }
    const found = await run(as(organization)(lists.scan(search, undefined, { conversations: 500, messages: 50 })))
    expect([found.scanned.length, found.isComplete]).toEqual([50, false])
    expect(found.scanned.every((one) => one.is_match)).toBe(true)
    const nothing = lists.scan({ ...noFilter, search: "nobody" }, undefined, { conversations: 60, messages: 500 })
    expect(await run(as(organization)(reads("messages", nothing)))).toBeLessThanOrEqual(60)
    const phones = await run(
      as(organization)(
        lists.scan({ ...noFilter, platform: "phone" }, undefined, { conversations: 5_000, messages: Infinity }),
      ),
    )
    expect([phones.scanned.filter((one) => one.is_match).length, phones.isComplete]).toEqual([4, true])
  })

  test("of documents reads those of its page, even of one status", async () => {
    const { organization, chatbot } = await filled()
    for (const [page, query, expected] of [
      [lastPage, {}, ROWS],
      [lastPage, { order: "desc" }, ROWS],
      [{ page: 1, limit: LIMIT }, { status: "failed" }, ROWS / 40],
      [{ page: 2, limit: LIMIT }, { status: "failed" }, ROWS / 40],
    ] as const) {
      const list = Documents.use((documents) => documents.list(chatbot, page, query))
      expect((await run(as(organization)(list))).total).toBe(expected)
      expect(await run(as(organization)(reads("documents", list)))).toBeLessThanOrEqual(ofAPage)
    }
  })

  test("of chatbots reads those that it shows", async () => {
    const { organization } = await filled()
    const list = Chatbots.use((chatbots) => chatbots.list({ limit: LIMIT, after: undefined }, null))
    expect((await run(as(organization)(list))).items).toHaveLength(LIMIT)
    expect(await run(as(organization)(reads("chatbots", list)))).toBeLessThanOrEqual(ofAPage)
  })

  test("of slugs is not read to find a free one", async () => {
    const { organization } = await filled()
    const search = Chatbots.use((chatbots) => freeSlug("a", chatbots.slugsInUse))
    expect(await run(as(organization)(search))).toBe(`a-${ROWS + 1}`)
    expect(await run(as(organization)(reads("chatbots", search)))).toBeLessThan(ROWS / 10)
  })
})
