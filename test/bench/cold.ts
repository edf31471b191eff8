import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { NodeRuntime } from "@effect/platform-node-shared"
import { Console, Effect, Fiber } from "effect"
import { ChatbotId, OrganizationId } from "../../src/domain/Ids.ts"
import { CurrentOrganization } from "../../src/domain/Tenancy.ts"
import { SystemSql } from "../../src/storage/sql/Database.ts"
import { type Child, start, withoutLimits } from "./http/Child.ts"
import { makeCorpus } from "./http/Corpus.ts"
import { apiKey, database, forgetFiles } from "./http/Fixture.ts"
import * as Load from "./http/Load.ts"
import { indexesMade, meter, postgresClock } from "./lib/Backends.ts"
import { type BenchEmbeddings, benchEmbeddings, embeddingsOption, startProvider } from "./lib/BenchEmbeddings.ts"
import { addDocument, makeChatbot, publish } from "./lib/Filling.ts"
import { summary } from "./lib/Quantiles.ts"
import { storage as storageOf } from "./lib/Storage.ts"

/*
 * Measures searches without an index in memory: the first of a process, those of knowledge bases that take turns in
 * less memory than they need together, and those of one that is larger than the memory. Meanwhile another client sends
 * small requests.
 */

const CHUNKS_PER_DOCUMENT = 20
const DOCUMENTS_AT_ONCE = 6
const WATCH_EVERY_MILLISECONDS = 10
const REQUESTS_MAX = 1_000_000

const nobody = ChatbotId.make("00000000-0000-4000-8000-000000000000")

interface KnowledgeBase {
  readonly chatbot: ChatbotId
  readonly chunks: number
}

const latenciesOf = (latencies: ReadonlyArray<number>): string => summary(latencies, 0, [0.5, 0.95, 0.99, 1])

/** Makes chatbots with these numbers of chunks by the real code, unless the database has them already. */
const fill = Effect.fnUntraced(function* (sizes: ReadonlyArray<number>) {
  const sql = yield* SystemSql
  const known = sql<KnowledgeBase>`
    select b.id as chatbot, sum(d.chunk_count)::int as chunks from chatbots b join documents d on d.chatbot_id = b.id
    group by b.id order by sum(d.chunk_count), b.id`
  if ((yield* known).length > 0) return yield* known
  const [organization] = yield* sql<{ id: string }>`select id from organizations`
  for (const [number, size] of sizes.entries()) {
    yield* Effect.gen(function* () {
      const chatbot = yield* makeChatbot(`Chatbot ${number}`)
      const { files } = makeCorpus(Math.ceil(size / CHUNKS_PER_DOCUMENT), CHUNKS_PER_DOCUMENT)
      const add = ({ name, text }: (typeof files)[number]) => addDocument(chatbot, name, text.split("\n\n## ").slice(1))
      yield* Effect.forEach(files, add, { concurrency: DOCUMENTS_AT_ONCE, discard: true })
      yield* publish(chatbot)
    }).pipe(Effect.provideService(CurrentOrganization, OrganizationId.make(organization?.id ?? "")))
  }
  yield* sql`vacuum analyze`
  return yield* known
})

const searchOf = (chatbot: ChatbotId, query: string): Uint8Array =>
  Load.requestBytes({
    method: "POST",
    path: `/api/external/chatbot/${chatbot}/query-knowledge`,
    apiKey,
    body: { query },
  })

/** Searches for a while, and measures the longest wait of another client meanwhile. */
const measure = Effect.fnUntraced(function* (
  child: Child,
  name: string,
  requests: ReadonlyArray<Uint8Array>,
  {
    clients,
    milliseconds,
    postgres,
    requestsMax,
  }: {
    readonly clients: number
    readonly milliseconds: number
    readonly postgres: () => number
    readonly requestsMax?: number
  },
) {
  const load = { port: child.port, milliseconds, requestsMax: REQUESTS_MAX }
  const other = [Load.requestBytes({ method: "GET", path: "/healthz", apiKey })]
  const costOf = meter(child, postgres)
  const watch = yield* Effect.forkChild(
    Load.run({ ...load, requests: other, clients: 1, pause: WATCH_EVERY_MILLISECONDS }),
  )
  const { latencies, errors } = yield* Load.run({
    ...load,
    requests,
    clients,
    requestsMax: requestsMax ?? REQUESTS_MAX,
  })
  const watched = requestsMax === undefined ? yield* Fiber.join(watch) : undefined
  yield* Fiber.interrupt(watch)
  yield* Console.log(
    `${name}, ${clients} clients: ${latencies.length} searches  ${latenciesOf(latencies)}  ${errors} errors; ` +
      (watched === undefined ? "" : `others ${latenciesOf(watched.latencies)}; `) +
      costOf(latencies.length),
  )
})

