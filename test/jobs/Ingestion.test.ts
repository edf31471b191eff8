import { afterAll, beforeEach, describe, expect, test } from "bun:test"
import { Effect, ManagedRuntime, type Scope } from "effect"
import { TextRefused } from "../../src/embeddings/Embeddings.ts"
import { ExtractionFailed } from "../../src/readers/Extract.ts"
import { SystemSql } from "../../src/storage/sql/Database.ts"
import { Documents } from "../../src/storage/documents/Documents.ts"
import { Ingestions } from "../../src/storage/documents/Ingestions.ts"
import {
  die,
  gated,
  ingestionNeeds,
  look,
  replace,
  reset,
  served,
  settled,
  start,
  startUnhurried,
  storedChunks,
  upload,
  workerIsFree,
} from "../lib/Ingesting.ts"
import { BlobControl, diskFull, EmbeddingsControl, eventually, ExtractControl, plainExtract } from "../lib/Layers.ts"
import { as } from "../lib/Tenants.ts"
import { effectTests } from "../lib/EffectTests.ts"

const runtime = ManagedRuntime.make(ingestionNeeds)
type Services = ManagedRuntime.ManagedRuntime.Services<typeof runtime>
const run = <A, E>(effect: Effect.Effect<A, E, Services | Scope.Scope>) => runtime.runPromise(Effect.scoped(effect))
const it = effectTests(run)
afterAll(() => runtime.dispose())
beforeEach(() => run(reset))

describe("a file", () => {
  it("becomes searchable chunks, all at once, each of them embedded once", function* () {
    const text = Array.from({ length: 200 }, (_, index) => `# Part ${index}\n\nSentence number ${index}.`).join("\n\n")
    const document = yield* upload(text, "long.md")
    const embeddings = yield* EmbeddingsControl
    const seen: Array<number> = []
    embeddings.before = served(document).pipe(
      Effect.map((chunks) => void seen.push(chunks.length)),
      Effect.orDie,
      Effect.provideService(SystemSql, yield* SystemSql),
    )
    yield* start()
    const ready = yield* settled(document)
    expect(ready).toMatchObject({ status: "ready", progress: 1, error: null })
    const chunks = yield* served(document)
    expect(chunks.join("\n")).toContain("Sentence number 199.")
    expect([ready.chunk_count, embeddings.embedded]).toEqual([chunks.length, chunks.length])
    expect(seen.length).toBeGreaterThan(0)
    expect(new Set(seen)).toEqual(new Set([0]))
  })

  it("that cannot be read fails with a reason, and is not tried again", function* () {
    const extract = yield* ExtractControl
    extract.extract = () =>
      Effect.fail(new ExtractionFailed({ code: "password_protected", message: "It has a password." }))
    const document = yield* upload("locked")
    yield* start()
    const failed = yield* settled(document)
    expect(failed).toMatchObject({
      status: "failed",
      error: { code: "password_protected", message: "It has a password." },
    })
    extract.extract = plainExtract
    yield* workerIsFree
    expect(extract.names).toHaveLength(2)
  })

  test.each([
    ["no_text", "   ", "blank.txt"],
    ["unsupported_format", "MZ\u0000\u0000", "program.exe"],
  ])("fails with %s", (code, text, name) =>
    run(
      Effect.gen(function* () {
        const document = yield* upload(text, name)
        yield* start()
        expect(yield* settled(document)).toMatchObject({ status: "failed", error: { code } })
      }),
    ),
  )

  it("with a passage that the embedding model refuses fails with that reason", function* () {
    const embeddings = yield* EmbeddingsControl
    embeddings.before = Effect.fail(new TextRefused())
    const document = yield* upload("unspeakable")
    yield* start()
    expect(yield* settled(document)).toMatchObject({ status: "failed", error: { code: "embedding_refused" } })
  })

  it("that is missing in the store fails with that reason", function* () {
    const document = yield* upload("lost")
    const { blobs } = yield* BlobControl
    blobs.delete(document.blob)
    yield* start()
    expect(yield* settled(document)).toMatchObject({ status: "failed", error: { code: "file_missing" } })
  })
})

