import { parseArgs } from "node:util"
import { NodeRuntime } from "@effect/platform-node-shared"
import { SQL } from "bun"
import { Console, Effect, Fiber, Schema } from "effect"
import { temporaryDirectory } from "../lib/TemporaryDirectory.ts"
import { ChunkId } from "../../src/domain/knowledge/Chunk.ts"
import { OrganizationId } from "../../src/domain/Ids.ts"
import { CurrentOrganization } from "../../src/domain/Tenancy.ts"
import { Embeddings } from "../../src/embeddings/Embeddings.ts"
import { chunk } from "../../src/readers/chunk/Chunker.ts"
import { sketch } from "../../src/knowledge/segments/Sketch.ts"
import { Chunks } from "../../src/storage/search/Chunks.ts"
import { type Child, start } from "./http/Child.ts"
import { type CorpusFile, makeCorpus } from "./http/Corpus.ts"
import { embed } from "./http/FakeProvider.ts"
import { apiKey, database, parley, poster, settled } from "./http/Fixture.ts"
import * as Load from "./http/Load.ts"
import { meter, postgresClock } from "./lib/Backends.ts"
import { type BenchEmbeddings, benchEmbeddings, embeddingsOption, startProvider } from "./lib/BenchEmbeddings.ts"
import { addEmptyDocument, makeChatbot, makeOrganization } from "./lib/Filling.ts"
import { profiled, serverUrl } from "./lib/Options.ts"
import { quantile } from "./lib/Quantiles.ts"
import { storage } from "./lib/Storage.ts"
import { readDocument } from "../lib/Defaults.ts"

const FILES_PER_UPLOAD = 10
const UPLOADS_AT_ONCE = 2
const ROWS_PER_INSERT = 100
const BATCH = 64
const MEBIBYTE = 2 ** 20
/** How long the other callers are measured before the ingestion. */
const ALONE_MILLISECONDS = 10_000
/** One stretch of them during the ingestion, after which it may have ended. */
const STRETCH_MILLISECONDS = 500
/** Files of some 20 chunks each: as many as a model in the server reads within a minute, or the others within seconds. */
const FILES = { inServer: "16", others: "200" }

const Created = Schema.fromJsonString(Schema.Struct({ chatbot: Schema.Struct({ id: Schema.String }) }))

const createdOf = Schema.decodeSync(Created)

/** A number with three digits that count, as far as it has fewer in front of its point. */
const rate = (perSecond: number): string => perSecond.toFixed(perSecond < 10 ? 2 : perSecond < 100 ? 1 : 0).padStart(6)

const rates = (files: ReadonlyArray<CorpusFile>, chunks: number, milliseconds: number): string => {
  const seconds = milliseconds / 1_000
  const bytes = files.reduce((sum, file) => sum + Buffer.byteLength(file.text), 0)
  return `${rate(files.length / seconds)} files/s ${rate(chunks / seconds)} chunks/s ${rate(bytes / MEBIBYTE / seconds)} MB/s`
}

/** Ingests through HTTP, and measures from the first upload until the last passage has its vector. */
const upload = (port: number, url: string, files: ReadonlyArray<CorpusFile>) =>
  Effect.promise(async () => {
    const post = poster(port)
    const { chatbot } = createdOf(await post("/api/external/chatbots", '{"name":"Ingest"}'))
    const waiting = Array.from({ length: Math.ceil(files.length / FILES_PER_UPLOAD) }, (_, index) =>
      files.slice(index * FILES_PER_UPLOAD, (index + 1) * FILES_PER_UPLOAD),
    )
    const begin = performance.now()
    const client = async (): Promise<void> => {
      for (let batch = waiting.shift(); batch !== undefined; batch = waiting.shift()) {
        const form = new FormData()
        form.set("chatbotId", chatbot.id)
        for (const { name, text } of batch) form.append("files", new File([text], name, { type: "text/markdown" }))
        await post("/api/embedfiles", form)
      }
    }
    await Promise.all(Array.from({ length: UPLOADS_AT_ONCE }, client))
    await settled(port, chatbot.id)
    const milliseconds = performance.now() - begin
    await using sql = new SQL(url, { max: 1 })
    const [read]: ReadonlyArray<{ chunks: number; unread: number }> = await sql`
      select coalesce(sum(chunk_count), 0)::int as chunks, count(*) filter (where status <> 'ready')::int as unread
      from documents where chatbot_id = ${chatbot.id}`
    if (read === undefined || read.unread > 0) throw new Error(`${read?.unread} files were not read`)
    return { chatbot: chatbot.id, chunks: read.chunks, milliseconds }
  })

