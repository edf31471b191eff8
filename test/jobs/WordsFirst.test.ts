import { afterAll, beforeEach, describe, expect } from "bun:test"
import { Duration, Effect, Latch, Layer, ManagedRuntime, type Scope } from "effect"
import { Blobs } from "../../src/blobs/Blobs.ts"
import { Unavailable } from "../../src/domain/Errors.ts"
import { Embeddings, TextRefused } from "../../src/embeddings/Embeddings.ts"
import { Indexer } from "../../src/knowledge/Indexer.ts"
import { Retriever } from "../../src/knowledge/Retriever.ts"
import { Reembeddings } from "../../src/storage/documents/Reembeddings.ts"
import { SystemSql } from "../../src/storage/sql/Database.ts"
import { look, replace, reset, served, settled, startUnhurried, start, type Stored, upload } from "../lib/Ingesting.ts"
import { search } from "../lib/Knowledge.ts"
import {
  countingEmbeddings,
  EmbeddingsControl,
  eventually,
  memoryBlobs,
  platform,
  quiet,
  scriptedExtract,
  storage,
} from "../lib/Layers.ts"
import { as } from "../lib/Tenants.ts"
import { effectTests } from "../lib/EffectTests.ts"

/** A model of meaning, for which the local one stands in. */
const meaning = Layer.effect(
  Embeddings,
  Effect.map(Embeddings, (local) => Embeddings.of({ ...local, model: "large", isSemantic: true })),
).pipe(Layer.provideMerge(countingEmbeddings))

const runtime = ManagedRuntime.make(
  Layer.mergeAll(Indexer.layer, Blobs.layer, search({ indexBytes: 2 ** 24, threshold: undefined })).pipe(
    Layer.provideMerge(Layer.mergeAll(storage, platform, quiet, memoryBlobs, scriptedExtract, meaning)),
  ),
)
type Services = ManagedRuntime.ManagedRuntime.Services<typeof runtime>
const run = <A, E>(effect: Effect.Effect<A, E, Services | Scope.Scope>) => runtime.runPromise(Effect.scoped(effect))
const it = effectTests(run)
afterAll(() => runtime.dispose())
beforeEach(() => run(reset))

const find = Effect.fnUntraced(function* ({ chatbot, organization }: Stored, query: string) {
  return (yield* as(organization)((yield* Retriever).search({ chatbotId: chatbot, query, topK: 3 }))).hits
})
const isFound = (document: Stored, query: string) => eventually(find(document, query), ({ length }) => length > 0)

const models = (document: Stored) =>
  SystemSql.use((sql) =>
    Effect.map(
      sql<{ model: string }>`select distinct embedding_model as model from chunks where document_id = ${document.id}`,
      (rows) => rows.map(({ model }) => model),
    ),
  )

/** The embedding model waits at a gate until the test opens it. */
const gated = Effect.gen(function* () {
  const gate = yield* Latch.make(false)
  const control = yield* EmbeddingsControl
  control.before = gate.await
  return gate
})

const text = Array.from({ length: 300 }, (_, part) => `# Part ${part}\n\nThe lantern${part} is lit at dusk.`).join(
  "\n\n",
)

describe("a new document whose vectors take long", () => {
  it("is found by its words meanwhile, and then by their meaning, each passage embedded once", function* () {
    const gate = yield* gated
    const document = yield* upload(text, "lanterns.md")
    yield* startUnhurried({ wordsAfter: Duration.millis(10) })
    const [early] = yield* isFound(document, "lantern7")
    expect(early).toMatchObject({ content: expect.stringContaining("lantern7 "), scores: { vector: null } })
    const waiting = yield* look(document)
    expect(waiting.status).toBe("embedding")
    expect(waiting.progress).toBeLessThan(1)
    expect(yield* models(document)).toEqual(["none"])
    // It is being embedded already, so nothing else has to do it.
    expect(yield* (yield* Reembeddings).enqueue("large")).toBe(0)
    yield* gate.open
    const ready = yield* settled(document)
    const chunks = yield* served(document)
    expect(ready).toMatchObject({ status: "ready", progress: 1, chunk_count: chunks.length })
    expect(yield* models(document)).toEqual(["large"])
    expect((yield* EmbeddingsControl).embedded).toBe(chunks.length)
    const [late] = yield* find(document, "lantern7")
    expect(late).toMatchObject({
      content: expect.stringContaining("lantern7 "),
      scores: { vector: expect.any(Number) },
    })
  })

  it("is found by its words while the embedding model is unavailable", function* () {
    const control = yield* EmbeddingsControl
    control.before = Effect.fail(new Unavailable({ detail: "Down.", retry_after_seconds: 1 }))
    const document = yield* upload("The lighthouse is closed on Mondays.")
    yield* start({ wordsAfter: Duration.hours(1) })
    yield* isFound(document, "lighthouse")
    control.before = Effect.void
    expect(yield* settled(document)).toMatchObject({ status: "ready", error: null })
    expect(yield* models(document)).toEqual(["large"])
  })

  it("stays found by its words where the embedding model refuses it, with the reason", function* () {
    const gate = yield* gated
    const control = yield* EmbeddingsControl
    control.before = Effect.andThen(gate.await, Effect.fail(new TextRefused()))
    const document = yield* upload("The lighthouse is closed on Mondays.")
    yield* startUnhurried({ wordsAfter: Duration.millis(10) })
    yield* isFound(document, "lighthouse")
    yield* gate.open
    expect(yield* settled(document)).toMatchObject({ status: "ready", error: { code: "embedding_refused" } })
    expect((yield* find(document, "lighthouse")).length).toBe(1)
  })

  it("replaces the content of another only when it has all of its vectors", function* () {
    const document = yield* upload("The old harbour opens at six.")
    yield* start({ wordsAfter: Duration.millis(10) })
    yield* settled(document)
    const gate = yield* gated
    yield* replace(document, "The new harbour opens at seven.")
    yield* eventually(look(document), ({ status }) => status === "embedding")
    yield* eventually(models(document), (all) => all.includes("none"))
    expect(yield* served(document)).toEqual(["The old harbour opens at six."])
    yield* gate.open
    yield* eventually(served(document), ([content]) => content === "The new harbour opens at seven.")
  })
})
