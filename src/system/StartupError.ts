import { Runtime, Schema } from "effect"
import { Unavailable } from "../domain/Errors.ts"
import { DATA_DIR, DATABASE_URL } from "./Variables.ts"

/**
 * The server cannot start, for a reason that its operator can mend. `what` says what is wrong and `doThis` what to do,
 * each in one plain line without secrets.
 */
export class StartupError extends Schema.TaggedError<StartupError>()("StartupError", {
  what: Schema.String,
  doThis: Schema.String,
  /** Whether another process uses the embedded database. */
  isInUse: Schema.optionalKey(Schema.Boolean),
  /** The code with which the process ends, where that is not 1. */
  exitCode: Schema.optionalKey(Schema.Int),
}) {
  override get [Runtime.errorExitCode](): number {
    return this.exitCode ?? 1
  }

  override get message(): string {
    return `${this.what} ${this.doThis}`
  }
}

/** What a command says in one line when it cannot go on; undefined for a fault, which needs its stack trace. */
export const plainly = (error: unknown): string | undefined => {
  if (error instanceof StartupError) return error.message
  // What it waits for may be the database, the disk or a store of files.
  return error instanceof Unavailable ? `${error.detail} The log says why. Try again when it is over.` : undefined
}

/** A command that makes no database finds none at a place: in a directory, or on a Postgres server. */
export const nothingThere = (place: string): StartupError =>
  new StartupError({
    what: `There is no database of Parley in ${place}.`,
    doThis: `See that ${DATA_DIR} or ${DATABASE_URL} names the right one. A server makes a new one when it starts, as \`parley migrate\` does.`,
  })
