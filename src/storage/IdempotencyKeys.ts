import { type Duration, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Unavailable } from "../domain/Errors.ts"
import type { ApiKeyId, OrganizationId, SessionId } from "../domain/Ids.ts"
import { CurrentOrganization } from "../domain/Tenancy.ts"
import { Service } from "../domain/Service.ts"
import { Servers } from "./servers/Servers.ts"
import { SystemSql } from "./sql/Database.ts"
import { decodeRows } from "./Rows.ts"
import { transaction, withoutSqlErrors } from "./sql/SqlErrors.ts"
import { byteas, interval, uuids } from "./sql/SqlValues.ts"

/** Identifies the row of an idempotency key. */
export interface IdempotencyName {
  readonly organization: OrganizationId
  readonly apiKey: ApiKeyId
  /** 32 bytes that are derived from the API key and the idempotency key. */
  readonly name: Uint8Array
}

/** An attempt to run a request, as the row of its idempotency key names it while it is running. */
export interface Attempt extends IdempotencyName {
  readonly lease: string
}

/** Claim of a request to the row of its idempotency key. */
export interface ClaimRequest extends Attempt {
  /** A keyed digest of the request. */
  readonly fingerprint: Uint8Array
  /** The operation's id if this is its first attempt. */
  readonly operation: string
  readonly duration: Duration.Duration
  /** Time for which the row is kept. */
  readonly retention: Duration.Duration
}

/** The row of an idempotency key after an attempt to claim it. */
export const ClaimOutcome = Schema.Struct({
  /** Whether the request may run. */
  is_claimed: Schema.Boolean,
  /** Whether the key was sent with the same request before, or never. */
  is_same: Schema.Boolean,
  /** The id that all attempts at the operation have in common. */
  operation_id: Schema.String,
  /** The status of the stored answer; null when there is none. */
  status: Schema.NullOr(Schema.Finite),
  /** The encrypted answer; null when it is kept no longer. */
  answer: Schema.NullOr(Schema.Uint8Array),
})
export type ClaimOutcome = typeof ClaimOutcome.Type

/** The answer of a request, to be stored. */
export interface StoredAnswer {
  readonly status: number
  /** The encrypted answer; null when it is too large to be kept. */
  readonly answer: Uint8Array | null
  /** The conversation that the answer is from. When that is deleted, the answer is deleted as well. */
  readonly session: SessionId | undefined
}

/** The failure of an attempt that another one has overtaken, as while its server was frozen: that one's answer counts. */
export const answeredElsewhere = new Unavailable({
  detail: "Another attempt at this request was answered meanwhile. Send it again for that answer.",
  retry_after_seconds: 1,
})

/** The client in whose transaction an operation and its answer are committed. */
export type CommitClient = "tenant" | "system"

/** A claim that fails this many times because others insert and delete the row at the same moment is given up. */
const CLAIM_TRIES = 3
/** Deletes at most this many rows in one statement: on the embedded database, all other statements wait for it. */
const ROWS_AT_ONCE = 1_000

const decodeCounts = decodeRows(Schema.Struct({ found: Schema.Int }))

const decodeOutcomes = decodeRows(ClaimOutcome)

