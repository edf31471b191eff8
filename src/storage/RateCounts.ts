import { Effect, Schema } from "effect"
import { SystemSql } from "./sql/Database.ts"
import { decodeRows } from "./Rows.ts"
import { withoutSqlErrors } from "./sql/SqlErrors.ts"
import { integers, texts } from "./sql/SqlValues.ts"
import { Service } from "../domain/Service.ts"

export const RateCount = Schema.Struct({
  id: Schema.String,
  /** The units of all servers by slot, the newest first. */
  counts: Schema.Array(Schema.Finite),
  /** The milliseconds since the newest slot began. */
  age: Schema.Finite,
})
export type RateCount = typeof RateCount.Type

const decodeCounts = decodeRows(RateCount)

/**
 * The table `rate_counts`, in which servers add up what they count of rate limits. An id names a limit and its owner, and
 * ends with a space and the length of a slot in milliseconds.
 */
export class RateCounts extends Service<RateCounts>()("parley/storage/RateCounts", function* () {
  const sql = yield* SystemSql
  /** The time of the database in slots since 1970. */
  const time = sql.literal("(extract(epoch from clock_timestamp()) * 1000 / split_part(id, ' ', 3)::integer)")
  const sweep = sql`delete from rate_counts where slot + 51 < floor(${time})`

  return {
    /**
     * Adds units, of which there may be fewer than 0, to the present slots of limits, and returns the counts by id.
     * Servers take rows in the same order, so that they never wait for each other in a circle.
     */
    add: Effect.fnUntraced(function* (counts: ReadonlyArray<{ readonly id: string; readonly units: number }>) {
      const rows = yield* decodeCounts(sql`
        insert into rate_counts as known (id, slot, counts)
        select id, floor(${time})::bigint, array[sum(units)::integer]
        from unnest(${texts(counts.map(({ id }) => id))}, ${integers(counts.map(({ units }) => units))}) as one (id, units)
        group by id order by id
        on conflict (id) do update set
          slot = greatest(known.slot, excluded.slot),
          counts = (case
            when excluded.slot <= known.slot then array[known.counts[1] + excluded.counts[1]] || known.counts[2:]
            else excluded.counts || array_fill(0, array[least(excluded.slot - known.slot, 51)::integer - 1])
              || known.counts
          end)[1:51]
        returning id, counts, greatest(0, (${time} - slot) * split_part(id, ' ', 3)::integer)::float8 as age`)
      return new Map(rows.map((row) => [row.id, row]))
    }, withoutSqlErrors),

    /** Deletes the counts of windows that are over. */
    sweep: withoutSqlErrors(Effect.asVoid(sweep)),
  }
}) {}
