import { Brand, Schema } from "effect"

/** ISO 8601 with offset and milliseconds, always UTC, written `+00:00`. */
export const Timestamp = Schema.String.annotate({
  format: "date-time",
  examples: ["2026-11-20T11:30:00.000+00:00"],
}).pipe(Schema.brand("Timestamp"))
export type Timestamp = typeof Timestamp.Type

const branded = Brand.nominal<Timestamp>()

/** What the database returns becomes what the API shows. */
export const timestamp = (date: Date): Timestamp => branded(date.toISOString().replace("Z", "+00:00"))