/** The table `idempotency_keys`: requests with an idempotency key, those that are running and those with an answer. */
export class IdempotencyKeys extends Service<IdempotencyKeys>()("parley/storage/IdempotencyKeys", function* () {
  const sql = yield* SqlClient.SqlClient
  const system = yield* SystemSql
  const servers = yield* Servers
  const clients = { tenant: sql, system }

  /** Matches the row of an attempt that still has its lease. */
  const running = (client: CommitClient, organization: OrganizationId, { apiKey, lease, name }: Attempt) =>
    clients[client]`organization_id = ${organization} and api_key_id = ${apiKey} and name = ${name}
        and lease_id = ${lease} and status is null`

  yield* servers.onDeath(({ ids: [first, last] }) =>
    withoutSqlErrors(
      system`update idempotency_keys set lease_until = now()
        where status is null and lease_id between ${first} and ${last}`,
    ),
  )

  return {
    /** Makes the lease of an attempt of this server from a random id, see `Servers`. */
    leaseOf: servers.idOf,

    /**
     * Claims a key for a request when it is new, expired, or left behind by an attempt at the same request whose lease
     * has lapsed. Otherwise returns the row as it is; undefined when the row was not to be seen.
     */
    claim: Effect.fnUntraced(function* (request: ClaimRequest) {
      const { apiKey, duration, fingerprint, lease, name, operation, retention } = request
      const organization = yield* CurrentOrganization
      const own = sql`organization_id = ${organization} and api_key_id = ${apiKey} and name = ${name}`
      const statement = decodeOutcomes(sql`
        with claimed as (
          insert into idempotency_keys as k
            (organization_id, api_key_id, name, fingerprint, operation_id, lease_id, lease_until, expires_at)
          values (${organization}, ${apiKey}, ${name}, ${fingerprint}, ${operation}, ${lease},
            clock_timestamp() + ${interval(duration)}, clock_timestamp() + ${interval(retention)})
          on conflict (organization_id, api_key_id, name) do update set
            fingerprint = excluded.fingerprint, lease_id = excluded.lease_id, lease_until = excluded.lease_until,
            operation_id =
              case when k.expires_at <= clock_timestamp() then excluded.operation_id else k.operation_id end,
            status = null, answer = null, session_id = null, expires_at = excluded.expires_at
          where (k.status is not null or k.lease_until <= clock_timestamp())
            and (k.expires_at <= clock_timestamp() or (k.status is null and k.fingerprint = excluded.fingerprint))
          returning k.operation_id
        )
        select true as is_claimed, true as is_same, operation_id, null::smallint as status, null::bytea as answer
        from claimed
        union all
        select false, fingerprint = ${fingerprint}, operation_id, status, answer from idempotency_keys
        where ${own} and not exists (select from claimed)`)
      // A row that another transaction inserted after this statement began stops the claim, and is seen by the next.
      let [outcome] = yield* statement
      for (let tries = 1; outcome === undefined && tries < CLAIM_TRIES; tries++) [outcome] = yield* statement
      return outcome
    }, withoutSqlErrors),

    /**
     * Stores the answer of an attempt, within the transaction of `commit` if there is one. Returns whether it was
     * stored: not when another attempt has taken the key.
     */
    complete: Effect.fnUntraced(function* (client: CommitClient, attempt: Attempt, stored: StoredAnswer) {
      const organization = yield* CurrentOrganization
      const session = stored.session ?? null
      // The lock makes a deletion of the conversation wait, which then finds the answer.
      const rows = yield* clients[client]`
        with session as (
          select id from sessions where id = ${session}::uuid and organization_id = ${organization} for key share
        )
        update idempotency_keys set status = ${stored.status}, session_id = (select id from session),
          answer = case when ${session}::uuid is null or exists (select from session) then ${stored.answer}::bytea end
        where ${running(client, organization, attempt)} returning status`
      return rows.length > 0
    }, withoutSqlErrors),

    /** Runs an operation in one transaction of a client, which is repeated after a conflict with another. */
    commit:
      (client: CommitClient) =>
      <A, E, R>(operation: Effect.Effect<A, E, R>) =>
        withoutSqlErrors(transaction(clients[client])(operation)),

    /** Ends the lease of an attempt, so that the same request may be sent again at once. */
    release: Effect.fnUntraced(function* (attempt: Attempt) {
      const organization = yield* CurrentOrganization
      yield* sql`update idempotency_keys set lease_until = clock_timestamp()
        where ${running("tenant", organization, attempt)}`
    }, withoutSqlErrors),

    /** Deletes the row of an attempt that has changed nothing, so that any request may use its key. */
    forget: Effect.fnUntraced(function* (attempt: Attempt) {
      const organization = yield* CurrentOrganization
      yield* sql`delete from idempotency_keys where ${running("tenant", organization, attempt)}`
    }, withoutSqlErrors),

    /** Extends the leases of these attempts, of any organizations. */
    renew: Effect.fnUntraced(function* (attempts: ReadonlyArray<Attempt>, duration: Duration.Duration) {
      yield* system`
        update idempotency_keys k set lease_until = clock_timestamp() + ${interval(duration)}
        from unnest(${uuids(attempts.map(({ organization }) => organization))},
          ${uuids(attempts.map(({ apiKey }) => apiKey))}, ${byteas(attempts.map(({ name }) => name))},
          ${uuids(attempts.map(({ lease }) => lease))}) as a (organization_id, api_key_id, name, lease_id)
        where k.organization_id = a.organization_id and k.api_key_id = a.api_key_id and k.name = a.name
          and k.lease_id = a.lease_id and k.status is null`
    }, withoutSqlErrors),

    /** Ends all leases, of all organizations, for a process that has the database to itself. */
    releaseAll: withoutSqlErrors(
      Effect.asVoid(system`update idempotency_keys set lease_until = now() where status is null`),
    ),

    /** Deletes the expired rows of all organizations. */
    sweep: decodeCounts(system`
      with found as (
        select ctid as place from idempotency_keys
        where expires_at <= now() and (status is not null or lease_until <= now()) limit ${ROWS_AT_ONCE}
      ), gone as (
        delete from idempotency_keys where ctid in (select place from found)
      )
      select count(*)::int as found from found`).pipe(
      Effect.repeat({ while: ([row]) => (row?.found ?? 0) > 0 }),
      Effect.asVoid,
      withoutSqlErrors,
    ),

    /** Deletes the oldest answers of each organization whose answers have more than this many bytes together. */
    trim: Effect.fnUntraced(function* (bytes: number) {
      yield* system`
        with large as (
          select organization_id from idempotency_keys group by organization_id
          having sum(octet_length(answer)) > ${bytes}::float8
        ), sized as (
          select k.organization_id, api_key_id, name, sum(octet_length(answer)) over (
            partition by k.organization_id order by k.created_at desc, name rows unbounded preceding
          ) as newer
          from idempotency_keys k join large using (organization_id) where answer is not null
        )
        update idempotency_keys k set answer = null from sized s
        where s.newer > ${bytes}::float8 and k.organization_id = s.organization_id
          and k.api_key_id = s.api_key_id and k.name = s.name`
    }, withoutSqlErrors),
  }
}) {}
