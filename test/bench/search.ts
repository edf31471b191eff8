import { parseArgs } from "node:util"
import { NodeRuntime } from "@effect/platform-node-shared"
import { SQL } from "bun"
import { Console, Effect } from "effect"
import { temporaryDirectory } from "../lib/TemporaryDirectory.ts"
import { type ChatbotId, OrganizationId } from "../../src/domain/Ids.ts"
import { CurrentOrganization } from "../../src/domain/Tenancy.ts"
import { SystemSql } from "../../src/storage/sql/Database.ts"
import { type Child, start } from "./http/Child.ts"
import { makeCorpus } from "./http/Corpus.ts"
import { embed } from "./http/FakeProvider.ts"
import { apiKey, database, parley } from "./http/Fixture.ts"
import * as Load from "./http/Load.ts"
import { indexesMade, meter, postgresClock } from "./lib/Backends.ts"
import { type BenchEmbeddings, benchEmbeddings, embeddingsOption, startProvider } from "./lib/BenchEmbeddings.ts"
import { addDocument, makeChatbot, publish } from "./lib/Filling.ts"
import { summary } from "./lib/Quantiles.ts"
import { storage as storageOf } from "./lib/Storage.ts"

interface Settings {
  readonly server: string
  /** The numbers of chunks of the large chatbots. */
  readonly chunks: ReadonlyArray<number>
  /** The number of further chatbots, of `CHUNKS_OF_SMALL` chunks each. */
  readonly small: number
  readonly clients: ReadonlyArray<number>
  readonly milliseconds: number
  /** The memory for indexes, as the setting is written. */
  readonly indexMemory: string | undefined
  readonly profileDirectory: string | undefined
  /** As the setting `WORKERS` is written. */
  readonly workers: string
  readonly embeddings: BenchEmbeddings
}

const CHUNKS_OF_SMALL = 100
const CHUNKS_PER_DOCUMENT = 20
const DOCUMENTS_AT_ONCE = 6
const WARM_UP_MILLISECONDS = 4_000
const QUERIES_OF_BARE = 300
const REQUESTS_MAX = 1_000_000

interface KnowledgeBase {
  readonly chatbot: ChatbotId
  readonly questions: ReadonlyArray<string>
  readonly texts: ReadonlyArray<string>
}

/** Makes chatbots with these numbers of chunks by the real code. */
const fill = Effect.fnUntraced(function* (chunks: number, name: string) {
  const chatbot = yield* makeChatbot(name)
  const { files, questions } = makeCorpus(Math.ceil(chunks / CHUNKS_PER_DOCUMENT), CHUNKS_PER_DOCUMENT)
  const documents = files.map(({ name, text }) => ({ name, texts: text.split("\n\n## ").slice(1) }))
  yield* Effect.forEach(documents, ({ name, texts }) => addDocument(chatbot, name, texts), {
    concurrency: DOCUMENTS_AT_ONCE,
    discard: true,
  })
  yield* publish(chatbot)
  return { chatbot, questions, texts: documents.flatMap(({ texts }) => texts) } satisfies KnowledgeBase
})

const requestOf = (chatbot: ChatbotId, query: string): Uint8Array =>
  Load.requestBytes({
    method: "POST",
    path: `/api/external/chatbot/${chatbot}/query-knowledge`,
    apiKey,
    body: { query },
  })

/** Measures the milliseconds of one request. */
const once = Effect.fnUntraced(function* (child: Child, request: Uint8Array) {
  const begin = performance.now()
  yield* Load.answerOf(child.port, request)
  return performance.now() - begin
})

