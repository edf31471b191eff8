import { Console, Effect, Layer, Redacted } from "effect"
import { Organizations } from "./Organizations.ts"

export interface BootstrapSettings {
  /** The first API key. If undefined, the first start generates one and prints it. */
  readonly apiKey: Redacted.Redacted | undefined
}

/** Creates the operator's organization and its first key if they are missing, before the server listens. */
export const layer = ({ apiKey }: BootstrapSettings) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const key = yield* (yield* Organizations).bootstrap(apiKey)
      if (key !== undefined) yield* Console.log(`Your API key, shown this once:\n\n  ${Redacted.value(key)}\n`)
    }),
  )
