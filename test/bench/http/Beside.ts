import { join } from "node:path"
import { Effect } from "effect"
import { temporaryDirectory } from "../../lib/TemporaryDirectory.ts"
import { postgresClock } from "../lib/Backends.ts"
import { benchEmbeddings, embeddingsOption, startProvider } from "../lib/BenchEmbeddings.ts"
import { numbersOf, profiled, serverUrl } from "../lib/Options.ts"
import { type Child, type ChildOptions, start } from "./Child.ts"
import * as Fixture from "./Fixture.ts"
import { apiKey, copy, database, fill, type Scenario } from "./Fixture.ts"
import * as Load from "./Load.ts"
import * as Report from "./Report.ts"

/*
 * Parley and a bare server with the same content, beside each other on one Postgres, with a provider that takes no time.
 */

/** How much the bare server answers and stores. */
export type Reply = "least" | "whole"

/** The options of every benchmark of both servers. */
export const besideOptions = {
  rounds: { type: "string", default: "4" },
  milliseconds: { type: "string", default: "1500" },
  only: { type: "string", default: "" },
  profile: { type: "string" },
  workers: { type: "string", default: "1" },
  embeddings: embeddingsOption,
} as const

/** Reads their values. */
export const settingsOf = (
  values: Readonly<Record<Exclude<keyof typeof besideOptions, "profile"> | "clients", string>> & {
    readonly profile?: string | undefined
  },
) => ({
  server: serverUrl(),
  rounds: Number(values.rounds),
  milliseconds: Number(values.milliseconds),
  clients: numbersOf(values.clients),
  /** A part of the names of the scenarios to run. */
  only: values.only,
  profileDirectory: values.profile,
  /** As the setting `WORKERS` is written. */
  workers: values.workers,
  embeddings: benchEmbeddings(values.embeddings),
})

export type Settings = ReturnType<typeof settingsOf>

const REQUESTS_MAX = 50_000
const CONNECTIONS = "16"
/**
 * When a server is warm. A server runs for days, so it is measured once it has not become faster for a while. Within
 * the first 20 seconds that is chance: it takes some 20,000 chats until everything is compiled.
 */
const WARM_UP_WINDOW_MILLISECONDS = 2_500
const WARM_UP_WINDOWS_MIN = 8
const WARM_UP_WINDOWS_MAX = 16
const WARM_UP_WINDOWS_WITHOUT_GAIN = 2
/** The smallest gain that is not chance. */
const WARM_UP_GAIN = 1.02

/** A request with a key. */
const authenticated = { path: "/api/external/chatbots", headers: { "x-api-key": apiKey } }

/** A server that is ready when it has answered a request with a key. */
export const parley = (...settings: Parameters<typeof Fixture.parley>): ChildOptions => ({
  ...Fixture.parley(...settings),
  ready: authenticated,
})

export interface Target {
  readonly name: string
  readonly child: Child
}

/** Starts both servers with the same content, and the provider. */
export const startBoth = Effect.fnUntraced(function* (settings: Settings, reply: Reply) {
  const { embeddings, profileDirectory, server, workers } = settings
  const directory = yield* temporaryDirectory("bench")
  const parleyUrl = yield* database(server, "parley")
  const bareUrl = yield* database(server, "bare")
  const providerUrl = yield* startProvider(directory)
  const options = parley(directory, {
    DATABASE_URL: parleyUrl,
    DATABASE_CONNECTIONS: CONNECTIONS,
    WORKERS: workers,
    ANTHROPIC_API_KEY: "bench",
    ANTHROPIC_BASE_URL: providerUrl,
    ...embeddings.environment(providerUrl),
  })
  const filled = yield* Effect.scoped(Effect.flatMap(start(options), (child) => fill(child.port)))
  const passages = yield* copy(parleyUrl, bareUrl, filled, embeddings.dimensions)
  const bare = yield* start({
    script: join(import.meta.dir, "Bare.ts"),
    environment: {
      DATABASE_URL: bareUrl,
      PROVIDER_URL: providerUrl,
      CONNECTIONS,
      DIMENSIONS: String(embeddings.dimensions),
      REPLY: reply,
    },
    ready: authenticated,
    output: join(directory, "bare.log"),
  })
  const child = yield* start(profiled(options, profileDirectory))
  yield* Report.header(passages, settings, reply)
  const targets = [
    { name: "bare", child: bare },
    { name: "Parley", child },
  ] as const
  return { filled, options, providerUrl, targets }
})

/** Measures scenarios with all numbers of clients on warm servers, and prints a row of each. */
export const compare = Effect.fnUntraced(function* (
  scenarios: ReadonlyArray<Scenario>,
  targets: readonly [bare: Target, parley: Target],
  settings: Settings,
) {
  yield* warmUp(scenarios, targets)
  const postgres = yield* postgresClock(settings.server)
  for (const scenario of scenarios) {
    for (const clients of settings.clients) {
      const [bare, subject] = yield* measure(scenario, clients, targets, settings, postgres)
      yield* Report.row(scenario.name, clients, bare, subject)
    }
  }
})

/** Alternates both servers in short rounds, so that other load of the machine affects both. */
const measure = Effect.fnUntraced(function* (
  { requests }: Scenario,
  clients: number,
  targets: readonly [bare: Target, parley: Target],
  { milliseconds, rounds: count }: Settings,
  postgres: () => number,
) {
  const rounds = [new Array<Report.Round>(), new Array<Report.Round>()] as const
  for (let round = 0; round < count; round++) {
    for (const index of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      const { child } = targets[index]
      const [before, postgresBefore] = [child.processorTime(), postgres()]
      const load = { requests, clients, requestsMax: REQUESTS_MAX, milliseconds }
      const outcome = yield* Load.run({ ...load, port: child.port })
      rounds[index].push({
        ...outcome,
        processorTime: child.processorTime() - before,
        postgresTime: postgres() - postgresBefore,
      })
    }
  }
  return rounds
})

/**
 * Checks that both servers answer correctly, and warms them up. The scenarios take turns, because code that was
 * compiled for one alone is compiled again when the next one uses it differently.
 */
const warmUp = Effect.fnUntraced(function* (scenarios: ReadonlyArray<Scenario>, targets: ReadonlyArray<Target>) {
  for (const { name, child } of targets) {
    for (const { expected, requests, name: scenario } of scenarios) {
      const text = yield* Load.answerOf(child.port, requests[0])
      if (!expected.test(text)) return yield* Effect.die(new Error(`${name} does not answer ${scenario}: ${text}`))
    }
    let [best, without] = [0, 0]
    for (let window = 0; window < WARM_UP_WINDOWS_MAX; window++) {
      if (window >= WARM_UP_WINDOWS_MIN && without >= WARM_UP_WINDOWS_WITHOUT_GAIN) break
      let answers = 0
      for (const { requests } of scenarios) {
        const { latencies } = yield* Load.run({
          port: child.port,
          requests,
          clients: 16,
          milliseconds: WARM_UP_WINDOW_MILLISECONDS,
          requestsMax: Number.POSITIVE_INFINITY,
        })
        answers += latencies.length
      }
      without = answers > WARM_UP_GAIN * best ? 0 : without + 1
      best = Math.max(best, answers)
    }
  }
})
