import { type Duration, Effect, type Latch, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { OrganizationId } from "../../domain/Ids.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { Servers } from "../servers/Servers.ts"
import { SystemSql } from "./Database.ts"
import { Pulse } from "./Pulse.ts"
import { decodeRows, onlyRow } from "../Rows.ts"
import { transaction, withoutSqlErrors } from "./SqlErrors.ts"
import { interval } from "./SqlValues.ts"

/** The columns that every queue returns of a job that a worker has claimed. */
export const Job = Schema.Struct({
  organization_id: OrganizationId,
  /** Identifies this attempt. An attempt with another lease can write nothing. */
  lease_id: Schema.String,
  /** The number of earlier attempts that failed because of the job itself. Putting the job off resets it to 0. */
  attempts: Schema.Int,
  /**
   * The number of earlier attempts whose worker was killed or lost the database. Putting the job off resets it to 0.
   */
  lapses: Schema.Int,
  /** Number of times that the job was given up and put off. */
  given_up: Schema.Int,
})
export type Job = typeof Job.Type

/**
 * A worker's claim to a job, by the clock of the database. It lasts as long as the worker renews it in time, and as long
 * as the worker's server lives.
 */
export interface Lease {
  /** A random id. The lease in the table begins with that of the server instead. */
  readonly id: string
  readonly duration: Duration.Duration
}

/** Identifies a job by its key, and the attempt that is working on it by its lease. */
export type Attempt<Key extends string> = Pick<Job, "lease_id"> & Readonly<Record<Key, string>>

/**
 * Describes the table of a queue. It has a row for each job that waits or is under way, with these columns beside those
 * of the job itself:
 *
 * - `organization_id uuid not null`, for row-level security and for the turns;
 * - `turn bigint not null`, the order of the jobs: an organization's first waiting job has the turn that is being
 *   served, and each further one the turn after the one before, so organizations are served in turn;
 * - `created_at timestamptz not null default now()`, the order within a turn: an index on `(turn, created_at)` finds
 *   the next job;
 * - `run_at timestamptz not null default now()`, the time before which no worker may claim the job: the end of its
 *   lease, or of its delay;
 * - `lease_id uuid`, null when no worker has the job;
 * - `attempts`, `lapses` and `given_up`, each `integer not null default 0`, see `Job`.
 */
export interface QueueTable<Key extends string> {
  readonly table: string
  /** The primary key, a `uuid`. */
  readonly key: Key
  /**
   * A sequence whose last value is the turn being served. The trigger that numbers new jobs reads it, so that an
   * organization which queues a job after a while begins with that turn and not with one that is long past. Absent
   * where the turns are numbered from 1 whenever the queue is filled.
   */
  readonly clock?: string
  /**
   * The table whose row the job is about: the job's key is that row's `id`, and the job is deleted with it. Every write
   * locks that row, by this strength, before the job's own, so that no two transactions wait for each other.
   */
  readonly parent?: { readonly table: string; readonly lock: "update" | "key share" }
}

/** Waits until a bell opens, which is opened when a job may be due. */
export type UntilDue = (bell: Latch.Latch) => Effect.Effect<void>

/** Narrows a claim to some of the jobs that are due. The queue's table is `q`. */
export interface ClaimCondition {
  /** Tables whose rows are locked together with the job's, such as `join documents d on d.id = q.document_id`. */
  readonly join?: Statement.Fragment
  /** A condition on the job and on the joined rows. */
  readonly and?: Statement.Fragment
}

/**
 * Number of attempts of a job that end with their process before the next one is delayed: by a second, then by twice
 * as long each time.
 */
const LAPSES_AT_ONCE = 3
/** Longest delay of a job whose attempts have ended with their process. */
const LAPSE_DELAY_MAX_SECONDS = 30

/**
 * Makes the SQL of a queue of jobs that every server process shares. Organizations take turns; an attempt has a lease
 * on its job, and writes only while it has the lease; a job that fails is tried again later.
 *
 * `effect/persistence` has a `PersistedQueue` with a store in SQL. It lacks what a platform of many tenants needs:
 *
 * - it serves strictly in the order of arrival, so one organization's ten thousand jobs keep all others waiting;
 * - its rows have no organization, so row-level security cannot guard them, and nothing deletes them with their owner;
 * - its table comes by migrations of its own, in a table of its own, beside ours;
 * - a job's results cannot be written in the transaction that ends the job, so a worker that has lost its lock writes
 *   them all the same;
 * - delays are whole seconds, and times are `TIMESTAMP` without a time zone;
 * - jobs cannot be listed, counted or redelivered by hand.
 *
 * A process that queues a job wakes its own workers at once. What is put off, and what others have queued or left, it
 * learns from its `Pulse`, which polls for all queues together. A notification (`LISTEN`) would not make that needless,
 * because that falls due without anybody to announce it; and all commits with a notification share a lock.
 */
export const makeLeaseQueue = Effect.fnUntraced(function* <Key extends string>(description: QueueTable<Key>) {
  const sql = yield* SqlClient.SqlClient
  const system = yield* SystemSql
  const servers = yield* Servers
  const pulse = yield* Pulse
  const { clock, parent } = description
  const table = sql(description.table)
  const key = sql(description.key)
  const nothing = sql.literal("")

  const after = (delay: Duration.Duration) => sql`now() + ${interval(delay)}`

  const idOf = (attempt: Attempt<Key>, organization: OrganizationId) =>
    parent === undefined
      ? sql`${attempt[description.key]}`
      : sql`(select id from ${sql(parent.table)} where id = ${attempt[description.key]}
          and organization_id = ${organization} for ${sql.literal(parent.lock)})`

  /** A condition on the job's row: the attempt still has the lease. */
  const isLeased = (attempt: Attempt<Key>, organization: OrganizationId) =>
    sql`${key} = ${idOf(attempt, organization)} and lease_id = ${attempt.lease_id} and organization_id = ${organization}`

  /** A statement of the system that leases the next due job and returns its row, or none. It skips locked rows. */
  const claim = (lease: Lease, { and, join }: ClaimCondition = {}): Statement.Fragment =>
    sql`update ${table} set lease_id = ${servers.idOf(lease.id)}, run_at = ${after(lease.duration)},
        -- An attempt that ends clears its lease, unless its worker has vanished.
        lapses = lapses + (lease_id is not null)::int
      where ${key} = (
        select q.${key} from ${table} q ${join ?? nothing}
        where q.run_at <= now() ${and === undefined ? nothing : sql`and ${and}`}
        order by q.turn, q.created_at limit 1 for update skip locked
      )
      returning *${
        clock === undefined
          ? nothing
          : sql`, setval(${sql.literal(`'${clock}'`)}, greatest(turn, (select last_value from ${sql(clock)})))`
      }`

  /**
   * Ends the leases of workers that are gone. A job that may itself be what kills the process is delayed, so that the
   * process lives between the attempts.
   */
  const releaseLeft = (condition: Statement.Fragment) =>
    system`update ${table} set lease_id = null, lapses = lapses + 1,
        run_at = now() + case when lapses + 1 < ${LAPSES_AT_ONCE} then interval '0'
          else least(2 ^ (lapses + 1 - ${LAPSES_AT_ONCE}), ${LAPSE_DELAY_MAX_SECONDS}) * interval '1 second' end
      where ${key} in (select q.${key} from ${table} q where ${condition} for update skip locked)`.pipe(
      Effect.asVoid,
      withoutSqlErrors,
    )

  /** Ends every lease, for a process that is alone on its database, so that the workers which had them are gone. */
  const releaseAll = releaseLeft(system`q.lease_id is not null`)

  /** Waits until a job is due, of those that a condition selects, or until the bell opens. */
  const untilDue =
    (condition?: Statement.Fragment): UntilDue =>
    (bell) =>
      pulse.until(
        bell,
        system`(select min(q.run_at) from ${table} q ${condition === undefined ? nothing : system`where ${condition}`})`,
      )

  yield* servers.onDeath(({ ids: [first, last] }) => releaseLeft(system`q.lease_id between ${first} and ${last}`))

  /** A statement that renews the lease and returns the job's key, or returns no row when the lease is lost. */
  const renewal = (attempt: Attempt<Key>, organization: OrganizationId, duration: Duration.Duration) =>
    sql`update ${table} set run_at = ${after(duration)} where ${isLeased(attempt, organization)} returning ${key}`

  /** Renews the lease. Returns false when it is lost. */
  const renew = Effect.fnUntraced(function* (attempt: Attempt<Key>, duration: Duration.Duration) {
    return (yield* renewal(attempt, yield* CurrentOrganization, duration)).length > 0
  }, withoutSqlErrors)

  /** Returns the job to the queue, to be tried after `delay`. `counts`: the job itself made the attempt fail. */
  const release = Effect.fnUntraced(function* (attempt: Attempt<Key>, delay: Duration.Duration, counts: boolean) {
    const organization = yield* CurrentOrganization
    yield* sql`update ${table} set lease_id = null, run_at = ${after(delay)}, attempts = attempts + ${counts ? 1 : 0}::int
      where ${isLeased(attempt, organization)}`
  }, withoutSqlErrors)

  /**
   * Writes an attempt's results in one transaction, during which no other worker can get the lease. Returns false,
   * having written nothing, when the lease is lost.
   */
  const underLease = <E, R>(attempt: Attempt<Key>, write: Effect.Effect<void, E, R>) =>
    Effect.gen(function* () {
      const organization = yield* CurrentOrganization
      const rows = yield* sql`select ${key} from ${table} where ${isLeased(attempt, organization)} for update`
      if (rows.length > 0) yield* write
      return rows.length > 0
    }).pipe(transaction(sql))

  /** Within `underLease`: deletes the job; or, with `putOffFor`, delays it, to be tried as if for the first time. */
  const end = Effect.fnUntraced(function* (attempt: Attempt<Key>, putOffFor?: Duration.Duration) {
    const become =
      putOffFor === undefined
        ? sql`delete from ${table}`
        : sql`update ${table} set lease_id = null, run_at = ${after(putOffFor)}, attempts = 0, lapses = 0,
            given_up = given_up + 1`
    yield* sql`${become} where ${key} = ${attempt[description.key]} and organization_id = ${yield* CurrentOrganization}`
  })

  return { claim, untilDue, releaseAll, renewal, renew, release, underLease, end }
})

/** The numbers of jobs of a queue, by state. */
export const QueueState = Schema.Struct({
  /** Jobs that are due and that no worker has. */
  waiting: Schema.Int,
  underWay: Schema.Int,
  /** Jobs that are tried again later. */
  delayed: Schema.Int,
  /** Seconds for which the first due job has been due; null when none is due. */
  overdue_seconds: Schema.NullOr(Schema.Finite),
})
export type QueueState = typeof QueueState.Type

const decodeState = decodeRows(QueueState)

/** Reads the state of the queue in a table, or of the rows of a subquery with `lease_id` and `run_at`. */
export const queueState = (sql: SqlClient.SqlClient, table: string | Statement.Fragment) =>
  Effect.flatMap(
    decodeState(sql`select
      count(*) filter (where lease_id is null and run_at <= now())::int as waiting,
      count(*) filter (where lease_id is not null and run_at > now())::int as "underWay",
      count(*) filter (where lease_id is null and run_at > now())::int as delayed,
      extract(epoch from now() - min(run_at) filter (where run_at <= now()))::float8 as overdue_seconds
      from ${typeof table === "string" ? sql(table) : table}`),
    onlyRow,
  )
