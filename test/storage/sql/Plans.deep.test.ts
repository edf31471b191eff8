import { afterAll, expect, setDefaultTimeout, test } from "bun:test"
import { Effect, Layer, ManagedRuntime } from "effect"
import { SqlClient, Statement } from "effect/sql"
import type { AuditFilter } from "../../../src/domain/audit/AuditEntry.ts"
import type { ConversationFilter } from "../../../src/domain/chat/ConversationFilter.ts"
import type { ConversationGroups } from "../../../src/domain/organizations/Usage.ts"
import { ApiKeyId } from "../../../src/domain/Ids.ts"
import type { CurrentOrganization } from "../../../src/domain/Tenancy.ts"
import { AuditLog } from "../../../src/storage/audit/AuditLog.ts"
import { ConversationLists } from "../../../src/storage/conversations/ConversationLists.ts"
import { ConversationSums } from "../../../src/storage/conversations/ConversationSums.ts"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import { Chunks } from "../../../src/storage/search/Chunks.ts"
import { Documents } from "../../../src/storage/documents/Documents.ts"
import { Usage } from "../../../src/storage/usage/Usage.ts"
import { withoutTimeLimit } from "../../../src/storage/sql/TimeLimit.ts"
import { addClones, cloneOf } from "../../lib/Clones.ts"
import { makeFilledTenant, noFilter, type Tenant } from "../../lib/FilledTenant.ts"
import { platform, quiet, storage } from "../../lib/Layers.ts"
import { excessOf } from "../../lib/Plans.ts"
import { type Services, tenantCalls } from "../../lib/TenantCalls.ts"
import { as } from "../../lib/Tenants.ts"
import { undone } from "../../lib/Undone.ts"

/*
 * What the statements of repositories read among many rows, as the role of tenants. Row-level security keeps a condition
 * out of an index when one of its functions is not leakproof, such as `lower`: as the owner of the tables, such a
 * statement reads a few pages, and as a tenant the whole table.
 */

setDefaultTimeout(300_000)

const runtime = ManagedRuntime.make(Layer.mergeAll(storage, platform, quiet))
const run = runtime.runPromise
afterAll(() => runtime.dispose())

/** The copies of another organization's rows, and of those of the organization whose statements are explained. */
const OTHERS = 15_000
const OWN = 2_000

/**
 * Calls that read all that the organization has in some tables, by their names: they compare the versions of all
 * chatbots, and add up all days.
 */
const all: Readonly<Record<string, ReadonlyArray<string>>> = {
  "OrganizationChanges.look": ["chatbots"],
  "usage by chatbot": ["usage_days"],
}

/** Returns what the tenant's statements of an effect read too much of. Each is explained before it is sent. */
const readingTooMuch = Effect.fnUntraced(function* <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  whole: ReadonlyArray<string>,
) {
  const sql = yield* SqlClient.SqlClient
  const acquirer = (statement: unknown) => Reflect.get(Object(statement), "acquirer")
  const found: Array<string> = []
  const explain: Statement.Transformer = (statement) => {
    const [text, params] = statement.compile()
    if (acquirer(statement) !== acquirer(sql`select`)) return Effect.succeed(statement)
    return undone(sql, excessOf(sql, text, params, whole)).pipe(
      Effect.map((excess) => found.push(...excess)),
      // What fails fails again when it is sent.
      Effect.ignoreCause,
      Effect.provideService(Statement.CurrentTransformer, undefined),
      Effect.as(statement),
    )
  }
  yield* Effect.exit(Effect.provideService(effect, Statement.CurrentTransformer, explain))
  return found
})

/** Adds a month of usage of many chatbots, and an entry of each that is not added up yet. */
const addUsage = (sql: SqlClient.SqlClient, { organization, apiKeyId }: Tenant) =>
  Effect.andThen(
    sql`insert into usage_days
      select organization_id, current_date - day, ${apiKeyId}::uuid, id, 'm', 'p', 1, 1, 1, 1, 1
      from (select * from chatbots where organization_id = ${organization} limit 200) c, generate_series(1, 30) day`,
    sql`insert into usage_entries (organization_id, message_id, api_key_id, chatbot_id, model, provider, input_tokens,
        output_tokens, cache_read_tokens, cache_write_tokens)
      select organization_id, gen_random_uuid(), api_key_id, chatbot_id, model, provider, 1, 1, 1, 1
      from usage_days where organization_id = ${organization} and day = current_date - 1`,
  )

