import { join } from "node:path"
import { Effect, Fiber } from "effect"
import { Client } from "../../lib/Client.ts"
import { fakeKey } from "../../lib/FakeAnthropic.ts"
import { random } from "../../lib/Random.ts"
import { operatorKey, serverProcess } from "../../lib/ServerProcess.ts"
import { start, withoutLimits } from "../http/Child.ts"
import { database } from "../http/Fixture.ts"
import { requestBytes } from "../http/Load.ts"
import { hold } from "../http/Streams.ts"
import type { Finding, Part } from "../lib/Parts.ts"
import { steadyTraffic } from "../lib/SteadyTraffic.ts"
import { temporaryDirectory } from "../../lib/TemporaryDirectory.ts"

const RATE = 50
const STREAMS = 20
/** Words of each stream, and milliseconds between two of them: four seconds, which is longer than a replacement. */
const PACE = { tokens: 80, tokenMillis: 50 }
const REPLACEMENTS = 30
const WORKERS = 2
/** How long the replacement of all workers may take, in milliseconds. */
const REPLACED_WITHIN = 120_000

/** Replaces the workers of a server one after the other, again and again, under load. It needs `--postgres`. */
export const part: Part = async ({ postgres, scale, seed }) => {
  if (postgres === undefined) return [{ name: "Needs --postgres URL", value: "left out" }]
  return Effect.runPromise(Effect.scoped(bench(postgres, scale, seed)))
}

const bench = Effect.fnUntraced(function* (postgres: string, scale: number, seed: number) {
  const directory = yield* temporaryDirectory("server")
  const provider = yield* start({
    script: join(import.meta.dir, "..", "http", "FakeProvider.ts"),
    environment: {},
    ready: { path: "/healthz" },
    output: `${directory}-provider.log`,
  })
  const server = yield* serverProcess({
    PORT: "0",
    DATA_DIR: directory,
    BOOTSTRAP_API_KEY: operatorKey,
    DEFAULT_MODEL: "local/extractive",
    ANTHROPIC_API_KEY: fakeKey,
    ANTHROPIC_BASE_URL: `http://127.0.0.1:${provider.port}`,
    DATABASE_URL: yield* database(postgres, "parley_rolling"),
    WORKERS: String(WORKERS),
    ...withoutLimits,
  })
  const url = yield* Effect.promise(() => server.listening)
  const client = new Client(url, operatorKey)
  yield* Effect.promise(() =>
    fetch(`http://127.0.0.1:${provider.port}/pace`, { method: "POST", body: JSON.stringify(PACE) }),
  )
  const { id } = yield* Effect.promise(() => client.newChatbot())
  const { id: streaming } = yield* Effect.promise(() => client.newChatbot({ settings: { model: "claude-sonnet-5-5" } }))
  const request = requestBytes({
    method: "POST",
    path: `/api/external/chatbot/${streaming}/chat?stream=true`,
    apiKey: operatorKey,
    body: { messages: [{ role: "user", content: "When does the ship sail?" }] },
  })

  const traffic = steadyTraffic(client, id, RATE, random(seed))
  let isOver = false
  let streams = 0
  let cut = 0
  const held = { port: Number(new URL(url).port), requests: [request], streams: STREAMS, words: PACE.tokens }
  const streamed = yield* Effect.suspend(() => hold({ ...held, rampMillis: 1_000 })).pipe(
    Effect.map(({ errors }) => {
      streams += STREAMS
      cut += errors
    }),
    Effect.repeat({ until: () => isOver }),
    Effect.forkScoped,
  )

  const rounds = Math.max(1, Math.round((REPLACEMENTS * scale) / WORKERS))
  const begun = performance.now()
  for (let round = 1; round <= rounds; round++) {
    server.kill("SIGHUP")
    const deadline = performance.now() + REPLACED_WITHIN
    while (server.stdout().split('"The workers are replaced"').length <= round) {
      if (performance.now() > deadline) return yield* Effect.die("The workers were not replaced in time")
      yield* Effect.sleep(100)
    }
  }
  const seconds = (performance.now() - begun) / 1_000
  isOver = true
  yield* Fiber.join(streamed)
  yield* Effect.promise(traffic.stop)
  const failed = traffic.ended.filter(({ outcome }) => outcome !== "ok")
  for (const { kind, outcome } of failed.slice(0, 20)) process.stdout.write(`  ${kind}: ${outcome}\n`)
  const latencies = traffic.ended.map(({ ended, started }) => ended - started).toSorted((one, other) => one - other)
  return [
    { name: "Workers replaced", value: `${rounds * WORKERS} in ${seconds.toFixed(0)} s` },
    {
      name: `Requests at ${RATE}/s, and those refused or cut`,
      value: `${traffic.ended.length}, ${failed.length}`,
      isKept: failed.length === 0,
    },
    { name: "Streams of four seconds, and those cut", value: `${streams}, ${cut}`, isKept: cut === 0 },
    { name: "p99 of a request, in ms", value: (latencies[Math.floor(latencies.length * 0.99)] ?? 0).toFixed(0) },
  ] satisfies ReadonlyArray<Finding>
})