const load = Effect.fnUntraced(function* (
  child: Child,
  name: string,
  requests: ReadonlyArray<Uint8Array>,
  { clients, milliseconds, url }: Pick<Settings, "clients" | "milliseconds"> & { readonly url: string },
) {
  const postgres = yield* postgresClock(url)
  yield* Load.run({
    port: child.port,
    requests,
    clients: 16,
    milliseconds: WARM_UP_MILLISECONDS,
    requestsMax: REQUESTS_MAX,
  })
  yield* indexesMade(url)
  for (const count of clients) {
    const costOf = meter(child, postgres)
    const outcome = yield* Load.run({
      port: child.port,
      requests,
      clients: count,
      milliseconds,
      requestsMax: REQUESTS_MAX,
    })
    const answered = outcome.latencies.length
    const perSecond = (1_000 * answered) / outcome.milliseconds
    yield* Console.log(
      `${name}, ${String(count).padStart(2)} clients: ${perSecond.toFixed(0).padStart(5)} requests/s  ${summary(outcome.latencies)}` +
        `  ${outcome.errors} errors; ${costOf(answered)}`,
    )
  }
})

/** Measures a bare search for the nearest of the same passages in SQL, by an HNSW index and exactly. */
const bare = (url: string, { texts, questions }: KnowledgeBase, dimensions: number) =>
  Effect.promise(async () => {
    await using sql = new SQL(url, { max: 1 })
    await sql.unsafe(`
      create table bare (id int primary key, chatbot_id int not null, content text not null, embedding vector(${dimensions}) not null);
      alter table bare alter column embedding set storage plain;
      set maintenance_work_mem = '512MB';
      set random_page_cost = 1.1`)
    for (let from = 0; from < texts.length; from += 1_000) {
      const rows = texts.slice(from, from + 1_000).map((content, index) => ({
        id: from + index,
        chatbot_id: 1,
        content,
        embedding: `[${embed(content, dimensions).join(",")}]`,
      }))
      await sql`insert into bare ${sql(rows)}`
    }
    await sql.unsafe("create index on bare (chatbot_id); analyze bare")
    const measure = async (): Promise<string> => {
      const latencies: Array<number> = []
      for (const question of questions.slice(0, QUERIES_OF_BARE)) {
        const vector = `[${embed(question, dimensions).join(",")}]`
        const begin = performance.now()
        await sql`select content, 1 - (embedding <=> ${vector}::vector) as similarity from bare
          where chatbot_id = 1 order by embedding <=> ${vector}::vector limit 5`
        latencies.push(performance.now() - begin)
      }
      return summary(latencies)
    }
    await measure()
    const exact = await measure()
    await sql.unsafe(
      "create index on bare using hnsw (embedding vector_cosine_ops); set hnsw.iterative_scan = strict_order",
    )
    await measure()
    const indexed = await measure()
    await sql.unsafe("drop table bare")
    return { exact, indexed }
  })

