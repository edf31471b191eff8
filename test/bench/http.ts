import { join } from "node:path"
import { parseArgs } from "node:util"
import { NodeRuntime } from "@effect/platform-node-shared"
import { Effect } from "effect"
import { temporaryDirectory } from "../lib/TemporaryDirectory.ts"
import { type Child, type ChildOptions, start } from "./http/Child.ts"
import * as Fixture from "./http/Fixture.ts"
import { apiKey, copy, database, fill, type Scenario, scenariosOf } from "./http/Fixture.ts"
import * as Load from "./http/Load.ts"
import * as Report from "./http/Report.ts"
import { postgresClock } from "./lib/Backends.ts"
import { type BenchEmbeddings, benchEmbeddings, embeddingsOption, startProvider } from "./lib/BenchEmbeddings.ts"

export interface Settings {
  readonly server: string
  readonly rounds: number
  readonly milliseconds: number
  readonly clients: ReadonlyArray<number>
  /** A part of the names of the scenarios to run. */
  readonly only: string
  readonly profileDirectory: string | undefined
  /** As the setting `WORKERS` is written. */
  readonly workers: string
  readonly embeddings: BenchEmbeddings
}

const REQUESTS_MAX = 50_000
export const CONNECTIONS = "16"
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
/** Pause before the memory at rest is measured. */
const REST_MILLISECONDS = 2_000
const COLD_STARTS = 5

export const script = (name: string) => join(import.meta.dir, name)

export const authenticated = { path: "/api/external/chatbots", headers: { "x-api-key": apiKey } }

/** A server that is ready when it has answered a request with a key. */
export const parley = (...settings: Parameters<typeof Fixture.parley>): ChildOptions => ({
  ...Fixture.parley(...settings),
  ready: authenticated,
})

/** The settings of a server that is measured on Postgres. */
export const onPostgres = (
  { embeddings, workers }: Pick<Settings, "embeddings" | "workers">,
  url: string,
  providerUrl: string,
): Readonly<Record<string, string>> => ({
  DATABASE_URL: url,
  DATABASE_CONNECTIONS: CONNECTIONS,
  WORKERS: workers,
  ANTHROPIC_API_KEY: "bench",
  ANTHROPIC_BASE_URL: providerUrl,
  ...embeddings.environment(providerUrl),
})

export interface Target {
  readonly name: string
  readonly child: Child
}

/** Alternates the baseline and the subject in short rounds, so that other load of the machine affects both. */
export const measure = Effect.fnUntraced(function* (
  scenario: Scenario,
  clients: number,
  targets: readonly [baseline: Target, subject: Target],
  settings: Pick<Settings, "rounds" | "milliseconds" | "server">,
) {
  const rounds = [new Array<Report.Round>(), new Array<Report.Round>()] as const
  const load = { requests: scenario.requests, clients, requestsMax: REQUESTS_MAX }
  const postgres = yield* postgresClock(settings.server)
  for (let round = 0; round < settings.rounds; round++) {
    for (const index of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      const { child } = targets[index]
      const [before, postgresBefore] = [child.processorTime(), postgres()]
      const outcome = yield* Load.run({ ...load, port: child.port, milliseconds: settings.milliseconds })
      rounds[index].push({
        ...outcome,
        processorTime: child.processorTime() - before,
        postgresTime: postgres() - postgresBefore,
      })
    }
  }
  return { scenario: scenario.name, clients, baseline: rounds[0], subject: rounds[1] }
})

/**
 * Checks that both targets answer correctly, and warms them up. The scenarios take turns, because code that was
 * compiled for one alone is compiled again when the next one uses it differently.
 */
