import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { NodeRuntime } from "@effect/platform-node-shared"
import { Console, Effect, Fiber, Ref, type Scope } from "effect"
import { ready } from "../lib/files/Fates.ts"
import { hostileFiles } from "../lib/files/HostileFiles.ts"
import { Client, ManyDocuments, read } from "../lib/Client.ts"
import { type Child, start } from "./http/Child.ts"
import { apiKey, database } from "./http/Fixture.ts"
import * as Load from "./http/Load.ts"
import { quantile } from "./lib/Quantiles.ts"

/**
 * Other clients, each of which sends its next request this long after an answer: some 700 requests a second. If they
 * kept the machine busy by themselves, any other process would slow them down, whatever it does.
 */
const CLIENTS = 16
const PAUSE_MILLISECONDS = 20
const WARM_UP_MILLISECONDS = 5_000
const BEFORE_MILLISECONDS = 20_000
/** Length of one measurement of the other clients, repeated as long as there are files. */
const STRETCH_MILLISECONDS = 1_000
/** Harmless files that warm up extraction and indexing. */
const WARM_UP_FILES = 40
const REST_MILLISECONDS = 3_000

const withDirectory: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "parley-bench-"))),
  (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true })),
)

const asking = (child: Child, chatbot: string, milliseconds: number) =>
  Load.run({
    port: child.port,
    requests: [Load.requestBytes({ method: "GET", path: `/api/external/chatbot/${chatbot}`, apiKey })],
    clients: CLIENTS,
    milliseconds,
    requestsMax: Number.POSITIVE_INFINITY,
    pause: PAUSE_MILLISECONDS,
  })

const upload = (client: Client, chatbot: string, name: string, content: Bun.BlobPart) =>
  Effect.promise(() => client.upload(chatbot, { [name]: content }, { prefer: "wait=60" }))

/** The files are made before the measurement, because making them would delay the clients in this process. */
const made = hostileFiles.map(({ name, make, fate }) => ({ name, fate, content: make() }))

/** Sends all files, one after the other, and returns how many ended otherwise than expected. */
const sendAll = Effect.fnUntraced(function* (client: Client, chatbot: string) {
  let unexpected = 0
  for (const { name, content, fate } of made) {
    const reply = yield* upload(client, chatbot, name, content)
    const status = reply.status === 415 ? 415 : read(ManyDocuments, reply).documents[0]?.status
    const isExpected = status === fate.status
    if (!isExpected) yield* Console.log(`${name}: ${status}, expected ${fate.status}`)
    unexpected += isExpected ? 0 : 1
  }
  return unexpected
})

const latenciesWhile = Effect.fnUntraced(function* <A>(child: Child, chatbot: string, work: Effect.Effect<A>) {
  const latencies = yield* Ref.make<ReadonlyArray<number>>([])
  const errors = yield* Ref.make(0)
  const stretch = Effect.flatMap(asking(child, chatbot, STRETCH_MILLISECONDS), (outcome) =>
    Effect.andThen(
      Ref.update(latencies, (all) => all.concat(outcome.latencies)),
      Ref.update(errors, (all) => all + outcome.errors),
    ),
  )
  const others = yield* Effect.forkChild(Effect.forever(stretch))
  const result = yield* work
  yield* Fiber.interrupt(others)
  return { result, latencies: yield* Ref.get(latencies), errors: yield* Ref.get(errors) }
})

const bench = Effect.fnUntraced(function* (server: string) {
  const directory = yield* withDirectory
  const child = yield* start({
    script: join(import.meta.dir, "../../src/main.ts"),
    environment: {
      DATA_DIR: join(directory, "data"),
      DATABASE_URL: yield* database(server, "parley"),
      BOOTSTRAP_API_KEY: apiKey,
      RATE_LIMIT: "off",
      LOG_FORMAT: "json",
    },
    ready: { path: "/readyz" },
    output: join(directory, "parley.log"),
  })
  const client = new Client(`http://127.0.0.1:${child.port}`, apiKey)
  const { id } = yield* Effect.promise(() => client.newChatbot())
  const harmless = made.filter(({ fate }) => fate === ready).slice(0, 3)
  for (let number = 0; number < WARM_UP_FILES; number++) {
    yield* upload(client, id, `${number}.html`, `<h1>Text ${number}</h1>${"<p>Some words. </p>".repeat(2_000)}`)
  }
  for (const { name, content } of harmless) yield* upload(client, id, `warm ${name}`, content)
  yield* asking(child, id, WARM_UP_MILLISECONDS)
  const before = yield* asking(child, id, BEFORE_MILLISECONDS)
  yield* Effect.sleep(REST_MILLISECONDS)
  const memory = child.memory().now
  const during = yield* latenciesWhile(child, id, sendAll(client, id))
  yield* Effect.sleep(REST_MILLISECONDS)
  const after = child.memory()
  const [p99Before, p99] = [quantile(before.latencies, 0.99), quantile(during.latencies, 0.99)]
  yield* Console.log(`${hostileFiles.length} hostile files, ${during.result} of them with another end than expected
Memory of the server: ${memory.toFixed(0)} MB before, ${after.now.toFixed(0)} MB after (${(after.now - memory).toFixed(0)} MB more), ${after.peak.toFixed(0)} MB at most
GET of a chatbot, ${CLIENTS} clients, ${(before.latencies.length / (before.milliseconds / 1_000)).toFixed(0)} requests/s: p50 ${quantile(before.latencies, 0.5).toFixed(2)} → ${quantile(during.latencies, 0.5).toFixed(2)} ms, p99 ${p99Before.toFixed(2)} → ${p99.toFixed(2)} ms (${(p99 / p99Before).toFixed(2)} ×), ${during.errors} errors`)
})

/**
 * Measures what hostile files do to a server with the default limits, and to its other clients.
 * `DATABASE_URL` names any database of a Postgres server in which others may be made.
 */
export const run = (): void => {
  const server = process.env["DATABASE_URL"]
  if (server === undefined) throw new Error("Set DATABASE_URL to a Postgres server in which databases may be made")
  NodeRuntime.runMain(Effect.scoped(bench(server)))
}
