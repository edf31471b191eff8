import { afterAll, beforeAll, expect, test } from "bun:test"
import { Duration, Effect, Layer, ManagedRuntime } from "effect"
import { ingestionTable } from "../../../src/storage/documents/Ingestions.ts"
import { reembeddingTable } from "../../../src/storage/documents/Reembeddings.ts"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import { makeLeaseQueue } from "../../../src/storage/sql/LeaseQueue.ts"
import { platform, storage } from "../../lib/Layers.ts"
import { makeTenant } from "../../lib/Tenants.ts"

const runtime = ManagedRuntime.make(Layer.merge(storage, platform))
const run = runtime.runPromise
afterAll(() => runtime.dispose())

beforeAll(() =>
  run(
    Effect.gen(function* () {
      const sql = yield* SystemSql
      const { chatbot, organization } = yield* makeTenant
      yield* sql`insert into documents
          (id, organization_id, chatbot_id, name, content_type, size_bytes, sha256, blob_key, status)
        select gen_random_uuid(), ${organization}, ${chatbot}, 'a', 'text/plain', 1, n::text, n::text, 'queued'
        from generate_series(1, 3000) n`
      yield* sql`insert into ingestions
          (document_id, organization_id, chatbot_id, name, content_type, size_bytes, sha256, blob_key)
        select id, organization_id, chatbot_id, name, content_type, size_bytes, sha256, blob_key from documents`
      yield* sql`insert into reembeddings (document_id, organization_id, turn)
        select id, organization_id, row_number() over () from documents`
      for (const table of ["documents", "ingestions", "reembeddings"]) yield* sql`analyze ${sql(table)}`
    }),
  ),
)

test.each([ingestionTable, reembeddingTable])(
  "a claim finds the next job of $table by an index, without sorting",
  (description) =>
    run(
      Effect.gen(function* () {
        const sql = yield* SystemSql
        const { claim } = yield* makeLeaseQueue(description)
        const join = sql`join documents d on d.id = q.document_id`
        const lease = { id: crypto.randomUUID(), duration: Duration.minutes(1) }
        const rows = yield* sql<{ "QUERY PLAN": string }>`explain ${claim(lease, { join })}`
        const plan = rows.map((row) => row["QUERY PLAN"]).join("\n")
        expect(plan).toContain(`Index Scan using ${description.table}_turn on ${description.table}`)
        expect(plan).not.toMatch(/Sort|Seq Scan on (ingestions|reembeddings|documents)/)
      }),
    ),
)
