import { Brand, Schema } from "effect"
import { unexpressed } from "./Unexpressed.ts"

/** A time in ISO 8601 with milliseconds and offset, always UTC and written `+00:00`. */
export const Timestamp = Schema.String.annotate({
  format: "date-time",
  examples: ["2026-11-20T11:30:00.000+00:00"],
}).pipe(Schema.brand("Timestamp"))
export type Timestamp = typeof Timestamp.Type

const received = /^(?:19[7-9]\d|[2-9]\d{3})-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/

/** A `Timestamp` as a client sends it, from the year 1970 to 9999. */
export const ReceivedTimestamp = Timestamp.check(
  Schema.makeFilter(
    (text) => (received.test(text) && !Number.isNaN(Date.parse(text))) || "Expected a time in ISO 8601 with offset",
    unexpressed,
  ),
)

const brand = Brand.nominal<Timestamp>()

/** Converts a time that the database returned into the form in which the API shows it. */
export const timestamp = (date: Date): Timestamp => brand(date.toISOString().replace("Z", "+00:00"))
