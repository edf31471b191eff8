import { afterAll, beforeEach, describe, expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Duration, Effect, Latch, Layer, ManagedRuntime } from "effect"
import { isSettled } from "../../../src/domain/knowledge/Document.ts"
import { ChatbotId, type DocumentId, type OrganizationId } from "../../../src/domain/Ids.ts"
import { ExtractionFailed } from "../../../src/readers/Extract.ts"
import { Indexer } from "../../../src/knowledge/Indexer.ts"
import { KnowledgeIndexes } from "../../../src/knowledge/search/KnowledgeIndexes.ts"
import { Retriever } from "../../../src/knowledge/Retriever.ts"
import { Blobs } from "../../../src/blobs/Blobs.ts"
import { FILES_MAX_COUNT, Uploads, type ReceivedFile } from "../../../src/services/knowledge/Uploads.ts"
import { Knowledge } from "../../../src/services/knowledge/Knowledge.ts"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import {
  BlobControl,
  countingEmbeddings,
  eventually,
  ExtractControl,
  memoryBlobs,
  plainExtract,
  platform,
  quiet,
  scriptedExtract,
  storage,
  unlimitedShares,
} from "../../lib/Layers.ts"
import { ingestingWith } from "../../lib/Ingesting.ts"
import { as, asCaller, makeTenant } from "../../lib/Tenants.ts"
import { sharedRun } from "../../lib/Scoped.ts"
import { temporaryDirectory } from "../../lib/TemporaryDirectory.ts"

const PATIENCE = Duration.minutes(2)

const runtime = ManagedRuntime.make(
  Layer.merge(Knowledge.layer, Uploads.layer).pipe(
    Layer.provide(unlimitedShares),
    Layer.provideMerge(ingestingWith({})),
    Layer.provideMerge(Layer.mergeAll(Indexer.layer, Blobs.layer, Retriever.layer({ threshold: undefined }))),
    Layer.provideMerge(KnowledgeIndexes.layer({ bytes: 50_000_000 })),
    Layer.provideMerge(Layer.mergeAll(storage, platform, quiet, memoryBlobs, scriptedExtract, countingEmbeddings)),
  ),
)
const run = runtime.runPromise
const directory = await sharedRun()(temporaryDirectory("uploads"))
afterAll(() => runtime.dispose())
beforeEach(() =>
  run(
    Effect.gen(function* () {
      const [extract, { blobs, failing }] = [yield* ExtractControl, yield* BlobControl]
      extract.extract = plainExtract
      extract.names.length = 0
      failing.clear()
      blobs.clear()
      yield* SystemSql.use((sql) => sql`delete from blob_garbage`)
    }),
  ),
)

interface Tenant {
  readonly organization: OrganizationId
  readonly chatbot: ChatbotId
}

const received = (text: string, name = "file.txt"): ReceivedFile => {
  const path = join(directory, crypto.randomUUID())
  writeFileSync(path, text)
  return { name, path }
}

const upload = ({ organization, chatbot }: Tenant, files: ReadonlyArray<ReceivedFile>, wait = PATIENCE) =>
  Uploads.use((uploads) =>
    asCaller(organization)(Effect.flatMap(uploads.upload(chatbot, files), (settled) => settled(wait))),
  )
const uploadOne = (tenant: Tenant, text: string, name?: string) =>
  Effect.flatMap(upload(tenant, [received(text, name)]), ([document]) =>
    document === undefined ? Effect.die("no document") : Effect.succeed(document),
  )
const replace = ({ organization, chatbot }: Tenant, id: DocumentId, file: ReceivedFile, wait = PATIENCE) =>
  Uploads.use((uploads) =>
    as(organization)(Effect.flatMap(uploads.replace(chatbot, id, file), (settled) => settled(wait))),
  )
const remove = ({ organization, chatbot }: Tenant, id: DocumentId | "all") =>
  Knowledge.use((knowledge) => as(organization)(knowledge.remove(chatbot, id)))
const list = ({ organization, chatbot }: Tenant) =>
  Knowledge.use((knowledge) => as(organization)(knowledge.list(chatbot, { page: 1, limit: 100 }, undefined)))
const get = ({ organization, chatbot }: Tenant, id: DocumentId) =>
  Knowledge.use((knowledge) => as(organization)(knowledge.get(chatbot, id)))
const find = ({ organization, chatbot }: Tenant, query: string) =>
  Knowledge.use((knowledge) =>
    Effect.map(asCaller(organization)(knowledge.search(chatbot, query, 10)), ({ hits }) =>
      hits.map(({ content }) => content),
    ),
  )
const blobCount = Effect.map(BlobControl, ({ blobs }) => blobs.size)
const registered = SystemSql.use((sql) =>
  Effect.map(sql<{ key: string }>`select key from blob_garbage`, (rows) => rows.map(({ key }) => key)),
)
/** The number of blobs after the sweep. */
const settledBlobs = Effect.andThen(
  eventually(registered, (keys) => keys.length === 0),
  blobCount,
)

