import { Schema } from "effect"

/**
 * The server cannot start, for a reason that its operator can mend. `what` says what is wrong and `doThis` what to do,
 * each in one plain line without secrets.
 */
export class StartupError extends Schema.TaggedError<StartupError>()("StartupError", {
  what: Schema.String,
  doThis: Schema.String,
  /** Whether another process uses the embedded database. */
  isInUse: Schema.optionalKey(Schema.Boolean),
}) {
  override get message(): string {
    return `${this.what} ${this.doThis}`
  }
}
