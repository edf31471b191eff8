import { Context, Effect, Layer, Schema } from "effect"
import { DatabaseTraits } from "../../system/DatabaseTraits.ts"
import { SystemSql } from "../sql/Database.ts"
import { decodeRows } from "../Rows.ts"
import { withoutSqlErrors } from "../sql/SqlErrors.ts"
import { LOCK_CLASS } from "../servers/Presence.ts"

const RunningServer = Schema.Struct({
  version: Schema.String,
  host: Schema.String,
  pid: Schema.Int,
  worker: Schema.NullOr(Schema.Int),
  /** Connections to the database, at most. */
  connections: Schema.Int,
})
const Limits = Schema.Struct({
  /** The connections that the database gives to roles like that of the servers. */
  connections: Schema.Int,
  /** The connections that are open at the moment, those of other programs included. */
  open: Schema.Int,
})

/** The servers that use a database. */
export interface RunningServers {
  readonly servers: ReadonlyArray<typeof RunningServer.Type>
  readonly limits: typeof Limits.Type
}

const decodeServers = decodeRows(RunningServer)
const decodeLimits = decodeRows(Limits)

/** Reads which servers use the database. */
export class ServerList extends Context.Service<ServerList>()("parley/storage/inspection/ServerList", {
  make: Effect.gen(function* () {
    const sql = yield* SystemSql
    const { isAlone } = yield* DatabaseTraits

    return {
      /** The servers that are running; undefined for the embedded database, which one process uses at a time. */
      running: Effect.gen(function* () {
        if (isAlone) return undefined
        const servers = yield* decodeServers(sql`
          select version, host, pid, worker, connections from servers
          where exists (
            select from pg_locks
            where locktype = 'advisory' and granted and objsubid = 2 and classid = ${LOCK_CLASS}::int::oid
              and objid = number::oid
              and database = (select oid from pg_database where datname = current_database())
          )
          order by host, worker nulls first, started_at`)
        const [limits] = yield* decodeLimits(sql`
          select current_setting('max_connections')::int
              - current_setting('superuser_reserved_connections')::int
              - coalesce(current_setting('reserved_connections', true)::int, 0) as connections,
            (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as open`)
        return limits === undefined ? undefined : { servers, limits }
      }).pipe(withoutSqlErrors),
    }
  }),
}) {
  static readonly layer = Layer.effect(this, this.make)
}
