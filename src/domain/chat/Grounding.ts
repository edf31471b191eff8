import { Schema } from "effect"

/*
 * Whether the sentences of a reply stand in the passages that its model was given.
 */

/** A sentence of a reply that no passage supports. */
export const Unsupported = Schema.Struct({
  sentence: Schema.String,
  start: Schema.Int.annotate({ description: "Its place in the reply, in UTF-16 code units." }),
  end: Schema.Int.annotate({ description: "The place after it." }),
  reason: Schema.Literals(["number", "name", "negation", "words", "judge"]).annotate({
    description:
      "`number`: a number, date or unit stands in no passage, or belongs to something else there. `name`: one stands in no passage. `negation`: a passage says the opposite. `judge`: the model that judges says so. `words`, in older replies: too few of its words stand in one passage.",
  }),
  detail: Schema.optionalKey(Schema.String.annotate({ description: "The number or the name.", examples: ["14 days"] })),
}).annotate({ identifier: "Unsupported" })
export type Unsupported = typeof Unsupported.Type
