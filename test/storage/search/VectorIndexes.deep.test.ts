import { afterAll, describe, expect } from "bun:test"
import { Effect, Layer, ManagedRuntime } from "effect"
import { SqlClient } from "effect/sql"
import { Chunks } from "../../../src/storage/search/Chunks.ts"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import { Documents } from "../../../src/storage/documents/Documents.ts"
import { type LeastSize, type VectorIndex, VectorIndexes } from "../../../src/storage/search/VectorIndexes.ts"
import type { Tenant } from "../../lib/Knowledge.ts"
import { platform, storage } from "../../lib/Layers.ts"
import { as, contentOf, makeTenant, newDocumentId } from "../../lib/Tenants.ts"
import { effectTests } from "../../lib/EffectTests.ts"

const LEAST = 150
/** Of chatbots that are large enough to be searched by an index, all get one. */
const ALL = { chunks: LEAST, numbers: 1 }
/** None of these tests has so large a chatbot. */
const NONE = { chunks: 1_000_000_000, numbers: 1_000_000_000 }
/** So many that a server of Postgres prefers the index, which the embedded one never uses. */
const LARGE = process.env["DATABASE_URL"] === undefined ? 1_800 : 19_800
const runtime = ManagedRuntime.make(
  Layer.fresh(VectorIndexes.layer({ leastChunks: LEAST })).pipe(Layer.provideMerge(Layer.merge(storage, platform))),
)
const run = runtime.runPromise
const it = effectTests(run)
afterAll(() => runtime.dispose())

/** A name with a quote, because the name of a model becomes a part of statements. */
const MODEL = "test:o'model"
const DIMENSIONS = 24
const NEAREST = 10
const QUESTIONS = 40

/** Adds a serving document of this many chunks, whose vectors are spread evenly. */
const grow = Effect.fnUntraced(function* ({ organization, chatbot }: Tenant, chunks: number) {
  const sql = yield* SystemSql
  const id = yield* newDocumentId
  yield* as(organization)((yield* Documents).add(id, chatbot, contentOf(crypto.randomUUID())))
  yield* sql`
    update documents set revision = 1, status = 'ready', chunk_count = ${chunks}, embedding_model = ${MODEL}
    where id = ${id}`
  yield* sql`
    insert into chunks (id, organization_id, chatbot_id, document_id, revision, ordinal, title, headings, content,
      language, lexemes, embedding, embedding_model)
    select gen_random_uuid(), ${organization}, ${chatbot}, ${id}, 1, number, '', '{}', '', 'simple', '',
      (select array_agg(random() - 0.5) from generate_series(1, ${DIMENSIONS} + 0 * number))::vector, ${MODEL}
    from generate_series(1, ${chunks}) as number`
})

const vectors = Array.from({ length: QUESTIONS }, (_, question) =>
  Float32Array.from({ length: DIMENSIONS }, (_value, place) => Math.sin(1 + 7 * question + place * (question + 3))),
)

const nearest = Effect.fnUntraced(function* (
  { organization, chatbot }: Tenant,
  embedding: Float32Array,
  index: VectorIndex | undefined,
  isForced = index !== undefined,
) {
  const sql = yield* SqlClient.SqlClient
  const chunks = yield* Chunks
  const compared = chunks.cosines({
    chatbotId: chatbot,
    chunks: [],
    embedding,
    embeddingModel: MODEL,
    nearest: NEAREST,
    index,
  })
  const found = yield* as(organization)(
    sql.withTransaction(
      Effect.gen(function* () {
        // Without this, the planner would sort all vectors of a small tenant, which is exact.
        if (isForced) yield* sql`set local enable_sort = off`
        return yield* compared
      }),
    ),
  )
  return Array.from(found.keys())
})

