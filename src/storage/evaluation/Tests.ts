import { Effect, Schema, Struct } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { changeOf, concealed } from "../../domain/audit/AuditChange.ts"
import { chatbotNotFound } from "../../domain/chatbot/Chatbot.ts"
import { Conflict, NotFound } from "../../domain/Errors.ts"
import { ChatbotTest, TestId, TESTS_MAX } from "../../domain/evaluation/ChatbotTest.ts"
import { ListedTest } from "../../domain/evaluation/TestRun.ts"
import type { ChatbotId, MessageId } from "../../domain/Ids.ts"
import { offset, type Page, type Range } from "../../domain/Page.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { Service } from "../../domain/Service.ts"
import { Auditing } from "../audit/Auditing.ts"
import { counted, decodeRows, onlyRow, rowOr, TimestampColumn } from "../Rows.ts"
import { afterPlace, placeColumn, readLimit, toListed } from "../sql/Listing.ts"
import { committing, withoutSqlErrors } from "../sql/SqlErrors.ts"
import { json, texts, uuids } from "../sql/SqlValues.ts"
import { queueTestsOf } from "./TestTriggers.ts"

/** The fields of a test that people write. */
export type TestContent = Pick<ChatbotTest, "expectations" | "history" | "question" | "tags">

const TestRow = Schema.Struct({
  ...ChatbotTest.fields,
  version: Schema.BigInt,
  created_at: TimestampColumn,
  updated_at: TimestampColumn,
})
/** A stored test, with the version that each change of it increments. */
export type TestRow = typeof TestRow.Type

const decodeTests = decodeRows(TestRow)
const decodeListed = decodeRows(
  Schema.Struct({ ...TestRow.fields, ...Struct.pick(ListedTest.fields, ["last_result"]) }),
)
const decodePlaced = decodeRows(Schema.Struct({ ...TestRow.fields, at: Schema.String }))
const decodeSummaries = decodeRows(Schema.Struct({ total: Schema.Int, tags: Schema.Array(Schema.String) }))
const decodeIds = decodeRows(Schema.Struct({ id: TestId }))
const decodeWritten = decodeRows(Schema.Struct({ id: TestId, is_new: Schema.Boolean }))

const first = rowOr(new NotFound({ detail: "There is no such test." }))
const replyTested = new Conflict({ detail: "There is a test of this reply." })
/** The failure of a test for which the chatbot has no room. */
export const tooMany = new Conflict({ detail: `A chatbot has at most ${TESTS_MAX.toLocaleString("en")} tests.` })

