import { afterAll, describe, expect } from "bun:test"
import { Duration, Effect, Fiber, Latch, Layer, ManagedRuntime } from "effect"
import { Retriever } from "../../../src/knowledge/Retriever.ts"
import { Embeddings } from "../../../src/embeddings/Embeddings.ts"
import { Chunks } from "../../../src/storage/search/Chunks.ts"
import { VectorIndexes } from "../../../src/storage/search/VectorIndexes.ts"
import {
  ChunksCalls,
  countedChunks,
  forget,
  indexing,
  learn,
  relearn,
  search,
  type Tenant,
} from "../../lib/Knowledge.ts"
import { eventually, platform, quiet, storage } from "../../lib/Layers.ts"
import { as, makeTenant } from "../../lib/Tenants.ts"
import { effectTests } from "../../lib/EffectTests.ts"

const MEBIBYTE = 2 ** 20

const runtime = ManagedRuntime.make(
  indexing.pipe(Layer.provideMerge(countedChunks), Layer.provideMerge(Layer.mergeAll(storage, platform, quiet))),
)
const run = runtime.runPromise
const it = effectTests(run)
afterAll(() => runtime.dispose())

/** Passages with a word of their own each; more than these tests let a search read. */
const rooms = Array.from({ length: 40 }, (_, number) => ({ text: `Room quartz${number} has a projector, a window.` }))
const CHUNKS_WITHIN_SEARCH = 15

/** Stands for a new process, which has nothing but the database. */
const process = ({ indexBytes = 64 * MEBIBYTE, longestWait = Duration.minutes(1) } = {}) =>
  search({ indexBytes, threshold: 0, chunksWithinSearch: CHUNKS_WITHIN_SEARCH, longestWait })

const find = ({ organization, chatbot }: Tenant, query: string) =>
  Effect.map(
    Retriever.use((retriever) => as(organization)(retriever.search({ chatbotId: chatbot, query, topK: 5 }))),
    ({ hits }) => hits.map(({ content, similarity }) => `${content} ${similarity.toFixed(1)}`),
  )

const makeLarge = Effect.fnUntraced(function* () {
  const tenant = yield* makeTenant
  const document = yield* learn(tenant, "Rooms", rooms)
  return { tenant, document }
})

/** Repeats a search until an index in memory answers it. */
const findIndexed = Effect.fnUntraced(function* (tenant: Tenant, query: string) {
  const calls = yield* ChunksCalls
  return yield* eventually(
    Effect.suspend(() => {
      calls.clear()
      return find(tenant, query)
    }),
    () => !calls.has("matching") && !calls.has("probe"),
  )
})

/** Whether the database answers a search of the tenant's chatbot, and no index is built for it. */
const isAnsweredByDatabase = Effect.fnUntraced(function* (tenant: Tenant) {
  const calls = yield* ChunksCalls
  calls.clear()
  expect((yield* find(tenant, "quartz7"))[0]).toContain("quartz7 ")
  return calls.has("matching") && !calls.has("lexemes")
})

/** Runs an effect before chunks are read for an index. */
const beforeReading = (effect: Effect.Effect<void>) =>
  Layer.effect(
    Chunks,
    Effect.map(Chunks, (chunks) =>
      Chunks.of({ ...chunks, lexemes: (...args) => Effect.andThen(effect, chunks.lexemes(...args)) }),
    ),
  )

