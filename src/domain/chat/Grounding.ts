import { Schema } from "effect"

/*
 * Whether the sentences of a reply stand in the passages that its model was given.
 */

/** How a chatbot treats sentences that no passage supports. */
export const GroundingMode = Schema.Literals(["off", "mark", "strict"]).annotate({
  description:
    "Whether each sentence of a model's reply is checked against the passages that it was given. `mark`: sentences that none of them supports are marked in the reply's data and in the widget. `strict`: the reply is made once more without them, and refused where that does not help; nothing of a reply is shown before it was checked. Absent: `off`.",
})
export type GroundingMode = typeof GroundingMode.Type

/** A sentence of a reply that no passage supports. */
export const Unsupported = Schema.Struct({
  sentence: Schema.String,
  start: Schema.Int.annotate({ description: "Its place in the reply, in UTF-16 code units." }),
  end: Schema.Int.annotate({ description: "The place after it." }),
  reason: Schema.Literals(["number", "name", "negation", "words", "judge"]).annotate({
    description:
      "`number`, `name`: one stands in no passage. `negation`: a passage says the opposite. `words`: too few of its words stand in one passage. `judge`: the model that judges says so.",
  }),
  detail: Schema.optionalKey(
    Schema.String.annotate({ description: "The number, the name or the words.", examples: ["14 days"] }),
  ),
}).annotate({ identifier: "Unsupported" })
export type Unsupported = typeof Unsupported.Type
