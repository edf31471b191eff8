import { Effect, Schema } from "effect"
import { type Change, difference } from "../domain/schema/Merge.ts"
import { searched } from "./edge/Problems.ts"

/**
 * Reads what was sent as a change of what is stored. What is the same in both counts as not sent, so that nothing which was
 * shown is refused, whether it can be changed or not, and whatever may be sent today.
 */
export const changes = <Shown, ShownJson extends Schema.JsonObject, Patch>(
  shown: Schema.Codec<Shown, ShownJson>,
  change: Schema.Decoder<Patch>,
  whole: ReadonlyArray<string> = [],
) => {
  const encode = Schema.encodeEffect(shown)
  const decode = Schema.decodeUnknownEffect(change, { onExcessProperty: "error" })
  const decodeAll = Schema.decodeUnknownEffect(Schema.fromJsonString(change), {
    errors: "all",
    onExcessProperty: "error",
  })
  return (sent: Schema.JsonObject): Change<Shown, Patch> =>
    Effect.fnUntraced(function* (stored) {
      const different = difference(yield* Effect.orDie(encode(stored)), sent, whole)
      return yield* Effect.catchTag(decode(different), "SchemaError", ({ issue }) =>
        Effect.flip(searched(JSON.stringify(different), issue, decodeAll)),
      )
    })
}
