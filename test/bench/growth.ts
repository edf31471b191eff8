import { parseArgs } from "node:util"
import { NodeRuntime } from "@effect/platform-node-shared"
import { Console, Effect } from "effect"
import { temporaryDirectory } from "../lib/TemporaryDirectory.ts"
import { Embeddings } from "../../src/embeddings/Embeddings.ts"
import { SystemSql } from "../../src/storage/sql/Database.ts"
import { fill } from "./growth/Fill.ts"
import { requests } from "./growth/Requests.ts"
import { search } from "./growth/Search.ts"
import { sizes } from "./growth/Sizes.ts"
import { start } from "./http/Child.ts"
import { forgetFiles, parley } from "./http/Fixture.ts"
import { benchEmbeddings, embeddingsOption, startProvider } from "./lib/BenchEmbeddings.ts"
import { numbersOf, serverUrl } from "./lib/Options.ts"
import { storage } from "./lib/Storage.ts"

/** Refuses a database with the vectors of another model: the server would embed millions of passages again. */
const sameModel = Effect.gen(function* () {
  const sql = yield* SystemSql
  const { model } = yield* Embeddings
  const [filled] = yield* sql<{ model: string }>`select embedding_model as model from bench_passages limit 1`
  if (filled?.model !== model) {
    return yield* Effect.die(
      new Error(`The database has vectors of ${filled?.model}, not of ${model}: see --embeddings`),
    )
  }
})

const PARTS = ["fill", "sizes", "requests", "search"] as const

/**
 * Measures how a database grows. `DATABASE_URL` names a database of its own on Postgres 18, which stays filled. Parts, in
 * this order: `fill` (a new database only), `sizes` (where
 * the bytes are), `requests` (what each request reads), `search` (latencies of the large chatbots). Options of `fill`:
 * `--passages`, of which `--large` and `--huge` belong to one chatbot each, `--messages`, `--chatbots` and
 * `--organizations`; of `search`: `--clients 1,4`, `--milliseconds 10000`
 * and `--questions 100`, which are asked once before, so that what they read is in memory; of all: `--embeddings` as
 * `BenchEmbeddings` has it, the same as when the database was filled.
 */
export const run = (args: ReadonlyArray<string>): void => {
  const { positionals, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      passages: { type: "string", default: "2000000" },
      large: { type: "string", default: "200000" },
      huge: { type: "string", default: "1000000" },
      messages: { type: "string", default: "5000000" },
      chatbots: { type: "string", default: "100000" },
      organizations: { type: "string", default: "1000" },
      clients: { type: "string", default: "1,4" },
      milliseconds: { type: "string", default: "10000" },
      questions: { type: "string", default: "100" },
      embeddings: embeddingsOption,
    },
  })
  const url = serverUrl()
  const size = {
    passages: Number(values.passages),
    large: Number(values.large),
    huge: Number(values.huge),
    messages: Number(values.messages),
    chatbots: Number(values.chatbots),
    organizations: Number(values.organizations),
  }
  const asked = new Set(positionals.length === 0 ? PARTS : positionals)
  const includes = (part: (typeof PARTS)[number]) => asked.has(part)

  const bench = Effect.gen(function* () {
    const directory = yield* temporaryDirectory("bench")
    const embeddings = benchEmbeddings(values.embeddings)
    const providerUrl = yield* startProvider(directory)
    const provided = storage(url, embeddings, providerUrl)
    yield* Console.log(`Embeddings: ${embeddings.title}\n`)
    const server = start(
      parley(directory, {
        DEFAULT_MODEL: "local/extractive",
        DATABASE_URL: url,
        ...embeddings.environment(providerUrl),
      }),
    )
    if (includes("fill")) {
      // The first start makes the tables and the first organization.
      yield* Effect.scoped(server)
      yield* fill(size).pipe(Effect.provide(provided))
    }
    if (includes("sizes")) yield* Effect.provide(sizes, provided)
    if (!includes("requests") && !includes("search")) return
    if (!includes("fill")) yield* Effect.andThen(forgetFiles(url), Effect.provide(sameModel, provided))
    const child = yield* server
    if (includes("requests")) yield* Effect.provide(requests(child), provided)
    if (includes("search")) {
      const options = {
        clients: numbersOf(values.clients),
        milliseconds: Number(values.milliseconds),
        questions: Number(values.questions),
      }
      yield* Effect.provide(search(child, url, options), provided)
    }
  })
  NodeRuntime.runMain(Effect.scoped(bench))
}
