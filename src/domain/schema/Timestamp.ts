import { Brand, Schema } from "effect"

/** A time in ISO 8601 with milliseconds and offset, always UTC and written `+00:00`. */
export const Timestamp = Schema.String.annotate({
  format: "date-time",
  examples: ["2026-11-20T11:30:00.000+00:00"],
}).pipe(Schema.brand("Timestamp"))
export type Timestamp = typeof Timestamp.Type

const brand = Brand.nominal<Timestamp>()

/** Converts a time that the database returned into the form in which the API shows it. */
export const timestamp = (date: Date): Timestamp => brand(date.toISOString().replace("Z", "+00:00"))
