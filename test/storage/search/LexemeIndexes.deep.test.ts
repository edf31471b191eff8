import { afterAll, expect, test } from "bun:test"
import { Effect, Layer, ManagedRuntime } from "effect"
import { unpack } from "../../../src/storage/search/ChunkPacks.ts"
import { Chunks } from "../../../src/storage/search/Chunks.ts"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import { LexemeIndexes } from "../../../src/storage/search/LexemeIndexes.ts"
import { forget, indexing, learn, search, type Tenant } from "../../lib/Knowledge.ts"
import { eventually, platform, storage } from "../../lib/Layers.ts"
import { as, makeTenant } from "../../lib/Tenants.ts"
import { Retriever } from "../../../src/knowledge/Retriever.ts"
import { effectTests } from "../../lib/EffectTests.ts"

/** A search whose indexes in memory have no room. */
const searching = search({ indexBytes: 1, threshold: 0 })
const runtime = ManagedRuntime.make(
  searching.pipe(Layer.provideMerge(indexing), Layer.provideMerge(Layer.merge(storage, platform))),
)
const run = runtime.runPromise
const it = effectTests(run)
afterAll(() => runtime.dispose())

/** The index of words of a chatbot: its object id, which changes when it is built again, and whether it is valid. */
const indexesOf = ({ chatbot }: Tenant) =>
  SystemSql.use(
    (sql) => sql<{ id: string; isValid: boolean }>`
      select indexrelid::text as id, indisvalid as "isValid" from pg_index
      where indexrelid = to_regclass(${`chunks_lexemes_${chatbot.replaceAll("-", "")}`})`,
  )

/** So many passages that Postgres prefers an index. Each has a word of its own, and words that many have. */
const rooms = Array.from({ length: 400 }, (_, number) => ({
  text: `Room quartz${number} has a projector, and ${number % 3 === 0 ? "a window" : "no daylight"}.`,
}))

const find = ({ organization, chatbot }: Tenant, query: string) =>
  Effect.map(
    Retriever.use((retriever) => as(organization)(retriever.search({ chatbotId: chatbot, query, topK: 10 }))),
    ({ hits }) => hits.map(({ content, similarity }) => [content, similarity.toFixed(4)]),
  )

/** More chunks than any chatbot has. */
const NEVER = Number.MAX_SAFE_INTEGER
const maintain = LexemeIndexes.use((indexes) => indexes.maintain(NEVER))
const another = Layer.fresh(LexemeIndexes.layer)

it("a chatbot that is searched without an index in memory gets one in the database, with the same results", function* () {
  const [large, unsearched] = [yield* makeTenant, yield* makeTenant]
  for (const tenant of [large, unsearched]) yield* learn(tenant, "Rooms", rooms)
  const questions = ["quartz7", "quartz399 projector", "which room has quartz12 and quartz13?", "daylight quartz2"]
  const before = yield* Effect.forEach(questions, (question) => find(large, question))
  expect(before.map(([first]) => first?.[0])).toEqual([
    expect.stringContaining("quartz7 "),
    expect.stringContaining("quartz399 "),
    expect.stringMatching(/quartz1[23] /),
    expect.stringContaining("quartz2 "),
  ])
  expect(yield* indexesOf(large)).toEqual([])
  yield* maintain
  expect(yield* indexesOf(large)).toEqual([{ id: expect.any(String), isValid: true }])
  expect(yield* indexesOf(unsearched)).toEqual([])
  yield* SystemSql.use((sql) => sql`analyze chunks`)
  expect(yield* Effect.forEach(questions, (question) => find(large, question))).toEqual(before)
})

it("a chatbot that has grown large gets an index of words before it is searched", function* () {
  const [large, small] = [yield* makeTenant, yield* makeTenant]
  yield* learn(large, "Rooms", rooms)
  yield* learn(small, "Rooms", rooms.slice(1))
  yield* LexemeIndexes.use((indexes) => indexes.maintain(rooms.length))
  expect(yield* indexesOf(large)).toEqual([{ id: expect.any(String), isValid: true }])
  expect(yield* indexesOf(small)).toEqual([])
})

it("a tenant's search uses the index of words, which shows nothing of other tenants", function* () {
  const [mine, theirs] = [yield* makeTenant, yield* makeTenant]
  yield* learn(theirs, "Rooms", rooms)
  yield* find(theirs, "quartz7")
  yield* maintain
  const sql = yield* SystemSql
  yield* sql`analyze chunks`
  const matching = (tenant: Tenant) =>
    Chunks.use((chunks) =>
      Effect.map(
        as(tenant.organization)(
          chunks.matching(theirs.chatbot, { best: "quartz7", next: undefined, room: 5, scannedMax: 100 }),
        ),
        (pack) => Array.from(unpack(pack)),
      ),
    )
  expect(yield* matching(theirs)).toHaveLength(1)
  expect(yield* matching(mine)).toEqual([])
  const scans = Effect.map(
    sql<{ scans: number }>`
      select pg_stat_get_numscans(indexrelid)::int as scans from pg_index
      where indexrelid = to_regclass(${`chunks_lexemes_${theirs.chatbot.replaceAll("-", "")}`})`,
    ([row]) => row?.scans ?? 0,
  )
  // Postgres reports its statistics when it is idle.
  yield* eventually(Effect.andThen(matching(theirs), scans), (count) => count > 0)
})

