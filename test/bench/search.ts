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
import { database, parley } from "./http/Fixture.ts"
import * as Load from "./http/Load.ts"
import { type BenchEmbeddings, benchEmbeddings, embeddingsOption, startProvider } from "./lib/BenchEmbeddings.ts"
import { addDocument, makeChatbot, publish } from "./lib/Filling.ts"
import { numbersOf, profiled, serverUrl } from "./lib/Options.ts"
import { measureSearches, searchRequest } from "./lib/Searches.ts"
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

/** Measures the milliseconds of one request. */
const once = Effect.fnUntraced(function* (child: Child, request: Uint8Array) {
  const begin = performance.now()
  yield* Load.answerOf(child.port, request)
  return performance.now() - begin
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
    const child = yield* start(profiled(options, settings.profileDirectory))
    const name = `${base.texts.length} chunks`
    const requests = base.questions.map((question) => searchRequest(base.chatbot, question))
    const [first = new Uint8Array()] = requests
    const rest = child.memory().now
    const cold = yield* once(child, first)
    yield* measureSearches(child, url, name, requests, settings)
    const changed = yield* Effect.gen(function* () {
      yield* addDocument(base.chatbot, "New", base.texts.slice(0, CHUNKS_PER_DOCUMENT))
      yield* publish(base.chatbot)
    }).pipe(
      Effect.andThen(once(child, first)),
      Effect.provideService(CurrentOrganization, yield* organizationOf(url)),
      Effect.provide(storage),
    )
    const { now, peak } = child.memory()
    yield* Console.log(`${name}, first search of a process ${cold.toFixed(0)} ms, after a change ${changed.toFixed(0)} ms
${name}, memory of the server: ${rest.toFixed(0)} MB at rest, ${now.toFixed(0)} MB now, ${peak.toFixed(0)} MB at most`)
  }
  if (filled.small.length > 0) {
    const child = yield* start(options)
    const requests = filled.small.flatMap(({ chatbot, questions }, number) =>
      [0, 1, 2].map((turn) => searchRequest(chatbot, questions[(number + 37 * turn) % questions.length] ?? "")),
    )
    // Builds each index before the measurement.
    for (const request of requests) yield* once(child, request)
    yield* measureSearches(child, url, `${settings.small} chatbots of ${CHUNKS_OF_SMALL} chunks`, requests, settings)
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
  const settings: Settings = {
    server: serverUrl(),
    chunks: numbersOf(values.chunks),
    small: Number(values.small),
    clients: numbersOf(values.clients),
    milliseconds: Number(values.milliseconds),
    indexMemory: values["index-memory"],
    profileDirectory: values.profile,
    workers: values.workers,
    embeddings: benchEmbeddings(values.embeddings),
  }
  NodeRuntime.runMain(Effect.scoped(bench(settings)))
}
