import { type Duration, Effect } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import type { OrganizationId } from "../../domain/Ids.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { SystemSql } from "./Database.ts"
import { transaction, withoutSqlErrors } from "./SqlErrors.ts"
import { interval } from "./SqlValues.ts"

/** What every queue knows of a job that a worker has claimed. */
export interface Job {
  readonly organization_id: OrganizationId
  /** Names this attempt. Whoever shows another id, or none, writes nothing. */
  readonly lease_id: string
  /** Earlier attempts that failed by what the job itself is. Set to 0 when the job is put off. */
  readonly attempts: number
  /** Earlier attempts whose worker vanished: it was killed, or could not reach the database. Set to 0 likewise. */
  readonly lapses: number
  /** How often the job was given up and put off. */
  readonly given_up: number
}

/** A worker's hold on a job, by the database's clock. A worker that renews it before `duration` is over keeps it. */
export interface Lease {
  readonly id: string
  readonly duration: Duration.Duration
}

/** The key of a job and the lease of the attempt that writes about it. */
export type Attempt<Key extends string> = Pick<Job, "lease_id"> & Readonly<Record<Key, string>>

/**
 * Describes the table of a queue. It has a row for each job that waits or is under way, with these columns beside its
 * own:
 *
 * - `organization_id uuid not null`, for row-level security and for the turns;
 * - `turn bigint not null`, the order of the jobs: an organization's first waiting job has the turn that is being served,
 *   and each further one the turn after the one before, so organizations are served in turn;
 * - `created_at timestamptz not null default now()`, the order within a turn: an index on `(turn, created_at)` finds the
 *   next job;
 * - `run_at timestamptz not null default now()`: nobody may claim the job before, be it leased or put off;
 * - `lease_id uuid`, null when nobody has the job;
 * - `attempts`, `lapses` and `given_up`, each `integer not null default 0`, see `Job`.
 */
export interface QueueTable<Key extends string> {
  readonly table: string
  /** The primary key, a `uuid`. */
  readonly key: Key
  /**
   * A sequence whose last value is the turn being served. The trigger that numbers new jobs reads it, so that an
   * organization which queues a job after a while begins with that turn and not with one that is long past. Absent where
   * the turns are numbered from 1 whenever the queue is filled.
   */
  readonly clock?: string
  /**
   * The table whose row the job is about: the job's key is that row's `id`, and the job is deleted with it. Every write
   * locks that row, by this strength, before the job's own, so that no two transactions wait for each other.
   */
  readonly parent?: { readonly table: string; readonly lock: "update" | "key share" }
}

/** Narrows which of the jobs that are due a claim may lease. The alias of the queue's table is `q`. */
export interface ClaimCondition {
  /** Tables whose rows are locked together with the job's, such as `join documents d on d.id = q.document_id`. */
  readonly join?: Statement.Fragment
  readonly and?: Statement.Fragment
}

/** Lapses of one job after which `releaseAll` delays its next attempt: by a second, doubled for each further lapse. */
const LAPSES_AT_ONCE = 3
/** The longest such delay. */
const LAPSE_DELAY_MAX_SECONDS = 30

/**
 * Makes the statements of a queue of jobs that all server processes share. Organizations take turns; an attempt holds its
 * job by a lease, and writes only while it has that; a job that fails is tried again later.
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
 * As there, an idle process polls. A notification (`LISTEN`) would not make that needless, because what is put off, and
 * what a dead process has left, falls due without anybody to announce it; and it would cost a connection for each
 * process and a lock that all commits with a notification share. A poll is one descent of an index, made once for all
 * workers of a process, and a process that queues a job wakes its own workers at once.
 */
