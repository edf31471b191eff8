import { type Duration, Effect, type Latch, type Redacted, Schema, Struct } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { timestamp } from "../../domain/schema/Timestamp.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { WebhookId } from "../../domain/webhook/Webhook.ts"
import { DeliveryId, type WebhookTest } from "../../domain/webhook/WebhookDelivery.ts"
import { Service } from "../../domain/Service.ts"
import { Secrets, type SecretUnreadable } from "../../system/Secrets.ts"
import { Auditing } from "../audit/Auditing.ts"
import { Servers } from "../servers/Servers.ts"
import { SystemSql } from "../sql/Database.ts"
import { Job, type Lease } from "../sql/LeaseQueue.ts"
import { Pulse } from "../sql/Pulse.ts"
import { decodeRow, decodeRows, onlyRow } from "../Rows.ts"
import { withoutSqlErrors } from "../sql/SqlErrors.ts"
import { asynchronousCommit, interval } from "../sql/SqlValues.ts"
import { payloadData } from "./Payloads.ts"
import { SECRET_COLUMNS, StoredSecrets, signingSecrets } from "./WebhookSecrets.ts"

/** A delivery that a server sends, under a lease. `attempts` are those before, since it was stored or sent again. */
export const DeliveryJob = Schema.Struct({ ...Job.fields, id: DeliveryId, webhook_id: WebhookId })
export type DeliveryJob = typeof DeliveryJob.Type

/** What is sent of a delivery, and where. */
export interface Outgoing {
  readonly url: string
  readonly type: string
  readonly timestamp: string
  /** Null when what it is about is deleted. */
  readonly data: Schema.Json
  readonly secrets: Effect.Effect<ReadonlyArray<Redacted.Redacted>, SecretUnreadable>
}

/** The state of a webhook after an attempt has failed. */
const Failing = Schema.Struct({
  active: Schema.Boolean,
  /** Attempts that have failed in a row. */
  failures: Schema.Int,
  /** Milliseconds for which every attempt has failed. */
  failing_for: Schema.Finite,
})

const decodeJob = decodeRow(DeliveryJob)
const decodeOutgoing = decodeRow(
  Schema.Struct({
    ...StoredSecrets.fields,
    is_rotating: Schema.Boolean,
    url: Schema.String,
    type: Schema.String,
    event_at: Schema.Date,
    data: Schema.Json,
  }),
)
const decodeFailing = decodeRow(Failing)
const decodeAny = decodeRows(Schema.Struct({ any: Schema.Boolean }))

/**
 * The rows of `webhook_deliveries` that wait, as a queue. Triggers store them in the transaction of what they tell of, see
 * `sql/functions/webhooks.sql`; they come in no order.
 */
