import { afterAll, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test"
import { Duration, Effect, Exit, Latch, Layer, ManagedRuntime, Scope } from "effect"
import { TestClock } from "effect/testing"
import { Unavailable } from "../../src/domain/Errors.ts"
import { Embeddings, TextRefused } from "../../src/embeddings/Embeddings.ts"
import { Indexer } from "../../src/knowledge/Indexer.ts"
import { Retriever } from "../../src/knowledge/Retriever.ts"
import * as Reembedding from "../../src/jobs/Reembedding.ts"
import { SystemSql } from "../../src/storage/sql/Database.ts"
import { Reembeddings } from "../../src/storage/documents/Reembeddings.ts"
import { fakeVector } from "../lib/FakeEmbeddings.ts"
import { learn, relearn, search, type Tenant } from "../lib/Knowledge.ts"
import { eventually, platform, quiet, storage } from "../lib/Layers.ts"
import { as, makeTenant } from "../lib/Tenants.ts"
import { databaseTraits } from "../lib/Defaults.ts"
import { effectTests } from "../lib/EffectTests.ts"

setDefaultTimeout(180_000)

const runtime = ManagedRuntime.make(Layer.mergeAll(storage, platform, quiet))
type Services = ManagedRuntime.ManagedRuntime.Services<typeof runtime>
const run = <A, E>(effect: Effect.Effect<A, E, Services | Scope.Scope>) => runtime.runPromise(Effect.scoped(effect))
const it = effectTests(run)
afterAll(() => runtime.dispose())
beforeEach(() =>
  run(SystemSql.use((sql) => Effect.andThen(sql`delete from documents`, sql`delete from embedding_setting`))),
)

interface Model {
  readonly layer: Layer.Layer<Embeddings>
  readonly texts: Array<string>
  before: Effect.Effect<void, Unavailable | TextRefused>
}

/** Makes an embedding model that records the texts it embeds. */
const makeModel = (name: string, dimensions: number): Model => {
  const vectorOf = (text: string) => Float32Array.from(fakeVector(text, dimensions))
  const model: Model = {
    texts: [],
    before: Effect.void,
    layer: Layer.succeed(Embeddings, {
      model: name,
      weight: 0.5,
      isSemantic: true,
      unrelatedCosine: 0.2,
      embedQuery: (text) => Effect.sync(() => vectorOf(text)),
      embedDocuments: (texts) =>
        Effect.suspend(() => model.before).pipe(
          Effect.andThen(
            Effect.sync(() => {
              model.texts.push(...texts)
              return texts.map(vectorOf)
            }),
          ),
        ),
    }),
  }
  return model
}

const old = makeModel("old", 3)

/** Starts a process that embeds again until the scope closes. */
const start = (model: Model, lease = Duration.minutes(5)) =>
  Layer.build(Layer.fresh(Reembedding.layer(lease)).pipe(Layer.provide(model.layer)))

const learnOld = (tenant: Tenant, title: string, passages: number) =>
  learn(
    tenant,
    title,
    Array.from({ length: passages }, (_, index) => ({ text: `${title} passage number${index}`, headings: ["Part"] })),
  ).pipe(Effect.provide(Layer.fresh(Indexer.layer).pipe(Layer.provide(old.layer))))

const vectors = SystemSql.use(
  (sql) => sql<{ model: string; dimensions: number; chunks: number }>`
    select embedding_model as model, embedding_dimensions as dimensions, count(*)::int as chunks from chunks
    group by 1, 2 order by 1`,
)
const queued = SystemSql.use((sql) =>
  Effect.map(sql<{ n: number }>`select count(*)::int as n from reembeddings`, ([row]) => row?.n ?? -1),
)
const allBy = (model: string) =>
  Effect.andThen(
    eventually(vectors, (rows) => rows.every((row) => row.model === model)),
    eventually(queued, (count) => count === 0),
  )
const find = (tenant: Tenant, query: string, model: Model) =>
  Effect.map(
    as(tenant.organization)(
      Retriever.use((retriever) => retriever.search({ chatbotId: tenant.chatbot, query, topK: 5 })),
    ).pipe(Effect.provide(search({ indexBytes: 50_000_000, threshold: undefined }).pipe(Layer.provide(model.layer)))),
    ({ hits }) => hits,
  )

describe("after a change of the embedding model", () => {
  it("all chunks are embedded again, each once, by several processes, and stay searchable by their words", function* () {
    const [first, second] = [yield* makeTenant, yield* makeTenant]
    yield* learnOld(first, "lighthouse", 150)
    for (const title of ["anchor", "compass", "rudder"]) yield* learnOld(second, title, 3)
    // 4,096 is the maximum; such a vector exceeds a page of the database.
    const model = makeModel("new", 4_096)
    const gate = yield* Latch.make(false)
    model.before = gate.await
    yield* start(model)
    yield* start(model)
    const before = yield* find(second, "anchor", model)
    expect(before[0]).toMatchObject({ title: "anchor", scores: { vector: null } })
    yield* gate.open
    yield* allBy("new")
    expect(yield* vectors).toEqual([{ model: "new", dimensions: 4_096, chunks: 159 }])
    expect(model.texts.toSorted()).toEqual(old.texts.toSorted())
    const after = yield* find(second, "anchor", model)
    expect(after[0]?.title).toBe("anchor")
    expect(after[0]?.scores.vector).toBeGreaterThan(0.1)
  })

  it("another process continues after the last batch of one that ended", function* () {
    const tenant = yield* makeTenant
    yield* learnOld(tenant, "long", 200)
    const model = makeModel("new", 3)
    const reached = yield* Latch.make(false)
    model.before = Effect.suspend(() =>
      model.texts.length < 64 ? Effect.void : Effect.andThen(reached.open, Effect.never),
    )
    const scope = yield* Scope.make()
    yield* Scope.provide(start(model), scope)
    yield* reached.await
    yield* Scope.close(scope, Exit.void)
    expect(yield* vectors).toMatchObject([
      { model: "new", chunks: 64 },
      { model: "old", chunks: 136 },
    ])
    model.before = Effect.void
    yield* start(model)
    yield* allBy("new")
    expect(model.texts).toHaveLength(200)
  })

  it("documents may be replaced or deleted meanwhile", function* () {
    const tenant = yield* makeTenant
    const replaced = yield* learnOld(tenant, "replaced", 2)
    const deleted = yield* learnOld(tenant, "deleted", 2)
    const model = makeModel("new", 3)
    const [reached, gate] = [yield* Latch.make(false), yield* Latch.make(false)]
    model.before = Effect.andThen(reached.open, gate.await)
    yield* start(model)
    yield* reached.await
    yield* relearn(tenant, replaced, "replaced", [{ text: "quite another text" }]).pipe(
      Effect.provide(Layer.fresh(Indexer.layer).pipe(Layer.provide(old.layer))),
    )
    yield* SystemSql.use((sql) => sql`delete from documents where id = ${deleted}`)
    yield* gate.open
    // The replacement came from a process that still has the old model, so a later look finds it.
    yield* eventually(queued, (count) => count === 0)
    yield* (yield* Reembeddings).enqueue("new")
    yield* start(model)
    yield* allBy("new")
    expect((yield* vectors).map(({ chunks }) => chunks)).toEqual([1])
  })
})

describe("an embedding provider that", () => {
  it("is unavailable delays documents, and loses none", function* () {
    const tenant = yield* makeTenant
    yield* learnOld(tenant, "patient", 2)
    const model = makeModel("new", 3)
    const asked = yield* Latch.make(false)
    model.before = Effect.andThen(asked.open, Effect.fail(new Unavailable({ detail: "No.", retry_after_seconds: 1 })))
    yield* start(model)
    yield* asked.await
    expect((yield* find(tenant, "patient", model))[0]?.title).toBe("patient")
    model.before = Effect.void
    yield* allBy("new")
  })

  it("refuses a passage does not keep other documents from being embedded", function* () {
    const [first, second] = [yield* makeTenant, yield* makeTenant]
    yield* learnOld(first, "poison", 1)
    yield* learnOld(second, "harmless", 1)
    const model = makeModel("new", 3)
    let isFirst = true
    model.before = Effect.suspend(() => {
      const fails = isFirst
      isFirst = false
      return fails ? Effect.fail(new TextRefused()) : Effect.void
    })
    yield* start(model)
    yield* eventually(vectors, (rows) => rows.some((row) => row.model === "new"))
    yield* eventually(queued, (count) => count === 1)
  })
})

it("the knowledge version of a chatbot grows with each document that is embedded again, so that indexes are rebuilt", function* () {
  const tenant = yield* makeTenant
  yield* learnOld(tenant, "One", 3)
  yield* learnOld(tenant, "Two", 3)
  const version = SystemSql.use((sql) =>
    Effect.map(
      sql<{ version: bigint }>`select knowledge_version as version from chatbots where id = ${tenant.chatbot}`,
      ([row]) => row?.version,
    ),
  )
  const before = yield* version
  yield* start(makeModel("moved", 5))
  yield* allBy("moved")
  yield* eventually(queued, (documents) => documents === 0)
  expect(yield* version).toBe((before ?? 0n) + 2n)
})

it("a process with another model than the one that started last embeds nothing again", function* () {
  const reembeddings = yield* Reembeddings
  const lease = { id: crypto.randomUUID(), duration: Duration.minutes(1) }
  yield* learnOld(yield* makeTenant, "contested", 1)
  yield* reembeddings.declare("older")
  yield* reembeddings.declare("newest")
  expect(yield* reembeddings.enqueue("older")).toBe(0)
  expect(yield* reembeddings.enqueue("newest")).toBe(1)
  expect(yield* reembeddings.claim("older", lease)).toBeUndefined()
  expect(yield* reembeddings.claim("newest", lease)).toBeDefined()
})

test("embedding again starts even if its first statement fails", () =>
  Effect.gen(function* () {
    let [starts, looks] = [0, 0]
    const reembeddings = Layer.mock(Reembeddings)({
      declare: () => Effect.suspend(() => (++starts < 3 ? Effect.die(new Error("read-only")) : Effect.void)),
      enqueue: () => Effect.sync(() => ++looks && 0),
      claim: () => Effect.undefined,
    })
    yield* start(old).pipe(Effect.provide(Layer.mergeAll(reembeddings, platform, databaseTraits({ isAlone: false }))))
    yield* TestClock.adjust("1 hour")
    expect(starts).toBe(3)
    expect(looks).toBeGreaterThan(0)
  }).pipe(Effect.scoped, Effect.provide([TestClock.layer(), quiet]), Effect.runPromise))
