import { join } from "node:path"
import { Effect } from "effect"
import { parley, withDirectory } from "../http.ts"
import { type Child, start } from "../http/Child.ts"
import { apiKey, database, poster } from "../http/Fixture.ts"
import * as Load from "../http/Load.ts"
import type { Part, PartSettings } from "../lib/Parts.ts"

const CLIENTS = 16
const ROUNDS = 5
const ROUND_MILLISECONDS = 3_000
/** The load before the first round, after which a server has compiled what it needs. */
const WARM_UP_MILLISECONDS = 12_000

const environments = {
  off: { RATE_LIMIT: "off" },
  // As many as never reach the limit.
  on: { RATE_LIMIT: "1000000000/10s", ORGANIZATION_RATE_LIMIT: "1000000000/10s" },
} as const

/**
 * Measures how many requests for one chatbot a server answers with rate limits and without, in turn, as `bun run bench
 * http` measures them.
 */
export const part: Part = (settings) => Effect.runPromise(Effect.scoped(compare(settings)))

const compare = Effect.fnUntraced(function* ({ postgres, scale }: PartSettings) {
  const off = yield* targetOf(postgres, environments.off)
  const on = yield* targetOf(postgres, environments.on)
  const load = Effect.fnUntraced(function* ({ child, request }: Target, milliseconds: number) {
    const before = child.processorTime()
    const outcome = yield* Load.run({
      port: child.port,
      requests: [request],
      clients: CLIENTS,
      milliseconds: Math.max(200, milliseconds * scale),
      requestsMax: Number.POSITIVE_INFINITY,
    })
    const answers = outcome.latencies.length
    const micros = (1_000 * (child.processorTime() - before)) / answers
    return { rate: (1_000 * answers) / outcome.milliseconds, micros }
  })
  for (const target of [off, on]) yield* load(target, WARM_UP_MILLISECONDS)
  const rounds = { off: new Array<Round>(), on: new Array<Round>() }
  for (let round = 0; round < ROUNDS; round++) {
    const turns = [
      ["off", off],
      ["on", on],
    ] as const
    for (const [name, target] of round % 2 === 0 ? turns : turns.toReversed()) {
      rounds[name].push(yield* load(target, ROUND_MILLISECONDS))
    }
  }
  const of = (name: "off" | "on") => ({
    rate: median(rounds[name].map(({ rate }) => rate)),
    micros: median(rounds[name].map(({ micros }) => micros)),
  })
  const [without, limited] = [of("off"), of("on")]
  const shown = ({ micros, rate }: Round) =>
    `${rate.toFixed(0)} requests per second, ${micros.toFixed(0)} µs of a processor each`
  return [
    { name: "GET chatbot without rate limits", value: shown(without) },
    { name: "GET chatbot with rate limits", value: shown(limited) },
    { name: "requests per second, ratio", value: (limited.rate / without.rate).toFixed(3) },
    { name: "processor time per request, ratio", value: (limited.micros / without.micros).toFixed(3) },
  ]
})

interface Round {
  /** Requests answered per second. */
  readonly rate: number
  /** Microseconds of processor time for each of them. */
  readonly micros: number
}

interface Target {
  readonly child: Child
  readonly request: Uint8Array
}

/** A server with a database and a chatbot of its own. */
const targetOf = Effect.fnUntraced(function* (
  postgres: string | undefined,
  environment: Readonly<Record<string, string>>,
) {
  const directory = yield* withDirectory
  const child = yield* start({
    ...parley(directory, {
      ...environment,
      ...(postgres !== undefined && { DATABASE_URL: yield* database(postgres, "cost") }),
    }),
    output: join(directory, "parley.log"),
  })
  const answer = yield* Effect.promise(() => poster(child.port)("/api/external/chatbots", '{"name": "Chatbot 1"}'))
  const [, id = ""] = /"id":"([0-9a-f-]{36})"/.exec(answer) ?? []
  const path = `/api/external/chatbot/${id}`
  return { child, request: Load.requestBytes({ method: "GET", path, apiKey }) } satisfies Target
})

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0
