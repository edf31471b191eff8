import { Schema } from "effect"

/** The story cannot go on. */
export class QuickstartFailed extends Schema.TaggedError<QuickstartFailed>()("QuickstartFailed", {
  message: Schema.String,
}) {}