/** Adds documents to the tenant's chatbot, with one long chunk each. */
const addDocuments = (sql: SqlClient.SqlClient, { ready }: Tenant) =>
  sql.withTransaction(
    Effect.andThen(
      sql`set local session_replication_role = replica`,
      sql`
      with made as (
        insert into documents (id, organization_id, chatbot_id, name, content_type, size_bytes, sha256, blob_key, status,
          chunk_count, revision, created_at)
        select gen_random_uuid(), organization_id, chatbot_id, name, content_type, size_bytes, n, n, status, 1, 1,
          now() - n * interval '1 second'
        from documents, generate_series(1, 450) n where id = ${ready}
        returning id, organization_id, chatbot_id
      )
      insert into chunks (id, organization_id, chatbot_id, document_id, revision, ordinal, title, headings, content,
        language, lexemes, embedding, embedding_model)
      select gen_random_uuid(), made.organization_id, made.chatbot_id, made.id, 1, 1, title, headings, repeat(content, 300),
        language, lexemes, embedding, embedding_model
      from made, (select * from chunks where document_id = ${ready} limit 1) c`,
    ),
  )

const fill = Effect.gen(function* () {
  const own = yield* makeFilledTenant
  yield* addClones(own, OWN)
  yield* addClones(yield* makeFilledTenant, OTHERS, 1)
  yield* SystemSql.use((sql) => Effect.andThen(addUsage(sql, own), addDocuments(sql, own)))
  yield* SystemSql.use((sql) => withoutTimeLimit(sql`vacuum (analyze)`.unprepared))
  return own
})
const filling = run(Effect.cached(fill))
const filled = () => filling.then(run)

const twenty = { limit: 20, after: undefined }
const anyEntry = { action: undefined, apiKey: undefined, target: undefined, from: undefined, to: undefined }
const scan = (condition: Partial<ConversationFilter>) => () =>
  ConversationLists.use((lists) =>
    lists.scan({ ...noFilter, ...condition }, undefined, { conversations: 20, messages: 500 }),
  )
const audited = (condition: Partial<AuditFilter>) => () =>
  AuditLog.use((log) => log.list({ ...anyEntry, ...condition }, twenty))

const counted = (groups: ConversationGroups) => () =>
  ConversationSums.use((sums) =>
    sums.count({
      from: "2020-01-01",
      to: "2020-12-31",
      groups,
      timeZone: "UTC",
      reach: null,
      page: { page: 1, limit: 20 },
    }),
  )

/** Calls that change nothing, of methods that take conditions, with each of these alone. */
const conditions: Readonly<
  Record<string, (target: Tenant) => Effect.Effect<unknown, unknown, CurrentOrganization | Services>>
> = {
  "conversations of all chatbots": scan({}),
  "conversations of an address": scan({ email: "7A@b.example" }),
  "conversations of an address that nobody has": scan({ email: "nobody@b.example" }),
  "unanswered conversations": scan({ isUnanswered: true }),
  "conversations with replies that were rated up": scan({ rating: "up" }),
  "conversations with replies that were rated down": scan({ rating: "down" }),
  "conversations of a time": scan({ from: new Date(0), to: new Date(1) }),
  "a report on the conversations of other days": counted("page"),
  "a report on the topics of other days": counted("topic"),
  "the audit log": audited({}),
  "entries of an action that is rare": audited({ action: "organization.deleted" }),
  "entries of a key that did nothing": audited({ apiKey: ApiKeyId.make("00000000-0000-7000-8000-000000000000") }),
  "documents that failed": ({ chatbot }) =>
    Documents.use((documents) => documents.list(chatbot, { page: 1, limit: 20 }, { status: "failed" })),
  "the languages of many documents": ({ chatbot }) => Chunks.use((chunks) => chunks.languages(chatbot)),
  "usage by chatbot": () =>
    Usage.use((usage) =>
      usage.read({
        from: "2020-01-01",
        to: "9999-12-31",
        groups: ["chatbot"],
        reach: null,
        page: { page: 1, limit: 20 },
      }),
    ),
}

const calls = [
  // Each of these has a copy of its own, which it may delete.
  ...tenantCalls.map(({ name, outcome }, index) => ({ name, call: (own: Tenant) => outcome(cloneOf(own, index + 1)) })),
  ...Object.entries(conditions).map(([name, call]) => ({ name, call })),
]

test.each(calls)("$name reads few rows of its own and none of others'", async ({ call, name }) => {
  const own = await filled()
  expect(await run(as(own.organization)(readingTooMuch(call(own), all[name] ?? [])))).toEqual([])
})

test("a condition that row-level security keeps out of an index is found, so that these tests can fail", async () => {
  const { organization } = await filled()
  const search = SqlClient.SqlClient.use(
    (sql) => sql`select id from sessions
      where lower(user_info->>'email') = 'nobody' and (user_info->>'email') is not null and organization_id = ${organization}`,
  )
  expect(await run(as(organization)(readingTooMuch(search, [])))).toEqual([expect.stringContaining("of sessions")])
})
