import { Schema } from "effect"

/**
 * The server cannot start, and the operator can do something about it. Both fields are one plain line without secrets:
 * `what` is wrong, and `doThis`, what to do.
 */
export class StartupError extends Schema.TaggedError<StartupError>()("StartupError", {
  what: Schema.String,
  doThis: Schema.String,
}) {
  override get message(): string {
    return `${this.what} ${this.doThis}`
  }
}
