import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"

/** An index that is built while other servers write to its table. */
export interface Index {
  readonly name: string
  readonly table: string
  /** Part of the statement `create index` that follows the name of the table. */
  readonly definition: string
}

/**
 * The memory for building an index, in kB, unless the database's own setting is higher. An index of vectors that does not
 * fit into it is built several times slower from there on.
 */
const BUILD_MEMORY = 256 * 1_024
/**
 * The advisory lock under which an index is built, an arbitrary number of Parley's own: two that are built at the same
 * time on one table deadlock.
 */
const BUILD_LOCK = 7_242_015_532

type Run = (statement: string) => Effect.Effect<ReadonlyArray<{ readonly isFree?: unknown }>, SqlError.SqlError>

const dropping = (name: string) => `drop index concurrently if exists ${name}`

/**
 * Builds and drops indexes, one at a time in the whole database and outside of any transaction, so that those who read
 * and write the table go on. Both methods return false when another process is at work; the caller then tries later.
 */
export const makeIndexes = (sql: SqlClient.SqlClient) => {
  const alone = <E>(change: (run: Run) => Effect.Effect<unknown, E>) =>
    Effect.scoped(
      Effect.gen(function* () {
        const connection = yield* sql.reserve
        const run: Run = (statement) => connection.executeUnprepared(statement, [], undefined)
        const [row] = yield* run(`select pg_try_advisory_lock(${BUILD_LOCK}) as "isFree"`)
        if (row?.isFree !== true) return false
        yield* Effect.ensuring(change(run), Effect.ignore(run(`select pg_advisory_unlock(${BUILD_LOCK})`)))
        return true
      }),
    )

  const drop = (name: string) => alone((run) => run(dropping(name)))

  /**
   * Builds an index if there is no valid one. One that was not finished, because its process stopped, is built anew.
   */
  const ensure = Effect.fn("Indexes.ensure")(function* ({ name, table, definition }: Index) {
    const isThere = `select from pg_index where indexrelid = to_regclass('${name}') and indisvalid`
    if ((yield* sql.unsafe(isThere)).length > 0) return true
    return yield* alone(
      Effect.fnUntraced(function* (run) {
        // Another process may have built it just now.
        if ((yield* run(isThere)).length > 0) return
        yield* run(`select set_config(name, greatest(setting::int, ${BUILD_MEMORY})::text, false)
          from pg_settings where name = 'maintenance_work_mem'`)
        yield* run(dropping(name))
        yield* run(`create index concurrently ${name} on ${table} ${definition}`).pipe(
          Effect.ensuring(Effect.ignore(run("reset maintenance_work_mem"))),
        )
      }),
    )
  })

  return { ensure, drop }
}