describe("a large search index", () => {
  it("is waited for by all searches that come while it is built, and goes on being built when one of them leaves", function* () {
    const { tenant } = yield* makeLarge()
    const [begun, gate] = [yield* Latch.make(false), yield* Latch.make(false)]
    yield* Effect.gen(function* () {
      const calls = yield* ChunksCalls
      calls.clear()
      const first = yield* Effect.forkChild(find(tenant, "quartz6 projector"))
      yield* begun.await
      const others = yield* Effect.forkChild(Effect.forEach(["quartz7", "quartz8"], (query) => find(tenant, query)))
      yield* Fiber.interrupt(first)
      yield* gate.open
      const found = yield* Fiber.join(others)
      expect(found.map(([best]) => best?.split(" ")[1])).toEqual(["quartz7", "quartz8"])
      expect([calls.get("matching"), calls.get("sample"), calls.get("lexemes")]).toEqual([undefined, undefined, 1])
    }).pipe(Effect.provide(process().pipe(Layer.provide(beforeReading(Effect.andThen(begun.open, gate.await))))))
  })

  it("is waited for briefly: then the database ranks the same passage first until it is built", function* () {
    const { tenant } = yield* makeLarge()
    const gate = yield* Latch.make(false)
    yield* Effect.gen(function* () {
      const calls = yield* ChunksCalls
      calls.clear()
      const before = yield* find(tenant, "quartz7 projector")
      expect(calls.get("matching")).toBe(1)
      expect(before[0]).toContain("quartz7 ")
      yield* gate.open
      const [first] = yield* findIndexed(tenant, "quartz7 projector")
      expect(first).toBe(before[0])
    }).pipe(
      Effect.provide(process({ longestWait: Duration.millis(20) }).pipe(Layer.provide(beforeReading(gate.await)))),
    )
  })

  it("is brought up to date by reading only what is new, and forgets what is gone", function* () {
    const { tenant } = yield* makeLarge()
    yield* Effect.gen(function* () {
      yield* findIndexed(tenant, "quartz7")
      const [doomed, changed] = [
        yield* learn(tenant, "Doomed", [{ text: "The granite hall is new." }]),
        yield* learn(tenant, "Changed", [{ text: "The basalt hall is new." }]),
      ]
      expect((yield* find(tenant, "granite hall"))[0]).toContain("granite")
      yield* relearn(tenant, changed, "Changed", [{ text: "The marble hall is new." }])
      yield* forget(tenant, doomed)
      const calls = yield* ChunksCalls
      calls.clear()
      expect((yield* find(tenant, "marble hall"))[0]).toContain("marble")
      expect(calls.get("lexemes")).toBe(1)
      expect((yield* find(tenant, "granite basalt")).filter((text) => /granite|basalt/.test(text))).toEqual([])
      expect((yield* find(tenant, "quartz7"))[0]).toContain("quartz7 ")
    }).pipe(Effect.provide(process()))
  })

  it("is not built again at once after a failure, and the database answers meanwhile", function* () {
    const { tenant } = yield* makeLarge()
    let builds = 0
    const failure = Effect.suspend(() => Effect.die(new Error(`no chunks, try ${++builds}`)))
    yield* Effect.gen(function* () {
      for (const number of [7, 8, 9]) expect((yield* find(tenant, `quartz${number}`))[0]).toContain(`quartz${number} `)
      expect(builds).toBe(1)
    }).pipe(Effect.provide(process().pipe(Layer.provide(beforeReading(failure)))))
  })

  it("is not built where it would displace one that is in use: the database answers, time after time", function* () {
    const [{ tenant: first }, { tenant: second }] = [yield* makeLarge(), yield* makeLarge()]
    yield* Effect.gen(function* () {
      yield* findIndexed(first, "quartz7")
      for (const tenant of [second, first, second, first, second]) {
        expect(yield* isAnsweredByDatabase(tenant)).toBe(tenant === second)
      }
    }).pipe(Effect.provide(process({ indexBytes: 100_000 })))
  })

  it("that finds no room has the database make its index of vectors, where these express meaning", function* () {
    const tenants = [yield* makeLarge(), yield* makeLarge()]
    // There is room for one of the two indexes.
    for (const [isSemantic, indexBytes] of [
      [true, 120_000],
      [false, 100_000],
    ] as const) {
      let requests = 0
      const request = Effect.sync(() => void requests++)
      const others = Layer.mergeAll(
        Layer.mock(VectorIndexes)({ find: () => undefined, request }),
        Layer.effect(
          Embeddings,
          Effect.map(Embeddings, (local) => ({ ...local, isSemantic })),
        ),
      )
      yield* Effect.gen(function* () {
        for (const { tenant } of tenants) yield* find(tenant, "quartz7")
        expect(requests).toBe(isSemantic ? 1 : 0)
      }).pipe(Effect.provide(process({ indexBytes }).pipe(Layer.provide(others))))
    }
  })
})
