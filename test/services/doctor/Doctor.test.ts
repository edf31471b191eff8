import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeEach, expect } from "bun:test"
import { Duration, Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { FetchHttpClient } from "effect/http"
import { Models } from "../../../src/models/Models.ts"
import { type Probe, ProviderProbes } from "../../../src/models/ProviderProbes.ts"
import { BlobCheck } from "../../../src/jobs/BlobCheck.ts"
import { Doctor } from "../../../src/services/doctor/Doctor.ts"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import { Documents } from "../../../src/storage/documents/Documents.ts"
import { FileStores } from "../../../src/storage/blobs/FileStores.ts"
import { Inspection } from "../../../src/storage/inspection/Inspection.ts"
import { LexemeIndexes } from "../../../src/storage/search/LexemeIndexes.ts"
import { Reranker } from "../../../src/knowledge/Reranker.ts"
import { Ocr } from "../../../src/readers/ocr/Ocr.ts"
import { ReaderSandbox } from "../../../src/readers/process/ReaderSandbox.ts"
import { noSandbox } from "../../../src/readers/process/Sandbox.ts"
import { Reembeddings } from "../../../src/storage/documents/Reembeddings.ts"
import { defaults, modelsSettings } from "../../lib/Defaults.ts"
import { indexing, learn } from "../../lib/Knowledge.ts"
import { BlobControl, memoryBlobs, platform, quiet, storage } from "../../lib/Layers.ts"
import { as, contentOf, makeTenant, newDocumentId } from "../../lib/Tenants.ts"
import { effectTests } from "../../lib/EffectTests.ts"

/** The findings of the probes of model providers. */
const answering: ReadonlyArray<Probe> = [{ provider: "openai", failure: undefined }]
let probes = answering

/** The sandbox in which documents are read. */
const strict = { ...noSandbox, name: "a jail", isStrict: true }
let sandbox = strict

const database = process.env["DATABASE_URL"]
const settings = {
  ...defaults.database,
  directory: join(tmpdir(), "database"),
  url: database === undefined ? undefined : Redacted.make(database),
}

const runtime = ManagedRuntime.make(
  Doctor.layer(settings).pipe(
    Layer.provide([
      BlobCheck.layer({ orphanAge: Duration.hours(24) }),
      Layer.succeed(Ocr, { program: Effect.succeed("tesseract"), begin: undefined }),
      Layer.succeed(ReaderSandbox, { chosen: Effect.sync(() => sandbox) }),
      Models.layer(modelsSettings()).pipe(Layer.provide(FetchHttpClient.layer)),
      Layer.succeed(ProviderProbes, { run: Effect.sync(() => probes), advice: Effect.succeed("set A_KEY") }),
    ]),
    Layer.provideMerge(indexing),
    Layer.provideMerge(Layer.mergeAll(storage, platform, quiet, memoryBlobs)),
  ),
)
const run = runtime.runPromise
const it = effectTests(run)
afterAll(() => runtime.dispose())
beforeEach(async () => {
  await run(BlobControl.use(({ blobs }) => Effect.sync(() => blobs.clear())))
  await run(
    SystemSql.use((sql) =>
      Effect.all([
        sql`delete from documents`,
        sql`delete from ingestions`,
        sql`delete from blob_garbage`,
        sql`delete from embedding_setting`,
      ]),
    ),
  )
})

const findings = Effect.map(
  Doctor.use(({ examine }) => examine),
  (all) => all.map(({ state, part, text }) => `${state} ${part}: ${text}`),
)
const wrongs = Effect.map(findings, (all) => all.filter((line) => line.startsWith("wrong")))

/** Makes a document that is ready, with its file. */
const healthy = Effect.gen(function* () {
  const tenant = yield* makeTenant
  const id = yield* learn(tenant, "fine", [{ text: "All is well." }, { text: "Still." }])
  const rows = yield* SystemSql.use(
    (sql) => sql<{ key: string; bytes: number }>`
      select blob_key as key, size_bytes::float8 as bytes from documents where id = ${id}`,
  )
  const { blobs } = yield* BlobControl
  for (const { bytes, key } of rows) blobs.set(key, new Uint8Array(bytes))
  return { tenant, id, blobs, keys: rows.map(({ key }) => key) }
})

it("a healthy server has no wrong findings", function* () {
  const { blobs } = yield* healthy
  const before = blobs.size
  const lines = yield* findings
  expect(lines.filter((line) => !line.startsWith("ok"))).toEqual([])
  expect(lines[0]).toMatch(/^ok database: PostgreSQL \d+.*, pgvector \d.*, migrated up to \d{4}_/)
  expect(lines.join("\n")).toContain("ok vectors: 2 chunks of 1 document by local/hashed-2")
  expect(lines).toContain("ok readers: scans are read by tesseract")
  expect(blobs.size).toBe(before)
})

it("readers of documents that nothing confines are a note", function* () {
  yield* healthy
  expect(yield* findings).toContain(
    "ok readers: confined by a jail: no network, no other processes, no files but the program's, no new privileges",
  )
  sandbox = noSandbox
  expect(yield* findings).toContain("note readers: confined by nothing")
  sandbox = strict
})

it("a model provider that refuses the configured key is wrong", function* () {
  const failure = "The provider refuses the key in ANTHROPIC_API_KEY (401)"
  probes = [
    { provider: "anthropic", failure },
    { provider: "openai", failure: undefined },
  ]
  const lines = yield* Effect.ensuring(
    findings,
    Effect.sync(() => (probes = answering)),
  )
  expect(lines).toContain(`wrong models: anthropic: ${failure}`)
  expect(lines).toContain("ok models: openai answers")
})

it("a server without a provider is told how to get a model that writes", function* () {
  probes = []
  const lines = yield* Effect.ensuring(
    findings,
    Effect.sync(() => (probes = answering)),
  )
  expect(lines).toContain(
    "note models: only local/extractive, which quotes the documents. For a model that writes, set A_KEY",
  )
})

it("a reranker that does not serve is wrong", function* () {
  const refused = {
    passages: 30,
    rerank: () => Effect.undefined,
    probe: Effect.succeed("It answers with status 401."),
  }
  expect(yield* Effect.provideService(wrongs, Reranker, refused)).toEqual([
    "wrong search: the reranker does not serve. It answers with status 401. See RERANK_URL, RERANK_MODEL and RERANK_API_KEY",
  ])
  const serving = { ...refused, probe: Effect.undefined }
  expect(yield* Effect.provideService(findings, Reranker, serving)).toContain("ok search: the reranker answers")
  expect((yield* findings).join()).not.toContain("reranker")
})

it("a lost file and a store that does not work are wrong", function* () {
  const { blobs, id, keys } = yield* healthy
  for (const key of keys) blobs.delete(key)
  const { failing } = yield* BlobControl
  failing.add("put")
  const found = yield* Effect.ensuring(
    wrongs,
    Effect.sync(() => failing.clear()),
  )
  expect(found).toEqual([
    "wrong files: The disk is full.",
    `wrong files: missing or cut off for 1 of 1 document: "file.txt" (${id})`,
  ])
})

it("a store that is not the one of the database is wrong", function* () {
  const { blobs } = yield* healthy
  const stores = yield* FileStores
  const id = (yield* stores.get)?.id
  expect(yield* wrongs).toEqual([])
  yield* stores.claim(Effect.void)
  expect(yield* wrongs).toEqual([`wrong files: this is not the store of the database, which has the file stores/${id}`])
  blobs.set(`stores/${id}`, new Uint8Array())
  expect(yield* wrongs).toEqual([])
  yield* SystemSql.use((sql) => sql`delete from file_stores`)
})

it("files without an owner are wrong, and are not deleted", function* () {
  const { blobs, keys } = yield* healthy
  blobs.set("documents/nobody's", Uint8Array.of(1))
  blobs.set("avatars/nobody's", Uint8Array.of(1))
  expect(yield* wrongs).toEqual([
    "wrong files: 2 files without an owner; a server deletes those that are old enough, once a day",
  ])
  blobs.set("databases/another", new Uint8Array())
  expect(yield* wrongs).toEqual([expect.stringContaining("2 files without an owner; they are kept")])
  expect(blobs.size).toBe(keys.length + 3)
})

it("an overdue queue is wrong if no server works on it", function* () {
  const { organization, chatbot } = yield* makeTenant
  const add = Effect.flatMap(newDocumentId, (id) => {
    const content = contentOf(crypto.randomUUID())
    return Effect.andThen(
      BlobControl.use(({ blobs }) =>
        Effect.sync(() => blobs.set(content.blob_key, new Uint8Array(content.size_bytes))),
      ),
      as(organization)(Documents.use((documents) => documents.add(id, chatbot, content))),
    )
  })
  yield* add
  const sql = yield* SystemSql
  yield* sql`update ingestions set run_at = now() - interval '2 hours'`
  expect(yield* wrongs).toEqual([
    "wrong ingestion: 1 document waiting, 0 under way, 0 to be tried later; no server has taken the first for 120 minutes",
  ])
  yield* add
  yield* sql`update ingestions set lease_id = ${crypto.randomUUID()}, run_at = now() + interval '1 minute'
    where run_at > now() - interval '1 hour'`
  expect(yield* wrongs).toEqual([])
})

it("failed documents are counted by reason, and are wrong if the server is at fault", function* () {
  yield* healthy
  const sql = yield* SystemSql
  yield* sql`update documents set status = 'failed', error = '{"code": "no_text"}'`
  expect(yield* findings).toContain("note documents: 1 document failed: no_text")
  yield* sql`update documents set error = '{"code": "gave_up"}'`
  expect(yield* wrongs).toEqual(["wrong documents: 1 document failed: gave_up"])
})

it("lexeme indexes in the database are listed by chatbot, and an incomplete one is noted", function* () {
  const { tenant } = yield* healthy
  const indexes = yield* LexemeIndexes
  yield* indexes.request(tenant.chatbot)
  yield* indexes.maintain(Number.MAX_SAFE_INTEGER)
  const line = (text: string) => `search: chatbot ${tenant.chatbot}, ${text}`
  expect(yield* findings).toContain(`ok ${line("is large; its words are indexed in the database")}`)
  const sql = yield* SystemSql
  yield* sql`update pg_index set indisvalid = false
    where indexrelid = ${`chunks_lexemes_${tenant.chatbot.replaceAll("-", "")}`}::regclass`
  expect(yield* findings).toContain(
    `note ${line("the index of its words is incomplete and will be rebuilt when it is searched; until then its searches are slow")}`,
  )
  expect(yield* wrongs).toEqual([])
})

it("files without an owner that wait for their hour are shown", function* () {
  yield* SystemSql.use((sql) => sql`delete from blob_garbage`)
  expect((yield* findings).filter((line) => line.includes("without an owner"))).toEqual([])
  yield* SystemSql.use(
    (sql) => sql`insert into blob_garbage values
      ('documents/young', now() + interval '1 hour'), ('documents/due', now() - interval '1 minute')`,
  )
  expect(yield* findings).toContain(
    "ok files: 2 files without an owner; a server deletes those that have none in an hour",
  )
  yield* SystemSql.use((sql) => sql`delete from blob_garbage`)
})

it("files that should be deleted by now are wrong", function* () {
  yield* SystemSql.use((sql) => sql`insert into blob_garbage values ('documents/x', now() - interval '2 hours')`)
  expect(yield* wrongs).toEqual(["wrong files: 1 should have been deleted an hour ago"])
})

it("new documents that wait for their vectors are shown", function* () {
  const inspection = yield* Inspection
  const { tenant } = yield* healthy
  const added = contentOf(crypto.randomUUID())
  yield* as(tenant.organization)((yield* Documents).add(yield* newDocumentId, tenant.chatbot, added))
  const sql = yield* SystemSql
  const late = "note vectors: 1 new document can be found by words only until the embedding model answers"
  yield* sql`update documents set status = 'embedding' where status <> 'ready'`
  yield* sql`update ingestions set run_at = now() + interval '1 minute'`
  expect(yield* findings).not.toContain(late)
  expect(yield* inspection.areVectorsMissing).toBe(false)
  yield* sql`update documents set updated_at = now() - interval '11 seconds' where status <> 'ready'`
  expect(yield* findings).toContain(late)
  expect(yield* inspection.areVectorsMissing).toBe(true)
})

it("the progress of embedding again is shown after a change of the model", function* () {
  const { tenant } = yield* healthy
  yield* learn(tenant, "other", [{ text: "By another model." }, { text: "This too." }])
  const sql = yield* SystemSql
  yield* sql`update documents set embedding_model = 'old' where id = (select id from documents order by id limit 1)`
  const reembeddings = yield* Reembeddings
  yield* reembeddings.declare("local/hashed-2")
  yield* reembeddings.enqueue("local/hashed-2")
  const lines = yield* findings
  expect(lines).toContain("ok vectors: 2 chunks of 1 document by old")
  expect(lines).toContain(
    "note vectors: 50 % are by local/hashed-2; the others are found by their words until they are embedded again",
  )
  expect(lines).toContain("ok vectors: 1 document waiting, 0 under way, 0 to be tried later")
  expect(yield* (yield* Inspection).areVectorsMissing).toBe(true)
  yield* reembeddings.declare("newest")
  expect(yield* findings).toContain(
    "note vectors: the server that was started last embeds by newest, and these settings by local/hashed-2",
  )
})
