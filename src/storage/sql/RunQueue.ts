import { type Duration, Effect, Predicate, Record, Schema, Struct } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { Conflict, type NotFound } from "../../domain/Errors.ts"
import { offset, type Page } from "../../domain/Page.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { counted, decodeRow, type DecodeRows, rowOr } from "../Rows.ts"
import { type Attempt, makeLeaseQueue, type QueueTable } from "./LeaseQueue.ts"
import { withoutSqlErrors } from "./SqlErrors.ts"
import { asynchronousCommit, json } from "./SqlValues.ts"

/**
 * Describes a queue whose jobs are runs of what its key names, such as a source. Its `run_id` is the run that waits or is
 * under way, and null until a job that nobody has started begins one. Runs stay when their job has ended: in a table with
 * the queue's key as well.
 */
export interface RunTables<Key extends string, Id extends string, Run extends {}> extends QueueTable<Key> {
  readonly runs: string
  /** A run `r` as it is shown. */
  readonly columns: string
  readonly decodeRuns: DecodeRows<Run>
  readonly notFound: NotFound
  /** A statement that inserts the run of the job in `queued q`. */
  readonly insert: string
  /** The columns of a run `r` that has begun. */
  readonly begun: string
  /** What a run `r` that ends has counted. */
  readonly counts: string
  /** Deletes the job whose run has ended, queues the next one, and deletes runs that nobody needs any more. */
  readonly follow: (sql: SqlClient.SqlClient, id: Id) => Effect.Effect<void, SqlError.SqlError, CurrentOrganization>
}

type Columns = Readonly<Record<string, unknown>>

/** How a run ends, with further columns. */
export interface Ending extends Columns {
  readonly status: string
  readonly error: { readonly code: string; readonly message: string } | null
  /** What it has counted beside the rest. */
  readonly counts?: object
}

const valuesOf = (columns: Columns) => Record.map(columns, (value) => (Predicate.isObject(value) ? json(value) : value))

const hasEnded = new Conflict({ detail: "The run has ended." })

const decodeWaiting = decodeRow(Schema.Struct({ is_waiting: Schema.Boolean }))
const decodeStopping = decodeRow(Schema.Struct({ is_stopping: Schema.Boolean }))

/** Makes the SQL of runs, always within the current organization. */
export const runsOf = <Key extends string, Id extends string, Run extends {}>(
  sql: SqlClient.SqlClient,
  tables: RunTables<Key, Id, Run>,
) => {
  const [queue, runs, columns] = [sql(tables.table), sql(tables.runs), sql.literal(tables.columns)]

  const ownBy = Effect.fnUntraced(function* (id: Id) {
    return sql`${sql(tables.key)} = ${id} and organization_id = ${yield* CurrentOrganization}`
  })

  /** Within a transaction that has locked the job: ends it and its run, or forgets that, and queues the next one. */
  const close = Effect.fnUntraced(function* (id: Id, ending: Ending | "forgotten") {
    const own = yield* ownBy(id)
    const run = sql`${own} and id = (select run_id from ${queue} where ${own})`
    if (ending === "forgotten") yield* sql`delete from ${runs} where ${run}`
    else {
      const { counts = {}, ...columns } = ending
      yield* sql`update ${runs} r set ${sql.update(valuesOf(columns))}, ended_at = clock_timestamp(),
        counts = ${sql.literal(tables.counts)} || ${json(counts)}::jsonb where ${run}`
    }
    yield* tables.follow(sql, id)
  })

  const get = Effect.fnUntraced(function* (id: Id, run: string) {
    const rows = tables.decodeRuns(sql`select ${columns} from ${runs} r where id = ${run} and ${yield* ownBy(id)}`)
    return yield* rowOr(tables.notFound)(rows)
  })

  return {
    ownBy,
    close,
    get,

    /** Lists a page of runs, the latest first. */
    list: Effect.fnUntraced(function* (id: Id, page: Page) {
      const own = yield* ownBy(id)
      const data = yield* tables.decodeRuns(sql`select ${columns} from ${runs} r
        where ${own} order by created_at desc, id desc limit ${page.limit} offset ${offset(page)}`)
      return { data, total: yield* counted(sql`select count(*)::int as count from ${runs} where ${own}`) }
    }),

    /** Within a transaction: ends a run that waits, and asks one under way to stop. Fails when it has ended. */
    stop: Effect.fnUntraced(function* (id: Id, run: string) {
      yield* get(id, run)
      const own = yield* ownBy(id)
      // The queue's row before the run's, as workers lock them, so that neither waits for the other.
      const job = yield* decodeWaiting(
        sql`select lease_id is null as is_waiting from ${queue} where ${own} and run_id = ${run} for update`,
      )
      if (job === undefined) return yield* hasEnded
      yield* job.is_waiting
        ? close(id, { status: "stopped", error: null })
        : sql`update ${runs} set is_stopping = true where id = ${run} and ${own}`
    }),
  }
}

