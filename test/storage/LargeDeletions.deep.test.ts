import { afterAll, describe, expect } from "bun:test"
import { Effect, Layer, ManagedRuntime } from "effect"
import type { OrganizationId } from "../../src/domain/Ids.ts"
import { Chatbots } from "../../src/storage/chatbots/Chatbots.ts"
import { SystemSql } from "../../src/storage/sql/Database.ts"
import { Documents } from "../../src/storage/documents/Documents.ts"
import { platform, storage } from "../lib/Layers.ts"
import { as, makeTenant } from "../lib/Tenants.ts"
import { effectTests } from "../lib/EffectTests.ts"

const runtime = ManagedRuntime.make(Layer.merge(storage, platform))
const run = runtime.runPromise
const it = effectTests(run)
afterAll(() => runtime.dispose())

/** Makes documents and conversations of one chatbot, each with this many chunks or messages. */
const makeLarge = Effect.fnUntraced(function* (owners: number, each: number) {
  const tenant = yield* makeTenant
  const { organization, chatbot } = tenant
  const sql = yield* SystemSql
  yield* sql`
    with owner as (
      insert into documents (id, organization_id, chatbot_id, name, content_type, size_bytes, sha256, blob_key, status,
        revision, chunk_count)
      select gen_random_uuid(), ${organization}::uuid, ${chatbot}::uuid, n, 'text/plain', 1, n, 'documents/' || gen_random_uuid(),
        'ready', 1, ${each}::int from generate_series(1, ${owners}::int) n returning id
    )
    insert into chunks (id, organization_id, chatbot_id, document_id, revision, ordinal, title, headings, content,
      language, lexemes, embedding, embedding_model)
    select gen_random_uuid(), ${organization}::uuid, ${chatbot}::uuid, id, 1, n, '', '{}', '', 'simple', '', '[1]', 'test'
    from owner, generate_series(1, ${each}::int) n`
  yield* sql`
    with owner as (
      insert into sessions (id, organization_id, chatbot_id, platform, message_count)
      select gen_random_uuid(), ${organization}::uuid, ${chatbot}::uuid, 'web', ${each}::int
      from generate_series(1, ${owners}::int) returning id
    )
    insert into messages (id, organization_id, session_id, sender_type, content)
    select gen_random_uuid(), ${organization}::uuid, id, 'user', '' from owner, generate_series(1, ${each}::int)`
  return tenant
})

/** The number of rows of a table that each statement deletes while some work runs, counted by a trigger. */
const deletionsFrom = <A, E, R>(table: "chunks" | "messages", work: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const sql = yield* SystemSql
    const counter = sql.literal(`count_${table}`)
    const transactionId = "select count(*), txid_current() from gone"
    yield* sql`create table if not exists deletions (rows bigint, transaction bigint)`
    yield* sql`create function ${counter}() returns trigger language plpgsql as
      ${sql.literal(`'begin insert into deletions ${transactionId}; return null; end'`)}`
    yield* sql`create trigger ${counter} after delete on ${sql(table)} referencing old table as gone
      for each statement execute function ${counter}()`
    yield* work
    const counted = yield* sql<{ rows: number }>`
      select sum(rows)::int as rows from deletions group by transaction having sum(rows) > 0 order by transaction`
    yield* sql`drop function ${counter} cascade`
    yield* sql`drop table deletions`
    return counted.map(({ rows }) => rows)
  })

const left = Effect.fnUntraced(function* (organization: OrganizationId) {
  const sql = yield* SystemSql
  const counts = yield* sql<{ count: number }>`
    select count(*)::int as count from documents where organization_id = ${organization}
    union all select count(*)::int from chunks where organization_id = ${organization}
    union all select count(*)::int from sessions where organization_id = ${organization}
    union all select count(*)::int from messages where organization_id = ${organization}`
  return counts.map(({ count }) => count)
})

describe("a large deletion is split into transactions of about a thousand rows", () => {
  it("for a chatbot with its conversations and documents", function* () {
    for (const table of ["chunks", "messages"] as const) {
      const { organization, chatbot } = yield* makeLarge(12, 300)
      const counts = yield* deletionsFrom(table, as(organization)((yield* Chatbots).remove(chatbot)))
      expect(counts).toEqual([1_200, 1_200, 1_200])
      expect(yield* left(organization)).toEqual([0, 0, 0, 0])
    }
  })

  it("for a knowledge base, whose larger documents are deleted alone, and whose conversations stay", function* () {
    const { organization, chatbot } = yield* makeLarge(3, 1_500)
    const counts = yield* deletionsFrom("chunks", as(organization)((yield* Documents).remove(chatbot, "all")))
    expect(counts).toEqual([1_500, 1_500, 1_500])
    expect(yield* left(organization)).toEqual([0, 0, 3, 4_500])
  })

  it("but a small one is a single transaction", function* () {
    const { organization, chatbot } = yield* makeLarge(9, 100)
    expect(yield* deletionsFrom("chunks", as(organization)((yield* Chatbots).remove(chatbot)))).toEqual([900])
    expect(yield* left(organization)).toEqual([0, 0, 0, 0])
  })

  it("and deletes nothing of another organization", function* () {
    const [own, other] = [yield* makeTenant, yield* makeLarge(12, 100)]
    const before = yield* left(other.organization)
    yield* Effect.flip(as(own.organization)((yield* Chatbots).remove(other.chatbot)))
    yield* as(own.organization)((yield* Documents).remove(other.chatbot, "all"))
    expect(yield* left(other.organization)).toEqual(before)
  })
})
