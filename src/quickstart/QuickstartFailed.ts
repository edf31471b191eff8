import { Schema } from "effect"

/** The quickstart cannot continue. `message` is shown to the user. */
export class QuickstartFailed extends Schema.TaggedError<QuickstartFailed>()("QuickstartFailed", {
  message: Schema.String,
}) {}