/** Pauses of the other callers: a search, and a request for a chatbot. */
const OTHERS = { searches: 100, GETs: 20 } as const

/** The latencies of other callers, who ask the server at the same time. */
const others = Effect.fnUntraced(function* (
  child: Child,
  chatbot: string,
  questions: ReadonlyArray<string>,
  milliseconds: number,
) {
  const path = `/api/external/chatbot/${chatbot}`
  const searches = questions.map((query) =>
    Load.requestBytes({ method: "POST", path: `${path}/query-knowledge`, apiKey, body: { query } }),
  )
  const load = { port: child.port, clients: 1, milliseconds, requestsMax: Number.POSITIVE_INFINITY }
  const [searching, getting] = yield* Effect.all(
    [
      Load.run({ ...load, requests: searches, pause: OTHERS.searches }),
      Load.run({ ...load, requests: [Load.requestBytes({ method: "GET", path, apiKey })], pause: OTHERS.GETs }),
    ],
    { concurrency: "unbounded" },
  )
  return { searches: searching, GETs: getting }
})

type Others = Effect.Success<ReturnType<typeof others>>

/** Asks as long as the work takes, in stretches, of which the last one is over soon after it. */
const othersWhile = Effect.fnUntraced(function* <A>(
  ask: (stretch: number) => Effect.Effect<Others>,
  work: Effect.Effect<A>,
) {
  const working = yield* Effect.forkChild(work)
  const stretches: Array<Others> = []
  while (working.pollUnsafe() === undefined) stretches.push(yield* ask(stretches.length))
  return { result: yield* Fiber.join(working), stretches }
})

const latenciesOf = (stretches: ReadonlyArray<Others>, kind: keyof Others) => ({
  latencies: stretches.flatMap((stretch) => stretch[kind].latencies),
  errors: stretches.reduce((sum, stretch) => sum + stretch[kind].errors, 0),
})

const comparedWith = (alone: ReadonlyArray<Others>, meanwhile: ReadonlyArray<Others>): string =>
  (["searches", "GETs"] as const)
    .map((kind) => {
      const [before, during] = [latenciesOf(alone, kind), latenciesOf(meanwhile, kind)]
      const compared = [0.5, 0.99].map((share) => {
        const [one, other] = [quantile(before.latencies, share), quantile(during.latencies, share)]
        return `p${100 * share} ${one.toFixed(1)} ms alone, ${other.toFixed(1)} ms meanwhile (${(other / one).toFixed(2)} ×)`
      })
      return `${kind.padEnd(8)} ${compared.join("; ")}; ${during.latencies.length} answers, ${before.errors + during.errors} errors`
    })
    .join("\n")