const bench = Effect.fnUntraced(function* (settings: Settings) {
  const directory = yield* temporaryDirectory("bench")
  const url = yield* database(settings.server, "search")
  const providerUrl = yield* startProvider(directory)
  const options = parley(directory, {
    DATABASE_URL: url,
    WORKERS: settings.workers,
    ...settings.embeddings.environment(providerUrl),
    ...(settings.indexMemory === undefined ? {} : { INDEX_MEMORY: settings.indexMemory }),
  })
  // The first start creates the tables and the organization.
  yield* Effect.scoped(start(options))
  const storage = storageOf(url, settings.embeddings, providerUrl)
  yield* Console.log(`Embeddings: ${settings.embeddings.title}\n`)
  const filled = yield* Effect.gen(function* () {
    const sql = yield* SystemSql
    const [organization] = yield* sql<{ id: string }>`select id from organizations`
    const owned = Effect.provideService(CurrentOrganization, OrganizationId.make(organization?.id ?? ""))
    const large = yield* Effect.forEach(settings.chunks, (chunks) => fill(chunks, `${chunks} chunks`)).pipe(owned)
    const numbers = Array.from({ length: settings.small }, (_, number) => number)
    const small = yield* Effect.forEach(numbers, (number) => fill(CHUNKS_OF_SMALL, `Small ${number}`)).pipe(owned)
    yield* sql`analyze`
    return { large, small }
  }).pipe(Effect.provide(storage))

  for (const base of filled.large) {
    const child = yield* start({
      ...options,
      bunOptions:
        settings.profileDirectory === undefined
          ? []
          : ["--cpu-prof", "--cpu-prof-md", `--cpu-prof-dir=${settings.profileDirectory}`],
    })
    const name = `${base.texts.length} chunks`
    const requests = base.questions.map((question) => requestOf(base.chatbot, question))
    const [first = new Uint8Array()] = requests
    const rest = child.memory().now
    const cold = yield* once(child, first)
    yield* load(child, name, requests, { ...settings, url })
    const changed = yield* Effect.gen(function* () {
      yield* addDocument(base.chatbot, "New", base.texts.slice(0, CHUNKS_PER_DOCUMENT))
      yield* publish(base.chatbot)
    }).pipe(
      Effect.andThen(once(child, first)),
      Effect.provideService(CurrentOrganization, yield* organizationOf(url)),
      Effect.provide(storage),
    )
    const { exact, indexed } = yield* bare(url, base, settings.embeddings.dimensions)
    const { now, peak } = child.memory()
    yield* Console.log(`${name}, first search of a process ${cold.toFixed(0)} ms, after a change ${changed.toFixed(0)} ms
${name}, the bare vector SQL alone, 1 client: by HNSW ${indexed}; exactly ${exact}
${name}, memory of the server: ${rest.toFixed(0)} MB at rest, ${now.toFixed(0)} MB now, ${peak.toFixed(0)} MB at most`)
  }
  if (filled.small.length > 0) {
    const child = yield* start(options)
    const requests = filled.small.flatMap(({ chatbot, questions }, number) =>
      [0, 1, 2].map((turn) => requestOf(chatbot, questions[(number + 37 * turn) % questions.length] ?? "")),
    )
    // Builds each index before the measurement.
    for (const request of requests) yield* once(child, request)
    yield* load(child, `${settings.small} chatbots of ${CHUNKS_OF_SMALL} chunks`, requests, { ...settings, url })
    const { now, peak } = child.memory()
    yield* Console.log(`Memory of the server: ${now.toFixed(0)} MB now, ${peak.toFixed(0)} MB at most`)
  }
})

const organizationOf = (url: string) =>
  Effect.promise(async () => {
    await using sql = new SQL(url)
    const [row]: ReadonlyArray<{ id: string }> = await sql`select id from organizations`
    return OrganizationId.make(row?.id ?? "")
  })

/**
 * Measures speed and memory of searches through HTTP on Postgres, at size. `DATABASE_URL` names any database of a
 * Postgres server in which others may be made. Options: `--chunks 20000,27000` of one chatbot each, `--small 1000`
 * chatbots of 100 chunks each, `--clients 1,64`, `--milliseconds 6000`, `--index-memory 1MiB` for searches without an
 * index in memory, `--workers 2`, `--profile DIR` for a CPU profile, and `--embeddings` as `BenchEmbeddings` has it.
 */
export const run = (args: ReadonlyArray<string>): void => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      chunks: { type: "string", default: "20000,27000" },
      small: { type: "string", default: "0" },
      clients: { type: "string", default: "1,64" },
      milliseconds: { type: "string", default: "6000" },
      "index-memory": { type: "string" },
      profile: { type: "string" },
      workers: { type: "string", default: "1" },
      embeddings: embeddingsOption,
    },
  })
  const server = process.env["DATABASE_URL"]
  if (server === undefined) throw new Error("DATABASE_URL is not set")
  const settings: Settings = {
    server,
    chunks: values.chunks.split(",").filter(Boolean).map(Number),
    small: Number(values.small),
    clients: values.clients.split(",").map(Number),
    milliseconds: Number(values.milliseconds),
    indexMemory: values["index-memory"],
    profileDirectory: values.profile,
    workers: values.workers,
    embeddings: benchEmbeddings(values.embeddings),
  }
  NodeRuntime.runMain(Effect.scoped(bench(settings)))
}
