import { Effect } from "effect"
import { Client } from "../../lib/Client.ts"
import { operatorKey, serverProcess } from "../../lib/ServerProcess.ts"
import { withoutLimits } from "../http/Child.ts"
import { database } from "../http/Fixture.ts"
import * as Load from "../http/Load.ts"
import type { Finding, Part } from "../lib/Parts.ts"
import { temporaryDirectory } from "../../lib/TemporaryDirectory.ts"

const CLIENTS = 32
const MILLISECONDS = 5_000
const DOCUMENTS = 60
/** As many files as one upload may have. */
const AT_ONCE = 10
const ROUNDS = 2

interface Measured {
  readonly perSecond: number
  readonly p99: number
  readonly errors: number
}

/**
 * Two workers beside one, with the load and the database on the same machine: requests per second, p99, and how the
 * requests spread. It needs `--postgres`.
 */
export const part: Part = async ({ postgres, scale }) => {
  if (postgres === undefined) return [{ name: "Needs --postgres URL", value: "left out" }]
  return Effect.runPromise(Effect.scoped(bench(postgres, scale)))
}

/** Starts a server with so many workers, and returns what measures it. */
const serverOf = Effect.fnUntraced(function* (postgres: string, workers: number) {
  const server = yield* serverProcess({
    PORT: "0",
    DATA_DIR: yield* temporaryDirectory("server"),
    BOOTSTRAP_API_KEY: operatorKey,
    DEFAULT_MODEL: "local/extractive",
    DATABASE_URL: yield* database(postgres, `parley_workers_${workers}`),
    WORKERS: String(workers),
    METRICS_TOKEN: operatorKey,
    ...withoutLimits,
    LOG_LEVEL: "warn",
  })
  const url = yield* Effect.promise(() => server.listening)
  const client = new Client(url, operatorKey)
  const { id } = yield* Effect.promise(() => client.newChatbot())
  const files = Array.from({ length: DOCUMENTS }, (_, index): [string, string] => [
    `${index}.md`,
    `# Ship ${index}\n\n${`The ship number ${index} sails at noon from the harbour of the island. `.repeat(20)}`,
  ])
  for (let from = 0; from < DOCUMENTS; from += AT_ONCE) {
    yield* Effect.promise(() => client.learn(id, Object.fromEntries(files.slice(from, from + AT_ONCE))))
  }
  const path = `/api/external/chatbot/${id}`
  const request = (method: "GET" | "POST", suffix: string, body?: unknown) =>
    Load.requestBytes({ method, path: `${path}${suffix}`, apiKey: operatorKey, ...(body !== undefined && { body }) })
  const scenarios = {
    "GET chatbot": request("GET", ""),
    search: request("POST", "/query-knowledge", { query: "When does the ship sail?" }),
    chat: request("POST", "/chat", { messages: [{ role: "user", content: "When does ship 7 sail?" }] }),
  }
  /** Requests that each worker has answered, by its number. */
  const answered = async (): Promise<ReadonlyMap<string, number>> => {
    const text = await (await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${operatorKey}` } })).text()
    const counts = new Map<string, number>()
    for (const [, labels = "", value] of text.matchAll(
      /^parley_http_request_duration_seconds_count\{(.*)\} (\d+)$/gm,
    )) {
      const worker = /worker="(\d+)"/.exec(labels)?.[1] ?? "1"
      counts.set(worker, (counts.get(worker) ?? 0) + Number(value))
    }
    return counts
  }
  return { port: Number(new URL(url).port), scenarios, answered }
})

const measure = Effect.fnUntraced(function* (port: number, request: Uint8Array, milliseconds: number) {
  const load = { port, requests: [request], clients: CLIENTS, requestsMax: Number.POSITIVE_INFINITY }
  yield* Load.run({ ...load, milliseconds: milliseconds / 5 })
  const { errors, latencies, milliseconds: took } = yield* Load.run({ ...load, milliseconds })
  const sorted = latencies.toSorted((one, other) => one - other)
  return {
    perSecond: (latencies.length * 1_000) / took,
    p99: sorted[Math.floor(sorted.length * 0.99)] ?? 0,
    errors,
  } satisfies Measured
})

const bench = Effect.fnUntraced(function* (postgres: string, scale: number) {
  const one = yield* serverOf(postgres, 1)
  const two = yield* serverOf(postgres, 2)
  const findings: Array<Finding> = []
  for (const name of ["GET chatbot", "search", "chat"] as const) {
    for (let round = 1; round <= ROUNDS; round++) {
      const single = yield* measure(one.port, one.scenarios[name], MILLISECONDS * scale)
      const double = yield* measure(two.port, two.scenarios[name], MILLISECONDS * scale)
      const of = ({ p99, perSecond }: Measured) => `${perSecond.toFixed(0)}/s, p99 ${p99.toFixed(1)} ms`
      findings.push({
        name: `${name}, round ${round}: one worker; two; times as many`,
        value: `${of(single)}; ${of(double)}; ${(double.perSecond / single.perSecond).toFixed(2)}`,
        isKept: single.errors + double.errors === 0,
      })
    }
  }
  const spread = yield* Effect.promise(two.answered)
  const all = spread.values().reduce((sum, count) => sum + count, 0)
  const share = Math.max(0, ...spread.values()) / Math.max(1, all)
  return [
    ...findings,
    {
      name: "Largest share of a worker in the requests of two",
      value: `${(share * 100).toFixed(0)} % of ${all}`,
      isKept: spread.size === 2 && share < 0.7,
    },
  ] satisfies ReadonlyArray<Finding>
})
