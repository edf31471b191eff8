import { Schema } from "effect"

/**
 * The server cannot start, and the operator can do something about it. `what` and `doThis` are one plain line each without secrets:
 * what is wrong, and what to do.
 */
export class StartupError extends Schema.TaggedError<StartupError>()("StartupError", {
  what: Schema.String,
  doThis: Schema.String,
  /** Another process has the embedded database. */
  isInUse: Schema.optionalKey(Schema.Boolean),
}) {
  override get message(): string {
    return `${this.what} ${this.doThis}`
  }
}