describe("a fault", () => {
  it("is retried up to the limit, and then fails the document with a reason and without chunks", function* () {
    const embeddings = yield* EmbeddingsControl
    embeddings.before = Effect.die(new Error("a bug of ours with /secret/path"))
    const document = yield* upload("crashes")
    yield* start({ attempts: 3 })
    const { error, status } = yield* settled(document)
    expect([status, error?.code]).toEqual(["failed", "ingestion_failed"])
    expect(error?.message).not.toContain("secret")
    expect((yield* ExtractControl).names).toHaveLength(3)
    expect(yield* storedChunks(document)).toEqual([])
  })

  it("of the queue, such as a database that is read-only for a while, does not end the worker", function* () {
    const ingestions = yield* Ingestions
    let faults = 0
    const claim: typeof ingestions.claim = (lease) =>
      faults++ < 2 ? Effect.die(new Error("read-only")) : ingestions.claim(lease)
    const document = yield* upload("after the fault")
    yield* Effect.provideService(start(), Ingestions, { ...ingestions, claim })
    expect(yield* settled(document)).toMatchObject({ status: "ready" })
  })

  it("by the end of an extraction process is retried, because something else may have ended it", function* () {
    const extract = yield* ExtractControl
    const crashed = new ExtractionFailed({ code: "extraction_crashed", message: "Its reader failed on it." })
    extract.extract = (source) => (extract.names.length < 3 ? Effect.fail(crashed) : plainExtract(source))
    const document = yield* upload("unlucky")
    yield* start({ attempts: 3 })
    expect(yield* settled(document)).toMatchObject({ status: "ready", error: null })
  })

  it("that kills the server each time is not retried for ever", function* () {
    const document = yield* upload("kills")
    yield* die(2)
    yield* start({ lapses: 2, retries: 0 })
    expect(yield* settled(document)).toMatchObject({ status: "failed", error: { code: "gave_up" } })
    expect((yield* ExtractControl).names).toEqual([])
  })

  it("by ten kills of the server while documents wait or are read does not fail the documents", function* () {
    const documents = yield* Effect.forEach(["read", "read too", "waiting"], (text) => upload(text))
    yield* die(10, 2)
    yield* start({ attempts: 1 })
    const found = yield* Effect.forEach(documents, settled)
    expect(found.map(({ status, error }) => [status, error])).toEqual(documents.map(() => ["ready", null]))
  })

  it("that made a document be given up is retried, with growing delays and a limit", function* () {
    const embeddings = yield* EmbeddingsControl
    embeddings.before = Effect.die(new Error("a bug of ours"))
    const document = yield* upload("given up")
    const waits = SystemSql.use((sql) =>
      Effect.map(
        sql<{ given_up: number; hours: number }>`
          select given_up, round(extract(epoch from run_at - now()) / 3600)::int as hours
          from ingestions where document_id = ${document.id} and lease_id is null and run_at > now()`,
        ([row]) => row,
      ),
    )
    const failAgain = Effect.scoped(
      Effect.gen(function* () {
        yield* SystemSql.use((sql) => sql`update ingestions set run_at = now()`)
        yield* startUnhurried({ attempts: 1, retries: 2 })
        return yield* eventually(waits, (wait) => wait !== undefined)
      }),
    )
    expect(yield* failAgain).toEqual({ given_up: 1, hours: 1 })
    expect(yield* look(document)).toMatchObject({ status: "failed", error: { code: "ingestion_failed" } })
    expect(yield* failAgain).toEqual({ given_up: 2, hours: 2 })
    embeddings.before = Effect.void
    yield* SystemSql.use((sql) => sql`update ingestions set run_at = now()`)
    yield* start({ attempts: 1 })
    expect(yield* eventually(look(document), ({ status }) => status === "ready")).toMatchObject({ error: null })
  })

  it("by a blob store or embeddings that are unavailable for a while delays the document, and stores nothing twice", function* () {
    const [blobs, embeddings] = [yield* BlobControl, yield* EmbeddingsControl]
    blobs.failing.add("get")
    embeddings.before = Effect.suspend(() => (embeddings.embedded === 1 ? Effect.fail(diskFull) : Effect.void))
    const document = yield* upload("patient")
    // Such attempts do not count, or the first would already be the last.
    yield* start({ attempts: 1 })
    const waiting = SystemSql.use(
      (sql) => sql`select from ingestions where document_id = ${document.id} and lease_id is null
        and run_at > created_at`,
    )
    yield* eventually(waiting, (rows) => rows.length > 0)
    expect(["queued", "extracting"]).toContain((yield* look(document)).status)
    blobs.failing.clear()
    expect(yield* settled(document)).toMatchObject({ status: "ready", error: null, chunk_count: 1 })
    expect(embeddings.embedded).toBe(2)
    expect(yield* storedChunks(document)).toHaveLength(1)
  })
})

describe("while a document is ingested", () => {
  it("it can be deleted, and leaves nothing behind", function* () {
    const { open, reached } = yield* gated
    const document = yield* upload("deleted while it is read")
    yield* start()
    yield* reached
    yield* as(document.organization)((yield* Documents).remove(document.chatbot, document.id))
    yield* open
    yield* workerIsFree
    expect((yield* Effect.flip(look(document)))._tag).toBe("NotFound")
    expect(yield* storedChunks(document)).toEqual([])
  })

  it("it can be replaced, and only the newest content becomes searchable", function* () {
    const document = yield* upload("first")
    yield* start()
    yield* settled(document)
    const { open, reached } = yield* gated
    const second = yield* replace(document, "second")
    yield* reached
    expect(yield* served(document)).toEqual(["first"])
    yield* replace(document, "third")
    yield* open
    const found = yield* eventually(served(document), ([text]) => text !== "first")
    expect(found).toEqual(["third"])
    yield* workerIsFree
    expect(yield* served(document)).toEqual(["third"])
    expect(yield* storedChunks(document)).toHaveLength(1)
    const { blobs } = yield* BlobControl
    const old = Effect.sync(() => [document.blob, second].filter((key) => blobs.has(key)))
    yield* eventually(old, (left) => left.length === 0)
  })
})