export const makeLeaseQueue = Effect.fnUntraced(function* <Key extends string>(description: QueueTable<Key>) {
  const sql = yield* SqlClient.SqlClient
  const system = yield* SystemSql
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

  /** The job's row, if the attempt still has its lease. */
  const held = (attempt: Attempt<Key>, organization: OrganizationId) =>
    sql`${key} = ${idOf(attempt, organization)} and lease_id = ${attempt.lease_id} and organization_id = ${organization}`

  /**
   * A statement of the system that leases the next job that is due and returns its row, or none. It never waits: rows
   * that somebody has locked are skipped.
   */
  const claim = (lease: Lease, { and, join }: ClaimCondition = {}): Statement.Fragment =>
    sql`update ${table} set lease_id = ${lease.id}, run_at = ${after(lease.duration)},
        -- An attempt that ends takes its lease off the row, unless its worker has vanished.
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
   * Ends every lease, for a process that knows to be the only one: whoever had them is gone. A job that may be what ends
   * the process lets it live for a while between its attempts.
   */
  const releaseAll = system`update ${table} set lease_id = null, lapses = lapses + 1,
      run_at = now() + case when lapses + 1 < ${LAPSES_AT_ONCE} then interval '0'
        else least(2 ^ (lapses + 1 - ${LAPSES_AT_ONCE}), ${LAPSE_DELAY_MAX_SECONDS}) * interval '1 second' end
    where lease_id is not null`.pipe(Effect.asVoid, withoutSqlErrors)

  /** A statement that renews the lease and returns the job's key, or no row when the lease is lost. */
  const renewal = (attempt: Attempt<Key>, organization: OrganizationId, duration: Duration.Duration) =>
    sql`update ${table} set run_at = ${after(duration)} where ${held(attempt, organization)} returning ${key}`

  /** Renews the lease. False when it is lost. */
  const renew = Effect.fnUntraced(function* (attempt: Attempt<Key>, duration: Duration.Duration) {
    return (yield* renewal(attempt, yield* CurrentOrganization, duration)).length > 0
  }, withoutSqlErrors)

  /** Gives the job back, to be tried again after a while. `counts`: the attempt failed by what the job is. */
  const release = Effect.fnUntraced(function* (attempt: Attempt<Key>, delay: Duration.Duration, counts: boolean) {
    const organization = yield* CurrentOrganization
    yield* sql`update ${table} set lease_id = null, run_at = ${after(delay)}, attempts = attempts + ${counts ? 1 : 0}::int
      where ${held(attempt, organization)}`
  }, withoutSqlErrors)

  /**
   * Writes an attempt's results in one transaction, during which nobody else can get the lease. False when it is lost:
   * then nothing was written.
   */
  const underLease = <E, R>(attempt: Attempt<Key>, write: Effect.Effect<void, E, R>) =>
    Effect.gen(function* () {
      const organization = yield* CurrentOrganization
      const rows = yield* sql`select ${key} from ${table} where ${held(attempt, organization)} for update`
      if (rows.length > 0) yield* write
      return rows.length > 0
    }).pipe(transaction(sql))

  /** Within `underLease`: takes the job out of the queue; or puts it off, to be tried anew as if for the first time. */
  const end = Effect.fnUntraced(function* (attempt: Attempt<Key>, putOffFor?: Duration.Duration) {
    const organization = yield* CurrentOrganization
    const become =
      putOffFor === undefined
        ? sql`delete from ${table}`
        : sql`update ${table} set lease_id = null, run_at = ${after(putOffFor)}, attempts = 0, lapses = 0,
            given_up = given_up + 1`
    yield* sql`${become} where ${key} = ${attempt[description.key]} and organization_id = ${organization}`
  })

  return { claim, releaseAll, renewal, renew, release, underLease, end }
})

/** How a queue stands at the moment. */
export interface QueueState {
  /** Due now, and nobody has it. */
  readonly waiting: number
  readonly underWay: number
  /** To be tried again later. */
  readonly delayed: number
  /** How long the first of those that are due has been, in seconds; null when none is. */
  readonly overdue_seconds: number | null
}

export const queueState = (sql: SqlClient.SqlClient, table: string) =>
  Effect.flatMap(
    sql<QueueState>`select
      count(*) filter (where lease_id is null and run_at <= now())::int as waiting,
      count(*) filter (where lease_id is not null and run_at > now())::int as "underWay",
      count(*) filter (where lease_id is null and run_at > now())::int as delayed,
      extract(epoch from now() - min(run_at) filter (where run_at <= now()))::float8 as overdue_seconds
      from ${sql(table)}`,
    ([row]) => Effect.orDie(Effect.fromNullishOr(row)),
  )
