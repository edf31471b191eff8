import { Effect, Schema } from "effect"
import { run } from "../http/Load.ts"

/*
 * The process of the attacker: reads what to send from its standard input, and prints what came of it.
 */

const Input = Schema.fromJsonString(
  Schema.Struct({
    port: Schema.Int,
    clients: Schema.Int,
    seconds: Schema.Finite,
    requests: Schema.Array(Schema.String),
  }),
)

/** The numbers of requests that were answered with 200, and of all others. */
export interface Attack {
  readonly served: number
  readonly refused: number
}

if (import.meta.main) {
  const { clients, port, requests, seconds } = Schema.decodeSync(Input)(await Bun.stdin.text())
  const outcome = await Effect.runPromise(
    run({
      port,
      clients,
      requests: requests.map((request) => Buffer.from(request, "base64")),
      milliseconds: seconds * 1_000,
      requestsMax: Number.POSITIVE_INFINITY,
    }),
  )
  const attack: Attack = { served: outcome.latencies.length, refused: outcome.errors }
  process.stdout.write(JSON.stringify(attack))
}