/** Makes extraction wait. The returned effect lets it continue. */
const gate = Effect.gen(function* () {
  const extract = yield* ExtractControl
  const latch = yield* Latch.make(false)
  extract.extract = (source) => Effect.andThen(latch.await, plainExtract(source))
  return latch.open
})

describe("an upload", () => {
  test("can be searched when it returns, and has one blob for each file", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* makeTenant
        const files = [
          received("Penguins live in the south.", "../birds.TXT"),
          received("# Bears\n\nBears hibernate.", "bears.md"),
        ]
        const documents = yield* upload(tenant, files)
        expect(documents).toMatchObject([
          {
            name: "birds.TXT",
            content_type: "text/plain",
            size_bytes: 27,
            status: "ready",
            progress: 1,
            chunk_count: 1,
          },
          { name: "bears.md", content_type: "text/markdown", status: "ready", duplicate: false },
        ])
        expect((yield* find(tenant, "where do penguins live"))[0]).toContain("Penguins live in the south.")
        expect(yield* blobCount).toBe(2)
        expect(yield* registered).toEqual([])
      }),
    ))

  test.each([
    ["UnsupportedMediaType", "bad.exe", [received("fine"), received("MZ", "bad.exe")]],
    ["UnsupportedMediaType", "photo.txt", [received("fine"), received("\u0000\u0001", "photo.txt")]],
    ["UnsupportedMediaType", "fake.pdf", [received("no pdf at all", "fake.pdf")]],
  ] as const)("keeps nothing when one file is refused: %s of %s", (tag, named, files) =>
    run(
      Effect.gen(function* () {
        const tenant = yield* makeTenant
        const failure = yield* Effect.flip(upload(tenant, files))
        expect(failure._tag).toBe(tag)
        expect(failure.detail).toStartWith(`${named}:`)
        expect((yield* list(tenant)).total).toBe(0)
        expect([yield* blobCount, (yield* registered).length]).toEqual([0, 0])
      }),
    ),
  )

  test("accepts as many files as allowed", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* makeTenant
        const texts = Array.from({ length: FILES_MAX_COUNT }, (_, index) => `${index} `.repeat(500))
        const documents = yield* upload(
          tenant,
          texts.map((text) => received(text)),
        )
        expect(documents.map(({ size_bytes }) => size_bytes)).toEqual(texts.map(({ length }) => length))
        expect(documents.every(({ status }) => status === "ready")).toBe(true)
      }),
    ))

  test("to an unknown chatbot, or another organization's, stores nothing", () =>
    run(
      Effect.gen(function* () {
        const [mine, theirs] = [yield* makeTenant, yield* makeTenant]
        for (const chatbot of [theirs.chatbot, ChatbotId.make(crypto.randomUUID())]) {
          const failure = yield* Effect.flip(upload({ ...mine, chatbot }, [received("x")]))
          expect(failure).toMatchObject({ _tag: "NotFound", detail: "There is no such chatbot." })
        }
        expect(yield* blobCount).toBe(0)
        expect((yield* list(theirs)).total).toBe(0)
      }),
    ))

  test("onto a full disk creates no document, and registers the partial blob for deletion", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* makeTenant
        ;(yield* BlobControl).failing.add("put")
        expect((yield* Effect.flip(upload(tenant, [received("full")])))._tag).toBe("Unavailable")
        expect((yield* list(tenant)).total).toBe(0)
        expect(yield* registered).toHaveLength(1)
      }),
    ))

  test("of the same bytes yields the same document, within one upload and later, with one blob", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* makeTenant
        const [first, second] = yield* upload(tenant, [received("same", "a.txt"), received("same", "b.txt")])
        expect([first?.duplicate, second?.duplicate]).toEqual([false, true])
        expect([second?.id, second?.name]).toEqual([first?.id, "a.txt"])
        expect(yield* uploadOne(tenant, "same", "c.txt")).toMatchObject({ id: first?.id, duplicate: true })
        expect((yield* list(tenant)).total).toBe(1)
        expect(yield* settledBlobs).toBe(1)
      }),
    ))

  test("with one unreadable file fails this document with a reason, and makes the others ready", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* makeTenant
        const extract = yield* ExtractControl
        extract.extract = (source) =>
          source.name === "bad.txt"
            ? Effect.fail(new ExtractionFailed({ code: "corrupt_document", message: "It is broken." }))
            : plainExtract(source)
        const documents = yield* upload(tenant, [received("one"), received("two", "bad.txt"), received("three")])
        expect(documents.map(({ status }) => status)).toEqual(["ready", "failed", "ready"])
        expect(documents[1]?.error).toEqual({ code: "corrupt_document", message: "It is broken." })
        const id = documents[1]?.id ?? (yield* Effect.die("no document"))
        extract.extract = plainExtract
        yield* Knowledge.use((knowledge) => as(tenant.organization)(knowledge.retry(tenant.chatbot, id)))
        expect((yield* eventually(get(tenant, id), isSettled)).status).toBe("ready")
      }),
    ))

  test("returns the state of its documents when the wait is over, and continues in the background", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* makeTenant
        const open = yield* gate
        for (const [text, wait] of [
          ["at once", Duration.zero],
          ["a moment later", Duration.millis(50)],
        ] as const) {
          const [document] = yield* upload(tenant, [received(text)], wait)
          expect(["queued", "extracting"]).toContain(document?.status ?? "none")
        }
        yield* open
        const { data: documents } = yield* eventually(list(tenant), (found) => found.data.every(isSettled))
        expect(documents.map(({ status }) => status)).toEqual(["ready", "ready"])
      }),
    ))
})

