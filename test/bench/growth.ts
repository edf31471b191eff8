import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { NodeRuntime } from "@effect/platform-node-shared"
import { layer as fileSystem } from "@effect/platform-node-shared/NodeFileSystem"
import { Effect, Layer, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { Embeddings } from "../../src/embeddings/Embeddings.ts"
import { Indexer } from "../../src/knowledge/Indexer.ts"
import { Chunks } from "../../src/storage/search/Chunks.ts"
import { VectorIndexes } from "../../src/storage/search/VectorIndexes.ts"
import { layerPostgres } from "../../src/storage/sql/Database.ts"
import { defaults } from "../lib/Defaults.ts"
import { fill } from "./growth/Fill.ts"
import { requests } from "./growth/Requests.ts"
import { search } from "./growth/Search.ts"
import { sizes } from "./growth/Sizes.ts"
import { start, withoutLimits } from "./http/Child.ts"
import { apiKey, forgetFiles } from "./http/Fixture.ts"

const storage = (url: string) =>
  Indexer.layer.pipe(
    Layer.provideMerge(
      Layer.mergeAll(Chunks.layer, VectorIndexes.layer(), Embeddings.layerLocal, SecureRandom.layerWebCrypto),
    ),
    Layer.provideMerge(layerPostgres({ ...defaults.database, url: Redacted.make(url) })),
    Layer.provide(fileSystem),
  )

const PARTS = ["fill", "sizes", "requests", "search"] as const

/**
 * Measures how a database grows. `DATABASE_URL` names a database of its own on Postgres 18, which stays filled. Parts, in
 * this order: `fill` (a new database only), `sizes` (where
 * the bytes are), `requests` (what each request reads), `search` (latencies of the large chatbots). Options of `fill`:
 * `--passages`, of which `--large` and `--huge` belong to one chatbot each, `--messages`, `--chatbots` and
 * `--organizations`; of `search`: `--clients 1,4`, `--milliseconds 10000`
 * and `--questions 100`, which are asked once before, so that what they read is in memory.
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
    },
  })
  const url = process.env["DATABASE_URL"]
  if (url === undefined) throw new Error("DATABASE_URL is not set")
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
    const directory = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "parley-bench-"))),
      (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true })),
    )
    const server = start({
      script: join(import.meta.dir, "../../src/main.ts"),
      environment: {
        DATA_DIR: join(directory, "data"),
        BOOTSTRAP_API_KEY: apiKey,
        DEFAULT_MODEL: "local/extractive",
        LOG_FORMAT: "json",
        DATABASE_URL: url,
        ...withoutLimits,
      },
      ready: { path: "/readyz" },
      output: join(directory, "parley.log"),
    })
    if (includes("fill")) {
      // The first start makes the tables and the first organization.
      yield* Effect.scoped(server)
      yield* fill(size).pipe(Effect.provide(storage(url)))
    }
    if (includes("sizes")) yield* Effect.provide(sizes, storage(url))
    if (!includes("requests") && !includes("search")) return
    if (!includes("fill")) yield* forgetFiles(url)
    const child = yield* server
    if (includes("requests")) yield* Effect.provide(requests(child), storage(url))
    if (includes("search")) {
      const options = {
        clients: values.clients.split(",").map(Number),
        milliseconds: Number(values.milliseconds),
        questions: Number(values.questions),
      }
      yield* Effect.provide(search(child, url, options), storage(url))
    }
  })
  NodeRuntime.runMain(Effect.scoped(bench))
}