/** The table `tests`, always within the current organization. */
export class Tests extends Service<Tests>()("parley/storage/evaluation/Tests", function* () {
  const sql = yield* SqlClient.SqlClient
  const auditing = yield* Auditing

  const columns = sql.literal(
    "id, chatbot_id, question, history, expectations, tags, message_id, version, created_at, updated_at",
  )
  const ofChatbot = (chatbot: ChatbotId) =>
    CurrentOrganization.useSync((organization) => sql`chatbot_id = ${chatbot} and organization_id = ${organization}`)

  const read = Effect.fnUntraced(function* (chatbot: ChatbotId, id: TestId, lock = sql``) {
    return yield* first(
      decodeTests(sql`select ${columns} from tests where id = ${id} and ${yield* ofChatbot(chatbot)} ${lock}`),
    )
  })

  const count = Effect.fnUntraced(function* (chatbot: ChatbotId, condition: Statement.Fragment) {
    return yield* counted(sql`select count(*)::int as count from tests where ${yield* ofChatbot(chatbot)} ${condition}`)
  })

  /** Locks the chatbot, so that tests are added one after the other, and returns how many it may still have. */
  const room = Effect.fnUntraced(function* (chatbot: ChatbotId) {
    const organization = yield* CurrentOrganization
    const [found] = yield* sql`
      select id from chatbots where id = ${chatbot} and organization_id = ${organization} for no key update`
    if (found === undefined) return yield* chatbotNotFound
    return TESTS_MAX - (yield* count(chatbot, sql``))
  })

  return {
    /**
     * Inserts a test, of a reply where one is named. Fails with `Conflict` when the chatbot has as many as it may, or
     * a test of the reply.
     */
    insert: Effect.fnUntraced(function* (
      id: TestId,
      chatbot: ChatbotId,
      content: TestContent,
      reply: MessageId | null = null,
    ) {
      const organization = yield* CurrentOrganization
      if ((yield* room(chatbot)) <= 0) return yield* tooMany
      if (reply !== null && (yield* count(chatbot, sql`and message_id = ${reply}`)) > 0) return yield* replyTested
      const after = concealed(contentOf(content))
      yield* auditing.record(sql, { organization, action: "test.created", target: id, chatbot, after })
      const test = yield* first(
        decodeTests(sql`
          insert into tests (id, organization_id, chatbot_id, question, history, expectations, tags, message_id)
          values (${id}, ${organization}, ${chatbot}, ${content.question}, ${json(content.history)},
            ${json(content.expectations)}, ${texts(content.tags)}, ${reply})
          returning ${columns}`),
      )
      yield* queueTestsOf(sql, chatbot)
      return test
    }, committing(sql)),

    /**
     * Adds tests, or changes those that are there, of an import. Returns the ids of those that were added and changed,
     * and of those for which the chatbot has no room. The others are as they were.
     */
    put: Effect.fnUntraced(function* (chatbot: ChatbotId, tests: ReadonlyArray<TestContent & { readonly id: TestId }>) {
      const organization = yield* CurrentOrganization
      const free = yield* room(chatbot)
      const own = yield* ofChatbot(chatbot)
      const ids = uuids(tests.map(({ id }) => id))
      const found = yield* decodeIds(sql`select id from tests where id = any(${ids}) and ${own}`)
      const held = new Set(found.map(({ id }) => id))
      const refused = new Set(
        tests
          .filter(({ id }) => !held.has(id))
          .map(({ id }) => id)
          .slice(Math.max(0, free)),
      )
      const written = yield* decodeWritten(sql`
        insert into tests (id, organization_id, chatbot_id, question, history, expectations, tags)
        select id, ${organization}, ${chatbot}, question, history, expectations, tags
        from jsonb_to_recordset(${json(tests.filter(({ id }) => !refused.has(id)))})
          as given (id uuid, question text, history jsonb, expectations jsonb, tags text[])
        on conflict (id) do update
        set question = excluded.question, history = excluded.history, expectations = excluded.expectations,
          tags = excluded.tags, version = tests.version + 1,
          updated_at = greatest(clock_timestamp(), tests.updated_at + interval '1 millisecond')
        where (tests.question, tests.history, tests.expectations, tests.tags)
          is distinct from (excluded.question, excluded.history, excluded.expectations, excluded.tags)
        returning id, version = 1 as is_new`)
      if (written.length > 0) yield* queueTestsOf(sql, chatbot)
      return {
        added: written.filter(({ is_new }) => is_new).length,
        updated: written.filter(({ is_new }) => !is_new).length,
        refused,
      }
    }, committing(sql)),

    /** Records in the audit log that so many rows are imported. */
    recordImport: Effect.fnUntraced(function* (chatbot: ChatbotId, rows: number) {
      const organization = yield* CurrentOrganization
      yield* auditing.record(sql, { organization, action: "test.imported", chatbot, after: { rows } })
    }, withoutSqlErrors),

    get: (chatbot: ChatbotId, id: TestId) => withoutSqlErrors(read(chatbot, id)),

    /** Changes a test under its row's lock. A change that changes nothing leaves its version. */
    modify: <E>(chatbot: ChatbotId, id: TestId, change: (row: TestRow) => Effect.Effect<TestContent, E>) =>
      Effect.gen(function* () {
        const organization = yield* CurrentOrganization
        const before = yield* read(chatbot, id, sql`for update`)
        const content = yield* change(before)
        const audited = changeOf(contentOf(before), contentOf(content))
        if (audited === undefined) return before
        yield* auditing.record(sql, { organization, action: "test.updated", target: id, chatbot, ...audited })
        const test = yield* first(
          decodeTests(sql`
            update tests set question = ${content.question}, history = ${json(content.history)},
              expectations = ${json(content.expectations)}, tags = ${texts(content.tags)}, version = version + 1,
              updated_at = greatest(clock_timestamp(), updated_at + interval '1 millisecond')
            where id = ${id} and organization_id = ${organization} returning ${columns}`),
        )
        yield* queueTestsOf(sql, chatbot)
        return test
      }).pipe(committing(sql)),

    /** Deletes a test with its results. */
    remove: Effect.fnUntraced(function* (chatbot: ChatbotId, id: TestId) {
      const organization = yield* CurrentOrganization
      const gone = yield* first(
        decodeTests(sql`delete from tests where id = ${id} and ${yield* ofChatbot(chatbot)} returning ${columns}`),
      )
      const before = concealed(contentOf(gone))
      yield* auditing.record(sql, { organization, action: "test.deleted", target: id, chatbot, before })
    }, committing(sql)),

    /** Lists a page of the tests of a chatbot whose questions hold the text and that have the tag, oldest first. */
    list: Effect.fnUntraced(function* (
      chatbot: ChatbotId,
      page: Page,
      { tag, text }: { readonly text: string; readonly tag: string },
    ) {
      const own = yield* ofChatbot(chatbot)
      const matching = sql`${own} ${tag === "" ? sql`` : sql`and ${tag} = any(tags)`}
        ${text === "" ? sql`` : sql`and strpos(lower(question), lower(${text})) > 0`}`
      const { tags, total } = yield* Effect.flatMap(
        decodeSummaries(sql`
          select (select count(*)::int from tests where ${matching}) as total,
            array(select distinct unnest(tags) from tests where ${own} order by 1) as tags`),
        onlyRow,
      )
      const data = yield* decodeListed(sql`
        select ${columns}, (
          select jsonb_build_object('run_id', run_id, 'tier', tier, 'outcome', outcome, 'change', change)
          from test_results where test_id = tests.id order by test_results.created_at desc limit 1
        ) as last_result
        from tests where ${matching}
        order by tests.created_at, id limit ${page.limit} offset ${offset(page)}`)
      return { data, tags, total }
    }, withoutSqlErrors),

    /** Lists the tests of a chatbot after a place, oldest first. */
    after: Effect.fnUntraced(function* (chatbot: ChatbotId, range: Range) {
      const rows = yield* decodePlaced(sql`
        select ${columns}, ${sql.literal(placeColumn())} from tests
        where ${yield* ofChatbot(chatbot)} ${afterPlace(sql, range.after, ">")}
        order by tests.created_at, id limit ${readLimit(range)}`)
      return toListed(rows, range, (row) => row)
    }, withoutSqlErrors),
  }
}) {}

/** The fields of a test that people write. */
export const contentOf: (test: TestContent) => TestContent = Struct.pick([
  "question",
  "history",
  "expectations",
  "tags",
])