/** Measures the simplest conceivable ingestion: no stored files, no queue, no lexemes, and vectors from the provider. */
const bare = (url: string, files: ReadonlyArray<CorpusFile>, dimensions: number) =>
  Effect.promise(async () => {
    await using sql = new SQL(url, { max: 2 })
    await sql.unsafe(`
      create extension if not exists vector;
      create table bare (id bigint generated always as identity primary key, chatbot_id uuid not null, title text not null,
        content text not null, embedding vector(${dimensions}) not null);
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
        embedding: `[${embed(piece.text, dimensions).join(",")}]`,
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
  readonly embeddings: BenchEmbeddings
}

const bench = Effect.fnUntraced(function* ({ server, files: count, sections, profileDirectory, embeddings }: Settings) {
  const { files, questions } = makeCorpus(count, sections)
  const directory = yield* temporaryDirectory("bench")
  const url = yield* database(server, "ingest")
  const bareUrl = yield* database(server, "bare")
  const providerUrl = yield* startProvider(directory)
  const options = parley(directory, { DATABASE_URL: url, ...embeddings.environment(providerUrl) })
  const child = yield* start(profiled(options, profileDirectory))
  // The first round compiles the code; the next ones show the speed of a warm server.
  const first = yield* upload(child.port, url, makeCorpus(embeddings.isInServer ? 1 : FILES_PER_UPLOAD, sections).files)
  const copies = (mark: string) => files.map(({ name, text }) => ({ name, text: `${text}\n${mark}.` }))
  const costOf = meter(child, yield* postgresClock(server))
  const whole = yield* upload(child.port, url, copies("End"))
  const cost = costOf(whole.chunks)
  const ask = (stretch: number, milliseconds: number) =>
    others(
      child,
      first.chatbot,
      Array.from(questions.keys(), (index) => `${questions[index]} ${stretch}`),
      milliseconds,
    )
  yield* ask(0, ALONE_MILLISECONDS)
  const alone = yield* ask(1, ALONE_MILLISECONDS)
  const { result: shared, stretches } = yield* othersWhile(
    (stretch) => ask(2 + stretch, STRETCH_MILLISECONDS),
    upload(child.port, url, copies("Again")),
  )
  yield* bare(bareUrl, files.slice(0, FILES_PER_UPLOAD), embeddings.dimensions).pipe(Effect.andThen(dropBare(bareUrl)))
  const yardstick = yield* bare(bareUrl, files, embeddings.dimensions)
  yield* Console.log(`Embeddings: ${embeddings.title}

${files.length} Markdown files, ${whole.chunks} chunks, through HTTP until all have their vectors:
Parley ${rates(files, whole.chunks, whole.milliseconds)}  for a chunk: ${cost}
bare   ${rates(files, yardstick.chunks, yardstick.milliseconds)}
ratio  ${(whole.chunks / whole.milliseconds / (yardstick.chunks / yardstick.milliseconds)).toFixed(2)}

The same again, while one caller searches another chatbot, with a pause of ${OTHERS.searches} ms, and one gets it, with ${OTHERS.GETs} ms:
Parley ${rates(files, shared.chunks, shared.milliseconds)}
${comparedWith([alone], stretches)}`)
  // What a model in the server costs is nearly all of the above.
  if (embeddings.isInServer) return
  yield* Console.log("\nEach stage alone, in one process:")
  const organization = OrganizationId.make(crypto.randomUUID())
  yield* Effect.andThen(makeOrganization(organization), stages(files)).pipe(
    Effect.provideService(CurrentOrganization, organization),
    Effect.provide(storage(url, embeddings, providerUrl)),
  )
})

const dropBare = (url: string) =>
  Effect.promise(async () => {
    await using sql = new SQL(url)
    await sql`drop table bare`
  })

/**
 * Measures speed and memory of ingestion on Postgres, through HTTP, beside a bare script. `DATABASE_URL` names any
 * database of a Postgres server in which others may be made. The same files are read once more while others search and
 * get. Options: `--files 200`, or by default 16 with a model in the server, `--sections 20` of each, `--profile DIR` for
 * a CPU profile of the server, and `--embeddings` as `BenchEmbeddings` has it.
 */
export const run = (args: ReadonlyArray<string>): void => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      files: { type: "string" },
      sections: { type: "string", default: "20" },
      profile: { type: "string" },
      embeddings: embeddingsOption,
    },
  })
  const embeddings = benchEmbeddings(values.embeddings)
  const settings: Settings = {
    server: serverUrl(),
    embeddings,
    files: Number(values.files ?? (embeddings.isInServer ? FILES.inServer : FILES.others)),
    sections: Number(values.sections),
    profileDirectory: values.profile,
  }
  NodeRuntime.runMain(Effect.scoped(bench(settings)))
}