/** Makes the SQL by which workers begin, renew and end the runs of a queue, beside that of `LeaseQueue`. */
export const makeRunQueue = Effect.fnUntraced(function* <Key extends string, Id extends string, Begun, I>(
  tables: RunTables<Key, Id, {}>,
  begun: Schema.Codec<Begun, I>,
) {
  const sql = yield* SqlClient.SqlClient
  const queue = yield* makeLeaseQueue(tables)
  const { close, ownBy } = runsOf(sql, tables)
  const [table, runs, key] = [sql(tables.table), sql(tables.runs), sql(tables.key)]
  const decodeBegun = decodeRow(begun)

  type RunJob = Attempt<Key> & Readonly<Record<Key, Id>>

  /** Ends a run and its job, and queues the next one. Returns false when the lease is lost. */
  const end = (job: RunJob, ending: Ending | "forgotten") =>
    withoutSqlErrors(queue.underLease(job, close(job[tables.key], ending)))

  return {
    ...Struct.pick(queue, ["claim", "release", "releaseAll", "underLease", "untilDue"]),

    /**
     * Begins the job's run, which is `id` where nobody has started one, and sets columns; or goes on with the run that an
     * earlier attempt has begun. Returns nothing when the lease is lost.
     */
    begin: Effect.fnUntraced(function* (job: RunJob, id: string, columns: Columns = {}) {
      let begun: Begun | undefined
      const own = yield* ownBy(job[tables.key])
      const write = Effect.gen(function* () {
        yield* sql`with queued as (update ${table} set run_id = ${id} where ${own} and run_id is null returning *)
          ${sql.literal(tables.insert)}`
        begun = yield* decodeBegun(sql`
          update ${runs} r set ${sql.update({ ...columns, status: "running" })}, started_at = coalesce(started_at, now())
          where ${own} and id = (select run_id from ${table} where ${own}) returning ${sql.literal(tables.begun)}`)
      })
      yield* queue.underLease(job, write)
      return begun
    }, withoutSqlErrors),

    /**
     * Renews the lease, and stores the progress of a run that has begun. Returns false when the lease is lost, and "stop"
     * when somebody has asked the run to stop.
     */
    renew: Effect.fnUntraced(function* (
      job: RunJob,
      run: string | undefined,
      progress: Columns,
      lease: Duration.Duration,
    ) {
      if (run === undefined) return yield* queue.renew(job, lease)
      const organization = yield* CurrentOrganization
      const renewed = yield* decodeStopping(sql`
        with renewed as (${queue.renewal(job, organization, lease)})
        update ${runs} set ${sql.update(valuesOf(progress))} from ${asynchronousCommit(sql)}
        where id = ${run} and ${key} = (select ${key} from renewed) and organization_id = ${organization}
        returning is_stopping`)
      return renewed?.is_stopping === true ? "stop" : renewed !== undefined
    }, withoutSqlErrors),

    end,

    /** Ends the run of a job that is given up. */
    giveUp: (job: RunJob, message: string) =>
      Effect.asVoid(end(job, { status: "failed", error: { code: "gave_up", message } })),
  }
})