describe("an index of vectors", () => {
  it("finds the nearest vectors of a tenant with a small share of the table, and none of other tenants", function* () {
    const [small, large] = [yield* makeTenant, yield* makeTenant]
    yield* grow(small, 200)
    yield* grow(large, LARGE)
    for (let number = 0; number < 150; number++) yield* grow(yield* makeTenant, 1)
    const sql = yield* SystemSql
    yield* sql`analyze chunks`
    yield* sql`analyze documents`
    const indexes = yield* VectorIndexes
    const wanted = { model: MODEL, dimensions: DIMENSIONS, chunks: 200 }
    expect(indexes.find(wanted)).toBeUndefined()
    // The embedded database has the index too, but not the settings that make a server use it.
    const index = process.env["DATABASE_URL"] === undefined ? undefined : yield* made(indexes)
    if (index !== undefined) {
      // Each search of the large one uses it. A plan for any chatbot would suit those that have a few chunks.
      const tenant = yield* SqlClient.SqlClient
      const report = as(large.organization)(tenant`select pg_stat_force_next_flush()`)
      yield* report
      const before = yield* scans
      for (const vector of vectors) expect(yield* nearest(large, vector, index, false)).toHaveLength(NEAREST)
      yield* report
      expect((yield* scans) - before).toBe(QUESTIONS)
    }
    let found = 0
    for (const vector of vectors) {
      const exact = yield* nearest(small, vector, undefined)
      expect(exact).toHaveLength(NEAREST)
      const indexed = yield* nearest(small, vector, index)
      expect(indexed).toHaveLength(NEAREST)
      found += indexed.filter((id) => exact.includes(id)).length
    }
    expect(found / (NEAREST * QUESTIONS)).toBeGreaterThanOrEqual(0.95)
  })

  /** The number of searches by an index of vectors so far, as sessions have reported it. */
  const scans = SystemSql.use(
    (sql) => sql<{ scans: number }>`
      select sum(idx_scan)::int as scans from pg_stat_user_indexes where starts_with(indexrelname, 'chunks_nearest')`,
  ).pipe(Effect.map(([row]) => row?.scans ?? 0))

  const made = Effect.fnUntraced(function* (indexes: VectorIndexes["Service"]) {
    yield* indexes.build(MODEL, ALL)
    const wanted = { model: MODEL, dimensions: DIMENSIONS, chunks: LEAST }
    const index = indexes.find(wanted)
    expect(index).toEqual({ model: MODEL, dimensions: DIMENSIONS, type: "vector" })
    expect(indexes.find({ ...wanted, chunks: LEAST - 1 })).toBeUndefined()
    expect(indexes.find({ ...wanted, dimensions: DIMENSIONS + 1 })).toBeUndefined()
    expect(indexes.find({ ...wanted, model: "test:other" })).toBeUndefined()
    const sql = yield* SystemSql
    const names = sql`select indexrelid::text from pg_index where indrelid = 'chunks'::regclass`
    const before = yield* names
    yield* indexes.build(MODEL, ALL)
    expect(yield* names).toEqual(before)
    return index
  })

  it("is built only when a chatbot is large enough, with half precision for vectors of many dimensions", function* () {
    const tenant = yield* makeTenant
    const indexes = yield* VectorIndexes
    const sql = yield* SystemSql
    yield* grow(tenant, LEAST - 1)
    yield* sql`update chunks set embedding_model = 'test:wide',
      embedding = array_fill(ordinal::float4, array[3000])::vector where chatbot_id = ${tenant.chatbot}`
    yield* sql`update documents set embedding_model = 'test:wide' where chatbot_id = ${tenant.chatbot}`
    const wanted = { model: "test:wide", dimensions: 3_000, chunks: LEAST }
    yield* indexes.build("test:wide", ALL)
    expect(indexes.find(wanted)).toBeUndefined()
    yield* sql`update documents set chunk_count = ${LEAST} where chatbot_id = ${tenant.chatbot}`
    if (process.env["DATABASE_URL"] !== undefined) {
      yield* indexes.build("test:wide", ALL)
      expect(indexes.find(wanted)).toEqual({ model: "test:wide", dimensions: 3_000, type: "halfvec" })
    }
    expect(indexes.find({ ...wanted, dimensions: 4_001 })).toBeUndefined()
  })

  it("is built from so many chunks or numbers on, and for a smaller chatbot when it is requested", function* () {
    const tenant = yield* makeTenant
    const sql = yield* SystemSql
    yield* grow(tenant, LEAST)
    const isBuiltFrom = Effect.fnUntraced(function* (least: LeastSize, isRequested = false) {
      const model = `test:${crypto.randomUUID()}`
      yield* sql`update chunks set embedding_model = ${model} where chatbot_id = ${tenant.chatbot}`
      yield* sql`update documents set embedding_model = ${model} where chatbot_id = ${tenant.chatbot}`
      return yield* Effect.gen(function* () {
        const indexes = yield* VectorIndexes
        if (isRequested) yield* indexes.request
        yield* indexes.build(model, least)
        return indexes.find({ model, dimensions: DIMENSIONS, chunks: LEAST }) !== undefined
      }).pipe(Effect.provide(Layer.fresh(VectorIndexes.layer({ leastChunks: LEAST }))))
    })
    expect(yield* isBuiltFrom({ ...NONE, chunks: LEAST })).toBe(true)
    expect(yield* isBuiltFrom({ ...NONE, numbers: LEAST * DIMENSIONS })).toBe(true)
    expect(yield* isBuiltFrom({ chunks: LEAST + 1, numbers: LEAST * DIMENSIONS + 1 })).toBe(false)
    expect(yield* isBuiltFrom(NONE, true)).toBe(true)
  })
})