it("a search by an index of words finds nothing that is not published yet, and nothing of a deleted document", function* () {
  const tenant = yield* makeTenant
  const first = yield* learn(tenant, "Rooms", [{ text: "The basilisk sleeps." }])
  yield* find(tenant, "basilisk")
  yield* maintain
  expect(yield* indexesOf(tenant)).toEqual([{ id: expect.any(String), isValid: true }])
  yield* learn(tenant, "Draft", [{ text: "The basilisk wakes." }], false)
  expect((yield* find(tenant, "basilisk")).map(([content]) => content)).toEqual(["The basilisk sleeps."])
  yield* learn(tenant, "More", [{ text: "The basilisk eats." }])
  expect((yield* find(tenant, "basilisk")).map(([content]) => content).toSorted()).toEqual([
    "The basilisk eats.",
    "The basilisk sleeps.",
  ])
  yield* forget(tenant, first)
  expect((yield* find(tenant, "basilisk")).map(([content]) => content)).toEqual(["The basilisk eats."])
})

it("two processes that build the same index of words at the same time build it once", function* () {
  const tenant = yield* makeTenant
  yield* learn(tenant, "Rooms", rooms)
  const process = Effect.gen(function* () {
    const indexes = yield* LexemeIndexes
    yield* indexes.request(tenant.chatbot)
    // A process that finds the other at work tries again later.
    yield* Effect.repeat(indexes.maintain(NEVER), { times: 3 })
  }).pipe(Effect.provide(another))
  const first = yield* Effect.andThen(
    Effect.all([process, process, process], { concurrency: "unbounded" }),
    indexesOf(tenant),
  )
  expect(first).toEqual([{ id: expect.any(String), isValid: true }])
  yield* process
  expect(yield* indexesOf(tenant)).toEqual(first)
})

it("documents that are ingested while an index of words is built are found", function* () {
  const tenant = yield* makeTenant
  yield* learn(tenant, "Rooms", rooms)
  yield* find(tenant, "quartz1")
  const names = Array.from({ length: 12 }, (_, number) => `granite${number}`)
  yield* Effect.all(
    [maintain, Effect.forEach(names, (name) => learn(tenant, name, [{ text: `The ${name} room is new.` }]))],
    { concurrency: "unbounded" },
  )
  expect((yield* indexesOf(tenant)).map(({ isValid }) => isValid)).toEqual([true])
  for (const name of names) {
    expect((yield* find(tenant, name)).map(([content]) => content)).toEqual([`The ${name} room is new.`])
  }
})

it("an unfinished index of words is built again, and that of a deleted chatbot is dropped", function* () {
  const tenant = yield* makeTenant
  yield* learn(tenant, "Rooms", rooms)
  yield* find(tenant, "quartz1")
  yield* maintain
  const [made] = yield* indexesOf(tenant)
  const sql = yield* SystemSql
  // The state after the process that was building it was killed.
  yield* sql`update pg_index set indisvalid = false where indexrelid = ${made?.id}::oid`
  yield* LexemeIndexes.use((indexes) => indexes.request(tenant.chatbot))
  yield* maintain
  const [again] = yield* indexesOf(tenant)
  expect(again?.isValid).toBe(true)
  expect(again?.id).not.toBe(made?.id)
  yield* sql`delete from chatbots where id = ${tenant.chatbot}`
  yield* maintain
  expect(yield* indexesOf(tenant)).toEqual([])
  // No index is built for a chatbot that was deleted after the request.
  yield* LexemeIndexes.use((indexes) => indexes.request(tenant.chatbot))
  yield* maintain
  expect(yield* indexesOf(tenant)).toEqual([])
})

test("the maintenance builds an index of words as soon as it is requested", () =>
  run(
    Effect.gen(function* () {
      const tenant = yield* makeTenant
      yield* learn(tenant, "Rooms", rooms)
      yield* Effect.forkScoped(LexemeIndexes.use((indexes) => indexes.keep(NEVER)))
      yield* find(tenant, "quartz1")
      yield* eventually(indexesOf(tenant), ([index]) => index?.isValid === true)
    }).pipe(Effect.scoped),
  ))
