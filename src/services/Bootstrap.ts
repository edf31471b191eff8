import { Console, Effect, Layer, Redacted } from "effect"
import { Organizations } from "./Organizations.ts"

export interface BootstrapSettings {
  /** Absent: the first start makes a key and prints it. */
  readonly apiKey: Redacted.Redacted | undefined
}

/** Sees to it that there are the operator's organization and its key, before anybody can ask. */
export const layer = ({ apiKey }: BootstrapSettings) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const key = yield* (yield* Organizations).bootstrap(apiKey)
      if (key !== undefined) yield* Console.log(`Your API key, shown this once:\n\n  ${Redacted.value(key)}\n`)
    }),
  )
