import { Context, Effect, Layer, Schema } from "effect"
import { SystemSql } from "./sql/Database.ts"
import { decodeRows } from "./Rows.ts"
import { withoutSqlErrors } from "./sql/SqlErrors.ts"
import { integers, texts } from "./sql/SqlValues.ts"

/** Report and request of a server for one limit. */
export interface RateReport {
  /** Names the limit and its owner, and ends with a space and the length of a slot in milliseconds. */
  readonly id: string
  readonly quota: number
  /** The length of a slot of the window in milliseconds. */
  readonly slotMillis: number
  /** Units that the server has granted without asking; they count even beyond the quota. */
  readonly debt: number
  /** Units that the server asks for. */
  readonly want: number
}

/** The state of one limit after a report. */
export const RateCount = Schema.Struct({
  id: Schema.String,
  /** The time of the database in milliseconds since 1970. */
  at: Schema.Finite,
  /** The number of the newest slot: the time divided by the length of a slot. */
  slot: Schema.Finite,
  /** The units of each slot, the newest first, with those that this report added. */
  counts: Schema.Array(Schema.Finite),
  /** Granted units, of those that the server asked for. */
  granted: Schema.Finite,
})
export type RateCount = typeof RateCount.Type

const decodeCounts = decodeRows(RateCount)

/** The table `rate_counts`, in which servers share the rate limits of API keys and organizations. */
export class RateCounts extends Context.Service<RateCounts>()("parley/storage/RateCounts", {
  make: Effect.gen(function* () {
    const sql = yield* SystemSql

    const sweep = sql`
      delete from rate_counts
      where slot + 51 < extract(epoch from clock_timestamp()) * 1000 / split_part(id, ' ', 3)::float8`

    return {
      /** Counts what a server reports, and grants what is left of the quotas. The ids differ from each other. */
      count: Effect.fnUntraced(function* (reports: ReadonlyArray<RateReport>) {
        return yield* decodeCounts(sql`
          select owner as id, at, newest as slot, units as counts, granted from count_rates(
            ${texts(reports.map(({ id }) => id))}, ${integers(reports.map(({ quota }) => quota))},
            ${integers(reports.map(({ slotMillis }) => slotMillis))}, ${integers(reports.map(({ debt }) => debt))},
            ${integers(reports.map(({ want }) => want))})`)
      }, withoutSqlErrors),

      /** Deletes the counts of windows that are over. */
      sweep: withoutSqlErrors(Effect.asVoid(sweep)),
    }
  }),
}) {
  static readonly layer = Layer.effect(this, this.make)
}
