import { afterAll, describe, expect, test } from "bun:test"
import { Effect, Fiber, type FileSystem, Layer, ManagedRuntime, Redacted, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { Reranker, type RerankerSettings, layer } from "../../src/knowledge/Reranker.ts"
import { KnowledgeIndexes } from "../../src/knowledge/search/KnowledgeIndexes.ts"
import { Retriever } from "../../src/knowledge/Retriever.ts"
import { until } from "../lib/Client.ts"
import { defaults } from "../lib/Defaults.ts"
import { type FakeReranker, fakeReranker, fakeRerankerKey, type FormName, forms } from "../lib/FakeReranker.ts"
import { indexing, learn, type Tenant } from "../lib/Knowledge.ts"
import { platform, quiet, storage } from "../lib/Layers.ts"
import { as, makeTenant } from "../lib/Tenants.ts"
import { effectTests } from "../lib/EffectTests.ts"

/** Runs an effect whose time goes on at the test's command only, so that no request is too slow by chance. */
const run = <A, E>(work: Effect.Effect<A, E, Scope.Scope | FileSystem.FileSystem>) =>
  Effect.runPromise(Effect.scoped(Effect.provide(work, [quiet, TestClock.layer(), platform])))
const it = effectTests(run)

const { sentences } = defaults.embeddings

const settingsFor = ({ url }: FakeReranker, settings: Partial<RerankerSettings> = {}): RerankerSettings => ({
  url,
  model: "a-model",
  apiKey: Redacted.make(fakeRerankerKey),
  sentences,
  ...settings,
})

/** The reranker of settings. */
const rerankerOf = (settings: RerankerSettings) =>
  Effect.gen(function* () {
    const reranker = yield* Reranker
    return reranker ?? (yield* Effect.die("there is no reranker"))
  }).pipe(Effect.provide(layer(settings)))

const texts = ["one", "two", "three"]
const ask = (reranker: Effect.Success<ReturnType<typeof rerankerOf>>) => reranker.rerank("which?", texts)

describe("a reranker", () => {
  it("is there only where a service or a model of the server is set, and no model is looked for without", function* () {
    const none = { url: undefined, apiKey: undefined, sentences: { ...sentences, directory: "/nowhere" } }
    expect(yield* Effect.provide(Reranker, layer({ ...none, model: undefined }))).toBeUndefined()
    expect(yield* Effect.provide(Reranker, layer({ ...none, model: "rerank-v3.5" }))).toBeUndefined()
    const { message } = yield* Effect.flip(Effect.provide(Reranker, layer({ ...none, model: "local:rerank" })))
    expect(message).toContain("There is no model in /nowhere/rerank")
  })

  const names: ReadonlyArray<FormName> = ["cohere", "jina", "voyage", "vllm", "llama", "tei"]
  test.each(names)("speaks as %s does", (name) =>
    run(
      Effect.gen(function* () {
        const fake = yield* fakeReranker(name)
        const settings = settingsFor(fake, forms[name].texts === "texts" ? { model: undefined } : {})
        const reranker = yield* rerankerOf(settings)
        fake.scoreOf = (text) => ({ one: 0.5, two: 0.9 })[text] ?? 0.1
        expect((yield* ask(reranker))?.map(({ index }) => index)).toEqual([1, 0, 2])
        expect(fake.requests).toEqual([{ query: "which?", texts }])
        const byWholeUrl = yield* rerankerOf({ ...settings, url: `${fake.url}/rerank/` })
        expect((yield* ask(byWholeUrl))?.map(({ index }) => index)).toEqual([1, 0, 2])
      }),
    ),
  )

  it("keeps the order of passages with the same score", function* () {
    const fake = yield* fakeReranker("cohere")
    fake.scoreOf = () => 0
    expect((yield* ask(yield* rerankerOf(settingsFor(fake))))?.map(({ index }) => index)).toEqual([0, 1, 2])
  })

  const scores = (...items: ReadonlyArray<readonly [unknown, unknown]>) =>
    JSON.stringify({ results: items.map(([index, relevance_score]) => ({ index, relevance_score })) })
  const bad: ReadonlyArray<readonly [why: string, answer: () => Response | Promise<Response>]> = [
    ["a status", () => new Response("", { status: 500 })],
    ["a refused key", () => new Response("", { status: 401 })],
    ["no JSON", () => new Response("<html>")],
    ["no list", () => Response.json({ results: {} })],
    ["null", () => Response.json(null)],
    ["too few scores", () => new Response(scores([0, 1], [1, 1]))],
    ["too many scores", () => new Response(scores([0, 1], [1, 1], [2, 1], [3, 1]))],
    ["the same index twice", () => new Response(scores([0, 1], [1, 1], [1, 1]))],
    ["an index out of range", () => new Response(scores([0, 1], [1, 1], [3, 1]))],
    ["a negative index", () => new Response(scores([0, 1], [1, 1], [-1, 1]))],
    ["an index with a fraction", () => new Response(scores([0, 1], [1, 1], [1.5, 1]))],
    ["an index that is text", () => new Response(scores([0, 1], [1, 1], ["2", 1]))],
    ["a score that is null, as JSON writes NaN", () => new Response(scores([0, 1], [1, 1], [2, Number.NaN]))],
    ["NaN", () => new Response('{"results":[{"index":0,"relevance_score":NaN}]}')],
    [
      "an infinite score",
      () => new Response(scores([0, 1], [1, 1], [2, 0]).replace('"relevance_score":0', '"relevance_score":1e999')),
    ],
    ["a score that is text", () => new Response(scores([0, 1], [1, 1], [2, "1"]))],
    ["an answer that is too long", () => new Response(`[${" ".repeat(5 * 1024 * 1024)}]`)],
  ]
  test.each(bad)("that answers with %s gives no order, and one again afterwards", (_, answer) =>
    run(
      Effect.gen(function* () {
        const fake = yield* fakeReranker("cohere")
        const reranker = yield* rerankerOf(settingsFor(fake))
        fake.misbehave = answer
        expect(yield* ask(reranker)).toBeUndefined()
        fake.misbehave = undefined
        expect(yield* ask(reranker)).toHaveLength(3)
      }),
    ),
  )

  it("that does not answer gives no order once its time is over, and one again afterwards", function* () {
    const fake = yield* fakeReranker("cohere")
    const reranker = yield* rerankerOf(settingsFor(fake))
    fake.misbehave = () => new Promise<Response>(() => {})
    const asking = yield* Effect.forkChild(ask(reranker))
    yield* Effect.promise(() => until(() => fake.requests.length, 1))
    yield* TestClock.adjust("2 seconds")
    expect(yield* Fiber.join(asking)).toBeUndefined()
    fake.misbehave = undefined
    expect(yield* ask(reranker)).toHaveLength(3)
  })

  it("that keeps failing is left alone for a while", function* () {
    const fake = yield* fakeReranker("voyage")
    const reranker = yield* rerankerOf(settingsFor(fake))
    fake.misbehave = () => new Response("", { status: 503 })
    for (let count = 0; count < 6; count++) expect(yield* ask(reranker)).toBeUndefined()
    expect(fake.requests).toHaveLength(3)
    expect(yield* reranker.probe).toBe("It answers with status 503.")
    fake.misbehave = undefined
    expect(yield* reranker.probe).toBeUndefined()
    yield* TestClock.adjust("29 seconds")
    expect(yield* ask(reranker)).toBeUndefined()
    yield* TestClock.adjust("1 second")
    expect(yield* ask(reranker)).toHaveLength(3)
  })

  it("that cannot be reached gives no order", function* () {
    const reranker = yield* rerankerOf({
      url: "http://127.0.0.1:1",
      model: undefined,
      apiKey: undefined,
      sentences,
    })
    expect(yield* ask(reranker)).toBeUndefined()
  })
})

describe("a search with a reranker", () => {
  const runtime = ManagedRuntime.make(
    KnowledgeIndexes.layer({ bytes: 2 ** 26 }).pipe(
      Layer.provideMerge(indexing),
      Layer.provideMerge(Layer.mergeAll(storage, platform, quiet)),
    ),
  )
  type Services = ManagedRuntime.ManagedRuntime.Services<typeof runtime>
  const it = effectTests(<A, E>(effect: Effect.Effect<A, E, Services | Scope.Scope>) =>
    runtime.runPromise(Effect.scoped(effect)),
  )
  afterAll(() => runtime.dispose())

  /** Searches of a chatbot, with the reranker and without it. */
  const searches = ({ chatbot, organization }: Tenant, fake: FakeReranker) => {
    const search = (reranking: ReturnType<typeof layer>) =>
      Effect.fnUntraced(
        function* (query: string, topK: number) {
          const retriever = yield* Retriever
          const { hits } = yield* as(organization)(retriever.search({ chatbotId: chatbot, query, topK }))
          return hits
        },
        Effect.provide(Layer.fresh(Layer.provide(Retriever.layer({ threshold: undefined }), reranking))),
      )
    return {
      reranked: search(layer(settingsFor(fake))),
      plain: search(Layer.succeed(Reranker, undefined)),
      unset: search(layer({ url: undefined, model: undefined, apiKey: undefined, sentences })),
    }
  }

  it("has its order among the first thirty, and that of the fused score after them", function* () {
    const tenant = yield* makeTenant
    const passages = Array.from({ length: 36 }, (_, index) => ({
      text: `The lighthouse ${"keeps its lamp ".repeat(index)}number ${index}.`,
      headings: ["Coast"],
    }))
    yield* learn(tenant, "Lights", passages)
    const fake = yield* fakeReranker("cohere")
    const { plain, reranked, unset } = searches(tenant, fake)
    const fused = (yield* plain("Which lighthouse?", 36)).map(({ ordinal }) => ordinal)
    // Without a reranker, passages, scores and order are those of the fused score.
    expect(yield* unset("Which lighthouse?", 36)).toEqual(yield* plain("Which lighthouse?", 36))
    expect(fake.requests).toEqual([])
    expect(fused).toHaveLength(36)
    const found = yield* reranked("Which lighthouse?", 36)
    expect(found.map(({ ordinal }) => ordinal)).toEqual([...fused.slice(0, 30).toReversed(), ...fused.slice(30)])
    expect(found[0]?.reranked).toEqual({ from: 30, score: 1 })
    expect(found[29]?.reranked).toEqual({ from: 1, score: 1 / 30 })
    expect(found[30]?.reranked).toBeUndefined()
    expect(fake.requests).toHaveLength(1)
    expect(fake.requests[0]?.texts).toHaveLength(30)
    expect(fake.requests[0]?.texts[0]).toMatch(/^Lights\nCoast\nThe lighthouse/)

    // A passage beyond those that are asked for comes first.
    const best = (yield* plain("Which lighthouse?", 30))[8]
    fake.scoreOf = (text) => (best !== undefined && text.endsWith(best.content) ? 1 : 0)
    const [first, second] = yield* reranked("Which lighthouse?", 2)
    expect(first?.ordinal).toBe(best?.ordinal)
    expect(first?.similarity).toBe(best?.similarity ?? 0)
    expect(second?.reranked?.from).toBe(1)
  })

  it("has the order of the fused score where the service gives none, and asks it nothing where nothing is found", function* () {
    const tenant = yield* makeTenant
    yield* learn(tenant, "Tides", [
      { text: "The tide turns at noon." },
      { text: "The tide turns, and the tide turns again." },
      { text: "At noon the bell rings." },
    ])
    const fake = yield* fakeReranker("cohere")
    fake.misbehave = () => Response.json({ results: [{ index: 1, relevance_score: 1 }] })
    const { plain, reranked } = searches(tenant, fake)
    const found = yield* plain("When does the tide turn?", 3)
    expect(found.length).toBeGreaterThan(1)
    expect(yield* reranked("When does the tide turn?", 3)).toEqual(found)
    expect(yield* reranked("Who founded the observatory?", 3)).toEqual([])
    expect(fake.requests).toHaveLength(1)
  })
})
