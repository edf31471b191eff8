import { Context, Effect, Layer, Schema } from "effect"
import { SystemSql } from "../sql/Database.ts"
import { type QueueState, queueState } from "../sql/LeaseQueue.ts"
import { decodeRows, onlyRow } from "../Rows.ts"
import { withoutSqlErrors } from "../sql/SqlErrors.ts"

const Versions = Schema.Struct({
  postgres: Schema.String,
  pgvector: Schema.String,
  /** The name of the last migration that was applied. */
  migration: Schema.String,
})
const decodeVersions = decodeRows(Versions)

/** Facts of the database that are quickly read. */
export interface ServerFacts extends Queues, Schema.Schema.Type<typeof Versions> {}

/** The state of each queue, by the name of its table. */
export interface Queues {
  readonly ingestions: QueueState
  readonly reembeddings: QueueState
  readonly webhook_queue: QueueState
}

/** Reads the version of the database and its queues, of all organizations. `Inspection` reads much more, for longer. */
export class ServerState extends Context.Service<ServerState>()("parley/storage/inspection/ServerState", {
  make: Effect.gen(function* () {
    const sql = yield* SystemSql

    const queues = Effect.gen(function* () {
      return {
        ingestions: yield* queueState(sql, "ingestions"),
        reembeddings: yield* queueState(sql, "reembeddings"),
        webhook_queue: yield* queueState(sql, "webhook_queue"),
      }
    })

    return {
      facts: Effect.gen(function* () {
        const rows = yield* decodeVersions(sql`
          select current_setting('server_version') as postgres,
            (select extversion from pg_extension where extname = 'vector') as pgvector,
            (select name from parley_migrations order by number desc limit 1) as migration`)
        return {
          ...(yield* onlyRow(rows)),
          ...(yield* queues),
        }
      }).pipe(withoutSqlErrors),

      queues: withoutSqlErrors(queues),
    }
  }),
}) {
  static readonly layer = Layer.effect(this, this.make)
}
