import { type Duration, Effect, Schema } from "effect"
import { decodeRows, onlyRow } from "../Rows.ts"
import { SystemSql } from "../sql/Database.ts"
import { withoutSqlErrors } from "../sql/SqlErrors.ts"
import { interval } from "../sql/SqlValues.ts"
import { Service } from "../../domain/Service.ts"

const decodeWaits = decodeRows(Schema.Struct({ wait: Schema.Finite }))

/** The table `crawled_hosts`, by which all servers, organizations and sources send one request at a time to a host. */
export class CrawledHosts extends Service<CrawledHosts>()("parley/storage/sources/CrawledHosts", function* () {
  const sql = yield* SystemSql

  return {
    /**
     * Reserves a host for a request that takes at most `time`. Returns 0, or the milliseconds until the request of somebody
     * else and the pause after it are over.
     */
    reserve: Effect.fnUntraced(function* (host: string, time: Duration.Duration) {
      return yield* decodeWaits(sql`
        with reserved as (
          insert into crawled_hosts as h (host, free_at) values (${host}, now() + ${interval(time)})
          on conflict (host) do update set free_at = excluded.free_at where h.free_at <= now() returning host
        )
        select case when exists (select from reserved) then 0 else coalesce((
          select greatest(1, extract(epoch from free_at - now()) * 1000) from crawled_hosts where host = ${host}
        ), 1) end::float8 as wait`).pipe(
        Effect.flatMap(onlyRow),
        Effect.map(({ wait }) => wait),
      )
    }, withoutSqlErrors),

    /** Ends the reservation of a host. The next request may be sent after the pause. */
    release: Effect.fnUntraced(function* (host: string, pause: Duration.Duration) {
      yield* sql`update crawled_hosts set free_at = now() + ${interval(pause)} where host = ${host}`
    }, withoutSqlErrors),

    /** Forgets hosts to which nothing was sent for an hour. */
    forget: withoutSqlErrors(Effect.asVoid(sql`delete from crawled_hosts where free_at < now() - interval '1 hour'`)),
  }
}) {}
