import { afterAll, beforeEach, describe, expect } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Duration, Effect, Latch, Layer, ManagedRuntime } from "effect"
import { isSettled } from "../../../src/domain/knowledge/Document.ts"
import type { ChatbotId, DocumentId, OrganizationId } from "../../../src/domain/Ids.ts"
import { Indexer } from "../../../src/knowledge/Indexer.ts"
import { KnowledgeIndexes } from "../../../src/knowledge/search/KnowledgeIndexes.ts"
import { Retriever } from "../../../src/knowledge/Retriever.ts"
import { Blobs } from "../../../src/blobs/Blobs.ts"
import { Uploads, type ReceivedFile } from "../../../src/services/knowledge/Uploads.ts"
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
import { effectTests } from "../../lib/EffectTests.ts"

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
const it = effectTests(run)
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
const remove = ({ organization, chatbot }: Tenant, id: DocumentId | "all") =>
  Knowledge.use((knowledge) => as(organization)(knowledge.remove(chatbot, id)))
const list = ({ organization, chatbot }: Tenant) =>
  Knowledge.use((knowledge) => as(organization)(knowledge.list(chatbot, { page: 1, limit: 100 })))
const find = ({ organization, chatbot }: Tenant, query: string) =>
  Knowledge.use((knowledge) =>
    Effect.map(asCaller(organization)(knowledge.search(chatbot, query, 10)), ({ hits }) =>
      hits.map(({ content }) => content),
    ),
  )
const registered = SystemSql.use((sql) =>
  Effect.map(sql<{ key: string }>`select key from blob_garbage`, (rows) => rows.map(({ key }) => key)),
)
/** Makes extraction wait. The returned effect lets it continue. */
const gate = Effect.gen(function* () {
  const extract = yield* ExtractControl
  const latch = yield* Latch.make(false)
  extract.extract = (source) => Effect.andThen(latch.await, plainExtract(source))
  return latch.open
})

describe("an upload", () => {
  it("onto a full disk creates no document, and registers the partial blob for deletion", function* () {
    const tenant = yield* makeTenant
    ;(yield* BlobControl).failing.add("put")
    expect((yield* Effect.flip(upload(tenant, [received("full")])))._tag).toBe("Unavailable")
    expect((yield* list(tenant)).total).toBe(0)
    expect(yield* registered).toHaveLength(1)
  })

  it("returns the state of its documents when the wait is over, and continues in the background", function* () {
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
  })
})

describe("a deletion", () => {
  it("succeeds while the store cannot delete, and registers the blob for deletion", function* () {
    const tenant = yield* makeTenant
    const { id } = yield* uploadOne(tenant, "Penguins swim.")
    ;(yield* BlobControl).failing.add("remove")
    yield* remove(tenant, id)
    expect(yield* find(tenant, "penguins")).toEqual([])
    expect(yield* registered).toHaveLength(1)
  })
})
