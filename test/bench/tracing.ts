import { join } from "node:path"
import { parseArgs } from "node:util"
import { NodeRuntime } from "@effect/platform-node-shared"
import { Effect } from "effect"
import { start } from "./http/Child.ts"
import { database, fill, scenariosOf } from "./http/Fixture.ts"
import * as Report from "./http/Report.ts"
import { CONNECTIONS, measure, parley, script, type Settings, type Target, warmUp, withDirectory } from "./http.ts"

/** What a server exports to the collector, by the name of the target. */
const exports: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "every trace": {},
  "one in ten": { OTEL_TRACES_SAMPLER: "parentbased_traceidratio", OTEL_TRACES_SAMPLER_ARG: "0.1" },
  "no traces": { OTEL_TRACES_SAMPLER: "always_off" },
}

const bench = Effect.fnUntraced(function* (
  settings: Pick<Settings, "clients" | "milliseconds" | "only" | "rounds" | "server">,
) {
  const directory = yield* withDirectory
  const url = yield* database(settings.server, "tracing")
  const child = (name: string) =>
    start({
      script: script(`http/${name}.ts`),
      environment: {},
      ready: { path: "/healthz" },
      output: join(directory, `${name}.log`),
    })
  const provider = yield* child("FakeProvider")
  const collector = yield* child("Collector")
  const withoutCollector = {
    DATABASE_URL: url,
    DATABASE_CONNECTIONS: CONNECTIONS,
    ANTHROPIC_API_KEY: "bench",
    ANTHROPIC_BASE_URL: `http://127.0.0.1:${provider.port}`,
  }
  const filled = yield* Effect.scoped(
    Effect.flatMap(start(parley(directory, withoutCollector)), ({ port }) => fill(port)),
  )
  const scenarios = scenariosOf(filled).filter(({ name }) => name.includes(settings.only))
  const serverWith = (name: string, environment: Readonly<Record<string, string>>) =>
    Effect.map(
      start({ ...parley(directory, { ...withoutCollector, ...environment }), output: join(directory, `${name}.log`) }),
      (child): Target => ({ name, child }),
    )
  const off = yield* serverWith("off", {})
  yield* warmUp(scenarios, [off])
  for (const [name, environment] of Object.entries(exports)) {
    yield* Effect.scoped(
      Effect.gen(function* () {
        const endpoint = `http://127.0.0.1:${collector.port}`
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
  const taken = yield* Effect.promise(() => fetch(`http://127.0.0.1:${collector.port}/taken`).then((all) => all.text()))
  yield* Report.line(`\nThe collector, which shares the processors of this machine, took ${taken}.`)
})

/**
 * Measures what the export of traces, logs and metrics costs: a server that exports to a collector on this machine,
 * beside one that does not, both on one database. `DATABASE_URL` as for `bench http`. Options: `--rounds 4`,
 * `--milliseconds 1500` of one round, `--clients 1,16`, `--only chat` for some scenarios.
 */
export const run = (args: ReadonlyArray<string>): void => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: "string", default: "4" },
      milliseconds: { type: "string", default: "1500" },
      clients: { type: "string", default: "1,16" },
      only: { type: "string", default: "" },
    },
  })
  const server = process.env["DATABASE_URL"]
  if (server === undefined) throw new Error("Set DATABASE_URL to a Postgres server in which databases may be made")
  NodeRuntime.runMain(
    Effect.scoped(
      bench({
        server,
        rounds: Number(values.rounds),
        milliseconds: Number(values.milliseconds),
        clients: values.clients.split(",").map(Number),
        only: values.only,
      }),
    ),
  )
}
