import { join } from "node:path"
import { Effect, Schema } from "effect"
import { Source } from "../../../src/domain/knowledge/Source.ts"
import { Client, read } from "../../lib/Client.ts"
import { temporaryDirectory } from "../../lib/TemporaryDirectory.ts"
import { html, sends, trapSite } from "../../lib/TrapSite.ts"
import { start } from "../http/Child.ts"
import { apiKey, database } from "../http/Fixture.ts"
import * as Load from "../http/Load.ts"
import type { Finding, Part } from "../lib/Parts.ts"
import { quantile } from "../lib/Quantiles.ts"

/** As many as a server reads at once. */
const SITES = 8
const PAGES = 2_000
const SENTENCES = 40
const CLIENTS = 8
const PAUSE_MILLISECONDS = 40
const ROUND_MILLISECONDS = 12_000
const WARM_UP_MILLISECONDS = 3_000
const DOCUMENTS = 30
const AT_ONCE = 10
/** Until the runs have asked for their first pages. */
const BEGIN_MILLISECONDS = 5_000

/**
 * What requests of one organization take while another one reads websites, beside the same requests alone, before and after: a server with
 * its own pauses reads eight sites at once, and makes their pages searchable. On the embedded database, or on
 * `--postgres URL`.
 */
export const part: Part = ({ postgres, scale }) => Effect.runPromise(Effect.scoped(bench(postgres, scale)))

const website = Effect.fnUntraced(function* () {
  const site = yield* trapSite
  const paths = Array.from({ length: PAGES - 1 }, (_, index) => `/guide/p${index}`)
  site.pages.set("127.0.0.1/guide/", sends(html("Guide", paths)))
  for (const path of paths) {
    const sentences = Array.from(
      { length: SENTENCES },
      (_, index) => `<p>Sentence ${index} of ${path} on ${site.port}.</p>`,
    )
    site.pages.set(`127.0.0.1${path}`, sends(html(`Page ${path} on ${site.port}`, [], sentences.join("\n"))))
  }
  return site
})

const bench = Effect.fnUntraced(function* (postgres: string | undefined, scale: number) {
  const directory = yield* temporaryDirectory("server")
  const child = yield* start({
    script: join(import.meta.dir, "../../../src/main.ts"),
    environment: {
      DATA_DIR: join(directory, "data"),
      BOOTSTRAP_API_KEY: apiKey,
      DEFAULT_MODEL: "local/extractive",
      RATE_LIMIT: "off",
      TOOL_PRIVATE_NETWORKS: "127.0.0.1",
      LOG_LEVEL: "warn",
      ...(postgres !== undefined && { DATABASE_URL: yield* database(postgres, "crawls") }),
    },
    ready: { path: "/readyz" },
    output: join(directory, "server.log"),
  })
  const client = new Client(`http://127.0.0.1:${child.port}`, apiKey)
  const { id } = yield* Effect.promise(() => client.newChatbot())
  for (let from = 0; from < DOCUMENTS; from += AT_ONCE) {
    const files = Array.from({ length: AT_ONCE }, (_, index): [string, string] => [
      `${from + index}.md`,
      `# Ship ${from + index}\n\n${`The ship number ${from + index} sails at noon from the harbour of the island. `.repeat(20)}`,
    ])
    yield* Effect.promise(() => client.learn(id, Object.fromEntries(files)))
  }
  const request = (method: "GET" | "POST", suffix: string, body?: unknown) =>
    Load.requestBytes({
      method,
      path: `/api/external/chatbot/${id}${suffix}`,
      apiKey,
      ...(body !== undefined && { body }),
    })
  const scenarios = {
    "GET chatbot": request("GET", ""),
    search: request("POST", "/query-knowledge", { query: "When does the ship sail?" }),
    chat: request("POST", "/chat", { messages: [{ role: "user", content: "When does ship 7 sail?" }] }),
  }
  const ask = (bytes: Uint8Array, milliseconds: number) =>
    Load.run({
      port: child.port,
      requests: [bytes],
      clients: CLIENTS,
      milliseconds,
      pause: PAUSE_MILLISECONDS,
      requestsMax: Number.POSITIVE_INFINITY,
    })
  const askAll = Effect.forEach(Object.entries(scenarios), ([name, bytes]) =>
    Effect.gen(function* () {
      yield* ask(bytes, WARM_UP_MILLISECONDS * scale)
      const processor = child.processorTime()
      const outcome = yield* ask(bytes, ROUND_MILLISECONDS * scale)
      return { name, ...outcome, processor: (child.processorTime() - processor) / outcome.milliseconds }
    }),
  )
  const alone = yield* askAll

  const other = yield* Effect.promise(() => client.newOrganization())
  const { id: readers } = yield* Effect.promise(() => other.newChatbot())
  const sites = yield* Effect.forEach(Array.from({ length: SITES }), website)
  const knowledge = `/api/external/chatbot/${readers}/knowledge-base`
  const made: Array<string> = []
  for (const [index, { at }] of sites.entries()) {
    const json = { kind: "website", name: `Site ${index}`, urls: [at("127.0.0.1", "/guide/")] }
    const reply = yield* Effect.promise(() => other.post(`/api/external/chatbot/${readers}/sources`, { json }))
    made.push(read(Schema.Struct({ source: Source }), reply).source.id)
  }
  yield* Effect.sleep(BEGIN_MILLISECONDS)
  const requests = () => sites.reduce((sum, site) => sum + site.requests.length, 0)
  const [from, begun] = [requests(), performance.now()]
  const during = yield* askAll
  const perSecond = ((requests() - from) * 1_000) / (performance.now() - begun)
  const documents = Object(
    Object((yield* Effect.promise(() => other.get(`${knowledge}/documents?status=ready`))).body).metadata,
  )
  for (const id of made) yield* Effect.promise(() => other.delete(`/api/external/chatbot/${readers}/sources/${id}`))
  yield* Effect.sleep(BEGIN_MILLISECONDS)
  const afterwards = yield* askAll
  return [
    {
      name: `Pages read of ${SITES} sites meanwhile, per second; searchable in the end`,
      value: `${perSecond.toFixed(1)}; ${documents.totalCount}`,
      isKept: perSecond > 0 && documents.totalCount > 0,
    },
    ...alone.map(({ errors, latencies, name, processor }, index): Finding => {
      const [beside, later] = [during[index], afterwards[index]]
      const rounds = [latencies, beside?.latencies ?? [], later?.latencies ?? []]
      const show = (share: number) => rounds.map((all) => quantile(all, share).toFixed(1)).join(", ")
      const ratio =
        quantile(beside?.latencies ?? [], 0.99) / quantile([...latencies, ...(later?.latencies ?? [])], 0.99)
      const processors = [processor, beside?.processor, later?.processor].map((share) => share?.toFixed(2)).join(", ")
      return {
        name: `${name}, ${(latencies.length / ((ROUND_MILLISECONDS * scale) / 1_000)).toFixed(0)} requests/s: alone, beside the crawls, alone again`,
        value: `p50 ${show(0.5)}; p99 ${show(0.99)} ms (${ratio.toFixed(2)} ×); processors of the server ${processors}`,
        isKept: errors + (beside?.errors ?? 1) + (later?.errors ?? 1) === 0,
      }
    }),
  ]
})
