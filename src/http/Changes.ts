import { Effect, Schema } from "effect"
import { type Change, difference } from "../domain/schema/Merge.ts"
import { invalidJson } from "./edge/Problems.ts"

/**
 * Makes the function that decodes a request body as a change of a stored resource.
 *
 * A field that equals the stored one counts as absent, so a client may send back all that it was shown, including
 * read-only fields and values that are no longer accepted. The rest is decoded by `change`, which refuses unknown
 * fields. The fields named in `whole` are compared as a whole rather than field by field.
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
        Effect.flip(invalidJson(JSON.stringify(different), issue, decodeAll)),
      )
    })
}