export const warmUp = Effect.fnUntraced(function* (scenarios: ReadonlyArray<Scenario>, targets: ReadonlyArray<Target>) {
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

/** Measures the milliseconds from a start to the first answer: the minimum and the median of some starts. */
const coldStarts = Effect.fnUntraced(function* (options: ChildOptions) {
  const times: Array<number> = []
  // The first start creates the database; the others open it.
  for (let number = 0; number <= COLD_STARTS; number++) {
    const { coldStart } = yield* Effect.scoped(start(options))
    if (number > 0) times.push(coldStart)
  }
  return times
})

const bench = Effect.fnUntraced(function* (settings: Settings) {
  const directory = yield* temporaryDirectory("bench")
  const parleyUrl = yield* database(settings.server, "parley")
  const bareUrl = yield* database(settings.server, "bare")
  const providerUrl = yield* startProvider(directory)
  const options = parley(directory, onPostgres(settings, parleyUrl, providerUrl))
  const filled = yield* Effect.scoped(Effect.flatMap(start(options), (child) => fill(child.port)))
  const passages = yield* copy(parleyUrl, bareUrl, filled, settings.embeddings.dimensions)
  const scenarios = scenariosOf(filled).filter(({ name }) => name.includes(settings.only))

  const bareChild = yield* start({
    script: script("http/Bare.ts"),
    environment: {
      DATABASE_URL: bareUrl,
      PROVIDER_URL: providerUrl,
      CONNECTIONS,
      DIMENSIONS: String(settings.embeddings.dimensions),
    },
    ready: authenticated,
    output: join(directory, "bare.log"),
  })
  const parleyChild = yield* start({
    ...options,
    bunOptions:
      settings.profileDirectory === undefined
        ? []
        : ["--cpu-prof", "--cpu-prof-md", `--cpu-prof-dir=${settings.profileDirectory}`],
  })
  const targets = [
    { name: "bare", child: bareChild },
    { name: "Parley", child: parleyChild },
  ] as const
  yield* Report.header(passages, settings, "least")
  yield* Effect.sleep(REST_MILLISECONDS)
  const atRest = { bare: bareChild.memory().now, Parley: parleyChild.memory().now }
  yield* warmUp(scenarios, targets)
  for (const scenario of scenarios) {
    for (const clients of settings.clients) yield* Report.row(yield* measure(scenario, clients, targets, settings))
  }
  yield* Report.memory("on Postgres", {
    bare: { rest: atRest.bare, peak: bareChild.memory().peak },
    Parley: { rest: atRest.Parley, peak: parleyChild.memory().peak },
  })
  return options
})

const starts = Effect.fnUntraced(function* (options: ChildOptions) {
  const directory = yield* temporaryDirectory("bench")
  const embedded = parley(directory, {})
  yield* Report.coldStart("Postgres", yield* coldStarts(options))
  yield* Report.coldStart("embedded, existing directory", yield* coldStarts(embedded))
  const child = yield* start(embedded)
  yield* Effect.sleep(REST_MILLISECONDS)
  yield* Report.line(`Memory of Parley at rest, embedded: ${child.memory().now.toFixed(0)} MB`)
})

/** What a server exports to the collector, by the name of the target. */
const exports: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "every trace": {},
  "one in ten": { OTEL_TRACES_SAMPLER: "parentbased_traceidratio", OTEL_TRACES_SAMPLER_ARG: "0.1" },
  "no traces": { OTEL_TRACES_SAMPLER: "always_off" },
}

/** A server that exports to a collector on this machine, beside one that does not, both on one database. */
const tracing = Effect.fnUntraced(function* (settings: Settings) {
  const directory = yield* temporaryDirectory("bench")
  const providerUrl = yield* startProvider(directory)
  const withoutCollector = onPostgres(settings, yield* database(settings.server, "tracing"), providerUrl)
  const collector = yield* start({
    script: script("http/Collector.ts"),
    environment: {},
    ready: { path: "/healthz" },
    output: join(directory, "collector.log"),
  })
  const endpoint = `http://127.0.0.1:${collector.port}`
  const serverWith = (name: string, environment: Readonly<Record<string, string>>) =>
    Effect.map(
      start({ ...parley(directory, { ...withoutCollector, ...environment }), output: join(directory, `${name}.log`) }),
      (child): Target => ({ name, child }),
    )
  const filled = yield* Effect.scoped(
    Effect.flatMap(start(parley(directory, withoutCollector)), ({ port }) => fill(port)),
  )
  const scenarios = scenariosOf(filled).filter(({ name }) => name.includes(settings.only))
  const off = yield* serverWith("off", {})
  yield* warmUp(scenarios, [off])
  for (const [name, environment] of Object.entries(exports)) {
    yield* Effect.scoped(
      Effect.gen(function* () {
        const on = yield* serverWith(name, { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, ...environment })
        yield* warmUp(scenarios, [on])
        yield* Report.line(`\n${Report.headings("no collector", name)}`)
        for (const scenario of scenarios) {
          for (const clients of settings.clients)
            yield* Report.row(yield* measure(scenario, clients, [off, on], settings))
        }
      }),
    )
  }
  const taken = yield* Effect.promise(() => fetch(`${endpoint}/taken`).then((all) => all.text()))
  yield* Report.line(`\nThe collector, which shares the processors of this machine, took ${taken}.`)
})

/**
 * Measures speed and memory of the server on Postgres, beside a bare one. `DATABASE_URL` names any database of a
 * Postgres server in which others may be made. Options: `--rounds 4`, `--milliseconds 1500` of one round, `--clients
 * 1,16,64`, `--only chat` for some scenarios and no cold starts, `--workers 2`, `--profile DIR` for a CPU profile of
 * Parley, and `--embeddings` as `BenchEmbeddings` has it. `--collector` measures instead what the export of traces, logs
 * and metrics costs.
 */
export const run = (args: ReadonlyArray<string>): void => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: "string", default: "4" },
      milliseconds: { type: "string", default: "1500" },
      clients: { type: "string", default: "1,16,64" },
      only: { type: "string", default: "" },
      profile: { type: "string" },
      workers: { type: "string", default: "1" },
      collector: { type: "boolean", default: false },
      embeddings: embeddingsOption,
    },
  })
  const server = process.env["DATABASE_URL"]
  if (server === undefined) throw new Error("Set DATABASE_URL to a Postgres server in which databases may be made")
  const settings: Settings = {
    server,
    rounds: Number(values.rounds),
    milliseconds: Number(values.milliseconds),
    clients: values.clients.split(",").map(Number),
    only: values.only,
    profileDirectory: values.profile,
    workers: values.workers,
    embeddings: benchEmbeddings(values.embeddings),
  }
  const beside = Effect.flatMap(bench(settings), (options) => (settings.only === "" ? starts(options) : Effect.void))
  NodeRuntime.runMain(Effect.scoped(values.collector ? tracing(settings) : beside))
}
