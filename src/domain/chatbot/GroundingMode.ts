import { Schema } from "effect"
import { textBetween } from "../schema/Text.ts"

/** How a chatbot treats sentences that no passage supports. */
export const GroundingMode = Schema.Literals(["off", "mark", "strict"]).annotate({
  description:
    "Whether each sentence of a model's reply is checked against the passages that it was given. `mark`: sentences that none of them supports are marked in the reply's data and in the widget. `strict`: the reply is made once more without them, and refused where that does not help; nothing of a reply is shown before it was checked. Replies of `local/extractive`, which quotes, are not checked. Shown when it is set.",
})
export type GroundingMode = typeof GroundingMode.Type

export const JudgeModel = textBetween(1, 200).annotate({
  description:
    "Model that judges the sentences that words alone call unsupported or cannot decide, in one call for each answer. What it uses counts like the reply. Shown when it is set.",
  examples: ["claude-haiku-4-5"],
})