export class WebhookQueue extends Service<WebhookQueue>()("parley/storage/webhooks/WebhookQueue", function* () {
  const sql = yield* SqlClient.SqlClient
  const system = yield* SystemSql
  const secrets = yield* Secrets
  const auditing = yield* Auditing
  const pulse = yield* Pulse
  const servers = yield* Servers

  /** Makes the deliveries due again whose servers have ended. */
  const releaseLeft = (isLeft: Statement.Fragment) =>
    withoutSqlErrors(
      Effect.asVoid(system`update webhook_deliveries set lease_id = null, due_at = now() where ${isLeft}`),
    )
  yield* servers.onDeath(({ ids: [first, last] }) => releaseLeft(system`lease_id between ${first} and ${last}`))

  return {
    /**
     * Leases a delivery that is due, of a webhook to which fewer than `most` are being sent, or none where its last
     * attempt has failed. The webhook to which the fewest are being sent comes first, so that none holds up the others.
     */
    claim: Effect.fnUntraced(function* (most: number, { duration, id }: Lease) {
      return yield* decodeJob(system`
        with claimed as (
          update webhook_deliveries set lease_id = ${servers.idOf(id)}, due_at = now() + ${interval(duration)}
          where id = (
            select due.id
            from webhooks w
            cross join lateral (
              select id, due_at from webhook_deliveries
              where webhook_id = w.id and state = 'waiting' and due_at <= now()
              order by due_at limit 1 for update skip locked
            ) due
            cross join lateral (
              select count(*) as number from webhook_deliveries
              where webhook_id = w.id and lease_id is not null and due_at > now()
            ) under_way
            where w.active and under_way.number < case w.failures when 0 then ${most}::int else 1 end
            order by under_way.number, due.due_at limit 1
          )
          returning *
        )
        -- Nobody gives a delivery up because a server has ended while it sent it.
        select id, webhook_id, organization_id, lease_id, attempts, 0 as lapses, 0 as given_up
        from claimed, ${asynchronousCommit(system)}`)
    }, withoutSqlErrors),

    /** Waits until a delivery may be due, which another process may have stored, or until the bell opens. */
    untilDue: (bell: Latch.Latch) =>
      pulse.until(bell, system`(select min(due_at) from webhook_deliveries where state = 'waiting')`),

    /** Whether any organization has a webhook that is active. */
    isUsed: withoutSqlErrors(
      Effect.map(
        Effect.flatMap(decodeAny(system`select exists (select from webhooks where active) as any`), onlyRow),
        ({ any }) => any,
      ),
    ),

    /** Ends every lease. Only a process that is alone on its database may call this. */
    releaseAll: releaseLeft(system`lease_id is not null`),

    /** Ends the lease; the delivery is due again after `delay`. */
    release: Effect.fnUntraced(function* ({ id, lease_id }: DeliveryJob, delay: Duration.Duration, counts: boolean) {
      yield* sql`update webhook_deliveries set lease_id = null, due_at = now() + ${interval(delay)},
          attempts = attempts + ${counts ? 1 : 0}::int
        where id = ${id} and lease_id = ${lease_id} and organization_id = ${yield* CurrentOrganization}`
    }, withoutSqlErrors),

    /** Returns what to send, with at most so many characters of a message's text; undefined when the webhook is deleted. */
    find: Effect.fnUntraced(function* (job: DeliveryJob, textLimit: number) {
      const row = yield* decodeOutgoing(sql`
        select w.*, d.type, d.created_at as event_at, ${payloadData(sql, textLimit)} as data
        from webhook_deliveries d
        join (
          select ${sql.literal(SECRET_COLUMNS)}, url, coalesce(old_until > now(), false) as is_rotating from webhooks
        ) w on w.id = d.webhook_id and w.organization_id = d.organization_id
        where d.id = ${job.id} and d.organization_id = ${yield* CurrentOrganization}`)
      if (row === undefined) return undefined
      const outgoing: Outgoing = {
        ...Struct.pick(row, ["url", "type", "data"]),
        timestamp: timestamp(row.event_at),
        secrets: signingSecrets(secrets, row),
      }
      return outgoing
    }, withoutSqlErrors),

    /** Deletes a delivery of which nothing can be sent, because what it is about is deleted. */
    forget: Effect.fnUntraced(function* ({ id, lease_id }: DeliveryJob) {
      yield* sql`
        delete from webhook_deliveries
        where id = ${id} and lease_id = ${lease_id} and organization_id = ${yield* CurrentOrganization}`
    }, withoutSqlErrors),

    /**
     * Stores the outcome of an attempt, unless the lease is lost. One that has failed is followed by another after
     * `retryIn`, or by none. Returns how the endpoint fails; undefined when it does not.
     */
    settle: Effect.fnUntraced(function* (
      { id, lease_id, webhook_id }: DeliveryJob,
      result: WebhookTest,
      retryIn: Duration.Duration | undefined,
    ) {
      const organization = yield* CurrentOrganization
      const [state, dueAt] = result.is_delivered
        ? (["delivered", sql`null`] as const)
        : retryIn === undefined
          ? (["failed", sql`null`] as const)
          : (["waiting", sql`now() + ${interval(retryIn)}`] as const)
      const counted = result.is_delivered
        ? sql`failures = 0, failing_since = null where failures > 0`
        : sql`failures = failures + 1, failing_since = coalesce(failing_since, clock_timestamp()) where true`
      const row = yield* decodeFailing(sql`
        with settled as (
          update webhook_deliveries set state = ${state}, due_at = ${dueAt}, lease_id = null, attempts = attempts + 1,
            attempted_at = clock_timestamp(), response_status = ${result.response_status}::int,
            response = ${result.response}::text, error = ${result.error}::text, duration_ms = ${result.duration_ms}::int
          where id = ${id} and lease_id = ${lease_id} and organization_id = ${organization} returning id
        )
        update webhooks set ${counted} and id = ${webhook_id} and organization_id = ${organization}
          and exists (select from settled)
        returning active, failures, coalesce(extract(epoch from clock_timestamp() - failing_since) * 1000, 0)::float8
          as failing_for`)
      return result.is_delivered ? undefined : row
    }, withoutSqlErrors),

    /** Switches a webhook off, and records that in the audit log. */
    switchOff: Effect.fnUntraced(function* (id: WebhookId, why: "failing" | "gone") {
      const organization = yield* CurrentOrganization
      const audited = yield* auditing.entry(
        sql,
        { organization, action: "webhook.switched_off", target: id },
        sql`exists (select from changed)`,
      )
      yield* sql`
        with changed as (
          update webhooks set active = false, switched_off = ${why}, updated_at = clock_timestamp()
          where id = ${id} and organization_id = ${organization} and active returning id
        ) ${audited}`
    }, withoutSqlErrors),
  }
}) {}
