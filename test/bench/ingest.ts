import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { NodeRuntime } from "@effect/platform-node-shared"
import { layer as fileSystem } from "@effect/platform-node-shared/NodeFileSystem"
import { SQL } from "bun"
import { Console, Effect, Layer, Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { ChunkId } from "../../src/domain/knowledge/Chunk.ts"
import { OrganizationId } from "../../src/domain/Ids.ts"
import { CurrentOrganization } from "../../src/domain/Tenancy.ts"
import { Embeddings } from "../../src/embeddings/Embeddings.ts"
import { chunk } from "../../src/knowledge/chunk/Chunker.ts"
import { sketch } from "../../src/knowledge/segments/Sketch.ts"
import { Chunks } from "../../src/storage/search/Chunks.ts"
import { layerPostgres } from "../../src/storage/sql/Database.ts"
import { start, withoutLimits } from "./http/Child.ts"
import { type CorpusFile, makeCorpus } from "./http/Corpus.ts"
import { embed } from "./http/FakeProvider.ts"
import { apiKey, database, poster } from "./http/Fixture.ts"
import { backendTime } from "./lib/Backends.ts"
import { addEmptyDocument, makeChatbot, makeOrganization } from "./lib/Filling.ts"
import { defaults, readDocument } from "../lib/Defaults.ts"

const FILES_PER_UPLOAD = 10
const UPLOADS_AT_ONCE = 2
const ROWS_PER_INSERT = 100
const BATCH = 64
const MEBIBYTE = 2 ** 20

const Created = Schema.fromJsonString(Schema.Struct({ chatbot: Schema.Struct({ id: Schema.String }) }))
const Uploaded = Schema.fromJsonString(
  Schema.Struct({
    documents: Schema.Array(Schema.Struct({ status: Schema.String, chunk_count: Schema.Int })),
  }),
)

const createdOf = Schema.decodeSync(Created)
const uploadedOf = Schema.decodeSync(Uploaded)

const rates = (files: ReadonlyArray<CorpusFile>, chunks: number, milliseconds: number): string => {
  const seconds = milliseconds / 1_000
  const bytes = files.reduce((sum, file) => sum + Buffer.byteLength(file.text), 0)
  return (
    `${(files.length / seconds).toFixed(0).padStart(5)} files/s ${(chunks / seconds).toFixed(0).padStart(6)} chunks/s` +
    ` ${(bytes / MEBIBYTE / seconds).toFixed(2).padStart(6)} MB/s`
  )
}

/** Ingests through HTTP, and measures from the first upload until the last file can be searched. */
const upload = (port: number, files: ReadonlyArray<CorpusFile>) =>
  Effect.promise(async () => {
    const post = poster(port)
    const { chatbot } = createdOf(await post("/api/external/chatbots", '{"name":"Ingest"}'))
    const waiting = Array.from({ length: Math.ceil(files.length / FILES_PER_UPLOAD) }, (_, index) =>
      files.slice(index * FILES_PER_UPLOAD, (index + 1) * FILES_PER_UPLOAD),
    )
    let chunks = 0
    const begin = performance.now()
    const client = async (): Promise<void> => {
      for (let batch = waiting.shift(); batch !== undefined; batch = waiting.shift()) {
        const form = new FormData()
        form.set("chatbotId", chatbot.id)
        for (const { name, text } of batch) form.append("files", new File([text], name, { type: "text/markdown" }))
        const { documents } = uploadedOf(await post("/api/embedfiles", form))
        if (documents.some(({ status }) => status !== "ready")) throw new Error("A file was not read")
        chunks += documents.reduce((sum, document) => sum + document.chunk_count, 0)
      }
    }
    await Promise.all(Array.from({ length: UPLOADS_AT_ONCE }, client))
    return { chunks, milliseconds: performance.now() - begin }
  })

/** Measures the simplest conceivable ingestion: no stored files, no queue, no lexemes, 384 dimensions. */
const bare = (url: string, files: ReadonlyArray<CorpusFile>) =>
  Effect.promise(async () => {
    await using sql = new SQL(url, { max: 2 })
    await sql.unsafe(`
      create extension if not exists vector;
      create table bare (id bigint generated always as identity primary key, chatbot_id uuid not null, title text not null,
        content text not null, embedding vector(384) not null);
      create index on bare (chatbot_id);
      create index on bare using hnsw (embedding vector_cosine_ops)`)
    const chatbot_id = crypto.randomUUID()
    let chunks = 0
    const begin = performance.now()
    for (const { name, text } of files) {
      const rows = chunk({ text, title: name }).map((piece) => ({
        chatbot_id,
        title: name,
        content: piece.text,
        embedding: `[${embed(piece.text).join(",")}]`,
      }))
      for (let from = 0; from < rows.length; from += ROWS_PER_INSERT) {
        await sql`insert into bare ${sql(rows.slice(from, from + ROWS_PER_INSERT))}`
      }
      chunks += rows.length
    }
    return { chunks, milliseconds: performance.now() - begin }
  })

/** Measures each stage by itself, one file after the other, in this process. */
const stages = Effect.fnUntraced(function* (files: ReadonlyArray<CorpusFile>) {
  const embeddings = yield* Embeddings
  const chunks = yield* Chunks
  const chatbotId = yield* makeChatbot("Stages")
  const spent = { extract: 0, chunk: 0, embed: 0, insert: 0 }
  const timed = <A, E, R>(stage: keyof typeof spent, work: Effect.Effect<A, E, R>) =>
    Effect.suspend(() => {
      const begin = performance.now()
      return Effect.tap(work, () => Effect.sync(() => void (spent[stage] += performance.now() - begin)))
    })
  let count = 0
  for (const { name, text } of files) {
    const source = { format: "md" as const, name, content: new Blob([text]) }
    const document = yield* timed(
      "extract",
      Effect.promise(async () => readDocument({ ...source, bytes: await source.content.bytes() })),
    )
    const pieces = yield* timed(
      "chunk",
      Effect.sync(() => chunk(document)),
    )
    const documentId = yield* addEmptyDocument(chatbotId, name, pieces.length)
    for (let from = 0; from < pieces.length; from += BATCH) {
      const batch = pieces.slice(from, from + BATCH)
      const vectors = yield* timed("embed", embeddings.embedDocuments(batch.map((piece) => piece.text)))
      const rows = batch.map((piece, index) => ({
        id: ChunkId.make(crypto.randomUUID()),
        ordinal: piece.ordinal,
        headings: piece.headings,
        content: piece.text,
        page: piece.page,
        embedding: vectors[index] ?? new Float32Array(1),
        sketch: sketch(vectors[index] ?? new Float32Array(1)),
      }))
      yield* timed(
        "insert",
        chunks.insert({
          chatbotId,
          documentId,
          revision: 1,
          title: document.title,
          language: "english",
          embeddingModel: embeddings.model,
          chunks: rows,
        }),
      )
    }
    count += pieces.length
  }
  for (const [stage, milliseconds] of Object.entries(spent)) {
    yield* Console.log(
      `  ${stage.padEnd(8)} ${milliseconds.toFixed(0).padStart(6)} ms  ${rates(files, count, milliseconds)}`,
    )
  }
})

interface Settings {
  readonly server: string
  readonly files: number
  /** The number of sections of each file. */
  readonly sections: number
  readonly profileDirectory: string | undefined
}

const bench = Effect.fnUntraced(function* ({ server, files: count, sections, profileDirectory }: Settings) {
  const { files } = makeCorpus(count, sections)
  const directory = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "parley-bench-"))),
    (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true })),
  )
  const url = yield* database(server, "ingest")
  const bareUrl = yield* database(server, "bare")
  const child = yield* start({
    script: join(import.meta.dir, "../../src/main.ts"),
    environment: {
      DATA_DIR: join(directory, "data"),
      BOOTSTRAP_API_KEY: apiKey,
      ...withoutLimits,
      LOG_FORMAT: "json",
      DATABASE_URL: url,
    },
    ready: { path: "/readyz" },
    output: join(directory, "parley.log"),
    bunOptions: profileDirectory === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${profileDirectory}`],
  })
  // The first round compiles the code; the second one shows the speed of a warm server.
  yield* upload(child.port, makeCorpus(FILES_PER_UPLOAD, sections).files)
  const before = child.processorTime()
  const backendsBefore = yield* backendTime(url)
  const parley = yield* upload(
    child.port,
    files.map(({ name, text }) => ({ name, text: `${text}\nEnd.` })),
  )
  const perChunk = (milliseconds: number) => (milliseconds / parley.chunks).toFixed(3)
  const own = perChunk(child.processorTime() - before)
  const postgres = perChunk((yield* backendTime(url)) - backendsBefore)
  yield* bare(bareUrl, files.slice(0, FILES_PER_UPLOAD)).pipe(Effect.andThen(dropBare(bareUrl)))
  const yardstick = yield* bare(bareUrl, files)
  yield* Console.log(`${files.length} Markdown files, ${parley.chunks} chunks, through HTTP until they can be searched:
Parley ${rates(files, parley.chunks, parley.milliseconds)}  CPU for a chunk: ${own} ms of its own and ${postgres} ms of Postgres's; ${child.memory().peak.toFixed(0)} MB at most
bare   ${rates(files, yardstick.chunks, yardstick.milliseconds)}
ratio  ${(parley.chunks / parley.milliseconds / (yardstick.chunks / yardstick.milliseconds)).toFixed(2)}

Each stage alone, in one process:`)
  const organization = OrganizationId.make(crypto.randomUUID())
  const storage = Layer.mergeAll(Chunks.layer, Embeddings.layerLocal, SecureRandom.layerWebCrypto).pipe(
    Layer.provideMerge(layerPostgres({ ...defaults.database, url: Redacted.make(url) })),
    Layer.provide(fileSystem),
  )
  yield* Effect.andThen(makeOrganization(organization), stages(files)).pipe(
    Effect.provideService(CurrentOrganization, organization),
    Effect.provide(storage),
  )
})

const dropBare = (url: string) =>
  Effect.promise(async () => {
    await using sql = new SQL(url)
    await sql`drop table bare`
  })

/**
 * Measures speed and memory of ingestion on Postgres, through HTTP, beside a bare script. `DATABASE_URL` names any
 * database of a Postgres server in which others may be made. Options: `--files 200`, `--sections 20` of each,
 * `--profile DIR` for a CPU profile of the server.
 */
export const run = (args: ReadonlyArray<string>): void => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      files: { type: "string", default: "200" },
      sections: { type: "string", default: "20" },
      profile: { type: "string" },
    },
  })
  const server = process.env["DATABASE_URL"]
  if (server === undefined) throw new Error("DATABASE_URL is not set")
  const settings: Settings = {
    server,
    files: Number(values.files),
    sections: Number(values.sections),
    profileDirectory: values.profile,
  }
  NodeRuntime.runMain(Effect.scoped(bench(settings)))
}