interface Settings {
  readonly server: string
  readonly filled: string | undefined
  readonly sizes: ReadonlyArray<number>
  readonly indexMemory: string
  readonly milliseconds: number
  readonly clients: number
  readonly embeddings: BenchEmbeddings
}

const bench = Effect.fnUntraced(function* (settings: Settings) {
  const directory = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "parley-bench-"))),
    (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true })),
  )
  const url = settings.filled ?? (yield* database(settings.server, "cold"))
  const providerUrl = yield* startProvider(directory)
  const postgres = yield* postgresClock(url)
  const options = {
    script: join(import.meta.dir, "../../src/main.ts"),
    environment: {
      DATA_DIR: join(directory, "data"),
      BOOTSTRAP_API_KEY: apiKey,
      ...withoutLimits,
      LOG_FORMAT: "json",
      DATABASE_URL: url,
      INDEX_MEMORY: settings.indexMemory,
      ...settings.embeddings.environment(providerUrl),
    },
    ready: { path: "/readyz" },
    output: join(directory, "parley.log"),
  }
  // The first start creates the tables and the organization.
  if (settings.filled !== undefined) yield* forgetFiles(url)
  yield* Effect.scoped(start(options))
  const storage = storageOf(url, settings.embeddings, providerUrl)
  yield* Console.log(`Embeddings: ${settings.embeddings.title}\n`)
  const bases = yield* Effect.provide(fill(settings.sizes), storage)
  const largest = Math.max(...bases.map(({ chunks }) => chunks))
  const { questions } = makeCorpus(Math.ceil(largest / CHUNKS_PER_DOCUMENT), CHUNKS_PER_DOCUMENT)
  const some = Array.from({ length: 2_000 }, (_, number) => questions[(number * 7_919) % questions.length] ?? "")
  const small = bases.filter(({ chunks }) => chunks < largest)
  const large = bases.filter(({ chunks }) => chunks === largest)
  const inTurn = some.map((question, number) => searchOf(small[number % small.length]?.chatbot ?? nobody, question))
  const { clients, milliseconds } = settings

  const once = Effect.fnUntraced(function* (run: string) {
    if (small.length > 0) {
      yield* Effect.scoped(
        Effect.gen(function* () {
          const child = yield* start(options)
          yield* indexesMade(url)
          const [first = new Uint8Array()] = inTurn
          yield* measure(child, `${run}: the first search of ${small[0]?.chunks} chunks`, [first], {
            clients: 1,
            milliseconds: 5_000,
            postgres,
            requestsMax: 1,
          })
          yield* measure(child, `${run}: ${small.length} × ${small[0]?.chunks} chunks in turn, from there on`, inTurn, {
            clients: 1,
            milliseconds,
            postgres,
          })
          yield* indexesMade(url)
          yield* measure(child, `${run}: ${small.length} × ${small[0]?.chunks} chunks in turn, later`, inTurn, {
            clients: 1,
            milliseconds,
            postgres,
          })
          yield* measure(child, `${run}: ${small.length} × ${small[0]?.chunks} chunks in turn, later`, inTurn, {
            clients,
            milliseconds,
            postgres,
          })
        }),
      )
    }
    for (const { chatbot, chunks } of large) {
      const requests = some.map((question) => searchOf(chatbot, question))
      yield* Effect.scoped(
        Effect.gen(function* () {
          const child = yield* start(options)
          yield* indexesMade(url)
          yield* measure(child, `${run}: ${chunks} chunks, first`, requests, { clients, milliseconds, postgres })
          yield* indexesMade(url)
          yield* measure(child, `${run}: ${chunks} chunks, later`, requests, { clients, milliseconds, postgres })
        }),
      )
    }
  })
  yield* once("First start")
  yield* once("Restart")
})

/**
 * Options: `--chunks 50000,50000,50000,50000,200000` of one chatbot each, `--index-memory 256MiB`, `--milliseconds
 * 60000` for each measurement, `--clients 4`, `--embeddings` as `BenchEmbeddings` has it, `--filled URL` for a database
 * that is filled already. Each measurement waits until Postgres makes no index. `DATABASE_URL` as for `search`.
 */
export const run = (args: ReadonlyArray<string>): void => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      chunks: { type: "string", default: "50000,50000,50000,50000,200000" },
      "index-memory": { type: "string", default: "256MiB" },
      milliseconds: { type: "string", default: "60000" },
      filled: { type: "string" },
      clients: { type: "string", default: "4" },
      embeddings: embeddingsOption,
    },
  })
  const server = process.env["DATABASE_URL"]
  if (server === undefined) throw new Error("DATABASE_URL is not set")
  NodeRuntime.runMain(
    Effect.scoped(
      bench({
        server,
        filled: values.filled,
        sizes: values.chunks.split(",").map(Number),
        indexMemory: values["index-memory"],
        milliseconds: Number(values.milliseconds),
        clients: Number(values.clients),
        embeddings: benchEmbeddings(values.embeddings),
      }),
    ),
  )
}
