import { afterAll, beforeEach, describe, expect, test } from "bun:test"
import { Duration, Effect, Exit, Latch, ManagedRuntime, Scope } from "effect"
import { SystemSql } from "../../src/storage/sql/Database.ts"
import { Documents } from "../../src/storage/documents/Documents.ts"
import { Ingestions } from "../../src/storage/documents/Ingestions.ts"
import {
  gated,
  ingestionNeeds,
  look,
  replace,
  reset,
  served,
  settled,
  start,
  type Stored,
  storedChunks,
  upload,
  workerIsFree,
} from "../lib/Ingesting.ts"
import { BlobControl, EmbeddingsControl, eventually, ExtractControl, plainExtract } from "../lib/Layers.ts"
import { as } from "../lib/Tenants.ts"
import { databaseTraits } from "../lib/Defaults.ts"

const runtime = ManagedRuntime.make(ingestionNeeds)
type Services = ManagedRuntime.ManagedRuntime.Services<typeof runtime>
const run = <A, E>(effect: Effect.Effect<A, E, Services | Scope.Scope>) => runtime.runPromise(Effect.scoped(effect))
afterAll(() => runtime.dispose())
beforeEach(() => run(reset))

describe("a process that lost its lease", () => {
  const steal = (document: Stored) =>
    SystemSql.use(
      // For long, so that nobody takes the document up again meanwhile.
      (sql) => sql`update ingestions set lease_id = ${crypto.randomUUID()}, run_at = now() + interval '1 hour'
        where document_id = ${document.id}`,
    )

  test("writes nothing more", () =>
    run(
      Effect.gen(function* () {
        const { open, reached } = yield* gated
        const document = yield* upload("stolen")
        yield* start()
        yield* reached
        yield* steal(document)
        const before = yield* look(document)
        yield* open
        yield* workerIsFree
        expect(yield* look(document)).toEqual(before)
        expect(yield* storedChunks(document)).toEqual([])
      }),
    ))

  test("interrupts its work, however long that would last", () =>
    run(
      Effect.gen(function* () {
        const extract = yield* ExtractControl
        const [reached, stopped] = [yield* Latch.make(false), yield* Latch.make(false)]
        const endless = Effect.andThen(
          reached.open,
          Effect.onInterrupt(Effect.never, () => stopped.open),
        )
        extract.extract = (source) => (source.name === "endless.txt" ? endless : plainExtract(source))
        const document = yield* upload("endless", "endless.txt")
        // Not so short that a slow machine loses it by itself.
        yield* start({ lease: Duration.seconds(3) })
        yield* reached.await
        yield* steal(document)
        yield* stopped.await
        expect((yield* workerIsFree).status).toBe("ready")
      }),
    ))
})

describe("several processes", () => {
  test("ingest each document once", () =>
    run(
      Effect.gen(function* () {
        const names = Array.from({ length: 12 }, (_, index) => `${index}.txt`)
        const documents = yield* Effect.forEach(names, (name) => upload(`text of ${name}`, name))
        yield* Effect.all([start({ concurrency: 3 }), start({ concurrency: 3 })], { concurrency: 2 })
        const ready = yield* Effect.forEach(documents, settled)
        expect(new Set(ready.map(({ status }) => status))).toEqual(new Set(["ready"]))
        expect((yield* ExtractControl).names.toSorted()).toEqual(names.toSorted())
        for (const document of documents) expect(yield* storedChunks(document)).toHaveLength(1)
      }),
    ))

  test("do not touch each other's leases, unless one is alone with the database", () =>
    run(
      Effect.gen(function* () {
        const document = yield* upload("left behind")
        yield* (yield* Ingestions).claim({ id: crypto.randomUUID(), duration: Duration.hours(1) })
        yield* Effect.scoped(Effect.andThen(start(), workerIsFree))
        expect((yield* look(document)).status).toBe("extracting")
        yield* Effect.provide(start(), databaseTraits({ isAlone: true }))
        expect((yield* settled(document)).status).toBe("ready")
      }),
    ))
})

describe("while a document is ingested", () => {
  test("it can be deleted, and leaves nothing behind", () =>
    run(
      Effect.gen(function* () {
        const { open, reached } = yield* gated
        const document = yield* upload("deleted while it is read")
        yield* start()
        yield* reached
        yield* as(document.organization)((yield* Documents).remove(document.chatbot, document.id))
        yield* open
        yield* workerIsFree
        expect((yield* Effect.flip(look(document)))._tag).toBe("NotFound")
        expect(yield* storedChunks(document)).toEqual([])
      }),
    ))

  test("it can be deleted between extraction and storing as well", () =>
    run(
      Effect.gen(function* () {
        const embeddings = yield* EmbeddingsControl
        const document = yield* upload("deleted while it is embedded")
        const documents = yield* Documents
        embeddings.before = Effect.asVoid(
          Effect.ignore(as(document.organization)(documents.remove(document.chatbot, document.id))),
        )
        yield* start()
        yield* workerIsFree
        expect((yield* Effect.flip(look(document)))._tag).toBe("NotFound")
        expect(yield* storedChunks(document)).toEqual([])
      }),
    ))

  test("it can be replaced, and only the newest content becomes searchable", () =>
    run(
      Effect.gen(function* () {
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
      }),
    ))

  test("its process can stop, and another continues at once", () =>
    run(
      Effect.gen(function* () {
        const { reached } = yield* gated
        const document = yield* upload("interrupted")
        const scope = yield* Scope.make()
        yield* Scope.provide(start(), scope)
        yield* reached
        yield* Scope.close(scope, Exit.void)
        const [row] = yield* SystemSql.use(
          (sql) => sql<{ lease_id: string | null; due: boolean }>`
            select lease_id, run_at <= now() as due from ingestions where document_id = ${document.id}`,
        )
        expect(row).toEqual({ lease_id: null, due: true })
        const extract = yield* ExtractControl
        extract.extract = plainExtract
        yield* start()
        expect((yield* settled(document)).status).toBe("ready")
        expect(yield* storedChunks(document)).toHaveLength(1)
      }),
    ))
})