describe("a replacement", () => {
  test("replaces the old content in searches once it returns, under its new name, and deletes the old blob", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* makeTenant
        const { id } = yield* uploadOne(tenant, "Penguins swim.", "old.txt")
        expect(yield* replace(tenant, id, received("Penguins march.", "new.txt"))).toMatchObject({
          id,
          name: "new.txt",
          status: "ready",
        })
        expect((yield* find(tenant, "penguins")).join()).not.toContain("swim")
        expect((yield* find(tenant, "penguins")).join()).toContain("march")
        expect(yield* settledBlobs).toBe(1)
      }),
    ))

  test("leaves the old content searchable until the new one is ready", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* makeTenant
        const { id } = yield* uploadOne(tenant, "Penguins swim.")
        const open = yield* gate
        const waiting = yield* replace(tenant, id, received("Penguins march."), Duration.zero)
        expect(isSettled(waiting)).toBe(false)
        expect((yield* find(tenant, "penguins")).join()).toContain("swim")
        yield* open
        yield* eventually(get(tenant, id), isSettled)
        expect((yield* find(tenant, "penguins")).join()).toContain("march")
      }),
    ))

  test("that cannot be read fails with a reason, keeps the old content, and deletes the new blob", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* makeTenant
        const { id } = yield* uploadOne(tenant, "Penguins swim.")
        const extract = yield* ExtractControl
        extract.extract = () => Effect.fail(new ExtractionFailed({ code: "no_text", message: "It has no text." }))
        const failure = yield* Effect.flip(replace(tenant, id, received("Penguins march.", "new.txt")))
        expect(failure).toMatchObject({ _tag: "UnreadableDocument", detail: "new.txt: It has no text." })
        expect((yield* find(tenant, "penguins")).join()).toContain("swim")
        expect(yield* get(tenant, id)).toMatchObject({ name: "file.txt", status: "ready", error: { code: "no_text" } })
        expect(yield* eventually(blobCount, (count) => count === 1)).toBe(1)
      }),
    ))

  test("of an unknown document, by a duplicate of another one, or by an unacceptable file changes nothing", () =>
    run(
      Effect.gen(function* () {
        const [tenant, other] = [yield* makeTenant, yield* makeTenant]
        const first = yield* uploadOne(tenant, "first")
        yield* uploadOne(tenant, "second")
        const before = yield* list(tenant)
        const failures = [
          yield* Effect.flip(replace(other, first.id, received("x"))),
          yield* Effect.flip(replace(tenant, first.id, received("second"))),
          yield* Effect.flip(replace(tenant, first.id, received("MZ", "x.exe"))),
        ]
        expect(failures.map(({ _tag }) => _tag)).toEqual(["NotFound", "Conflict", "UnsupportedMediaType"])
        expect(yield* list(tenant)).toEqual(before)
      }),
    ))
})

describe("a deletion", () => {
  test("deletes text, vectors and blob at once", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* makeTenant
        const [penguins, bears] = [
          yield* uploadOne(tenant, "Penguins swim."),
          yield* uploadOne(tenant, "Bears hibernate."),
        ]
        yield* find(tenant, "penguins")
        yield* remove(tenant, penguins.id)
        expect((yield* find(tenant, "penguins")).join()).not.toContain("swim")
        expect((yield* find(tenant, "bears")).join()).toContain("hibernate")
        expect((yield* Effect.flip(remove(tenant, penguins.id)))._tag).toBe("NotFound")
        yield* remove(tenant, "all")
        expect(yield* find(tenant, "bears")).toEqual([])
        expect((yield* Effect.flip(get(tenant, bears.id)))._tag).toBe("NotFound")
        const left = yield* SystemSql.use(
          (sql) => sql`select id from chunks where organization_id = ${tenant.organization}`,
        )
        expect(left).toEqual([])
        expect(yield* settledBlobs).toBe(0)
      }),
    ))

  test("succeeds while the store cannot delete, and registers the blob for deletion", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* makeTenant
        const { id } = yield* uploadOne(tenant, "Penguins swim.")
        ;(yield* BlobControl).failing.add("remove")
        yield* remove(tenant, id)
        expect(yield* find(tenant, "penguins")).toEqual([])
        expect(yield* registered).toHaveLength(1)
      }),
    ))

  test("by another organization deletes nothing", () =>
    run(
      Effect.gen(function* () {
        const [tenant, other] = [yield* makeTenant, yield* makeTenant]
        const { id } = yield* uploadOne(tenant, "Penguins swim.")
        for (const what of [id, "all"] as const) {
          const failure = yield* Effect.flip(remove({ ...tenant, organization: other.organization }, what))
          expect(failure._tag).toBe("NotFound")
        }
        expect((yield* list(tenant)).total).toBe(1)
      }),
    ))
})
