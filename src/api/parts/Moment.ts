import { DateTime, Schema } from "effect"
import { unexpressed } from "../../domain/schema/Unexpressed.ts"

/** Milliseconds since 1970 of a moment that a database can compare: in the years 1970 to 9999. */
const isComparable = (moment: DateTime.Utc) => {
  const millis = DateTime.toEpochMillis(moment)
  return millis >= 0 && millis < 253_402_300_800_000
}

/** A moment, such as `2026-11-20T00:00:00Z`. */
export const Moment = Schema.DateTimeUtcFromString.check(
  Schema.makeFilter((moment: DateTime.Utc) => isComparable(moment) || "Expected a time from 1970 to 9999", unexpressed),
)

/** A query parameter that is a moment, such as `2026-11-20T00:00:00Z`. */
export const momentParameter = (description: string) =>
  Schema.optionalKey(Moment.pipe(Schema.annotateEncoded({ format: "date-time", description })))
