import { Context, type Duration, Effect, type Latch, Layer, type Redacted, Schema, Struct } from "effect"
import { SqlClient } from "effect/sql"
import { timestamp } from "../../domain/schema/Timestamp.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { WebhookId } from "../../domain/webhook/Webhook.ts"
import { DeliveryId, type WebhookTest } from "../../domain/webhook/WebhookDelivery.ts"
import { Secrets, type SecretUnreadable } from "../../system/Secrets.ts"
import { Auditing } from "../audit/Auditing.ts"
import { SystemSql } from "../sql/Database.ts"
import { Job, type Lease, makeLeaseQueue, type QueueTable } from "../sql/LeaseQueue.ts"
import { Pulse } from "../sql/Pulse.ts"
import { decodeRows, decodeRow } from "../Rows.ts"
import { withoutSqlErrors } from "../sql/SqlErrors.ts"
import { asynchronousCommit, interval } from "../sql/SqlValues.ts"
import { payloadData } from "./Payloads.ts"
import { SECRET_COLUMNS, StoredSecrets, signingSecrets } from "./WebhookSecrets.ts"

/** A webhook whose deliveries a server sends, under a lease. */
export const WebhookJob = Schema.Struct({
  ...Job.fields,
  webhook_id: WebhookId,
})
export type WebhookJob = typeof WebhookJob.Type

/** Facts about a webhook that a server needs to send to it. */
export interface Endpoint {
  readonly url: string
  readonly active: boolean
  readonly failures: number
  readonly secrets: Effect.Effect<ReadonlyArray<Redacted.Redacted>, SecretUnreadable>
}

/** A delivery that is due and the first of its subject. */
export const DueDelivery = Schema.Struct({
  id: DeliveryId,
  type: Schema.String,
  timestamp: Schema.String,
  attempts: Schema.Finite,
  /** Null when what it is about is deleted. */
  data: Schema.Json,
})
export type DueDelivery = typeof DueDelivery.Type

/** State of a delivery after an attempt; `waiting` with the delay before the next attempt. */
export type Settlement =
  | { readonly state: "delivered" | "dropped" | "failed" }
  | { readonly state: "waiting"; readonly delay: Duration.Duration }

/** The state of an endpoint after a failed attempt. */
export const Failing = Schema.Struct({
  failures: Schema.Finite,
  /** Milliseconds for which every attempt has failed. */
  failing_for: Schema.Finite,
})

const webhookTable = {
  table: "webhook_queue",
  key: "webhook_id",
  clock: "webhook_clock",
} as const satisfies QueueTable<string>

/** Looks at this many due deliveries in one statement. */
const DUE_AT_ONCE = 50
const ANNOUNCED_AT_ONCE = 1_000
/** A webhook is treated as failing from this many failed attempts in a row. */
export const FAILING_FROM = 5

type Attempt = Pick<WebhookJob, "lease_id" | "webhook_id">

const decodeAnnouncements = decodeRows(Schema.Struct({ announced: Schema.Finite, any: Schema.Boolean }))
const decodeJob = decodeRow(WebhookJob)
const decodeEndpoint = decodeRow(
  Schema.Struct({
    ...StoredSecrets.fields,
    url: Schema.String,
    active: Schema.Boolean,
    failures: Schema.Finite,
    is_rotating: Schema.Boolean,
  }),
)
const decodeDue = decodeRows(
  Schema.Struct({
    ...Struct.omit(DueDelivery.fields, ["timestamp"]),
    is_behind: Schema.Boolean,
    created_at: Schema.Date,
  }),
)
const decodeFailing = decodeRows(Failing)

/** The queue of webhooks with deliveries that wait, see `LeaseQueue`, and what whoever has the lease does with them. */
export class WebhookQueue extends Context.Service<WebhookQueue>()("parley/storage/webhooks/WebhookQueue", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const system = yield* SystemSql
    const secrets = yield* Secrets
    const auditing = yield* Auditing
    const pulse = yield* Pulse
    const queue = yield* makeLeaseQueue(webhookTable)

    return {
      /**
       * Puts webhooks with new deliveries in the queue, whichever process has stored them. Returns the number of
       * deliveries, and whether any organization has a webhook.
       */
      announce: Effect.map(
        decodeAnnouncements(system`
          with new as (
            select id, webhook_id, organization_id from webhook_deliveries where not announced
            order by position limit ${ANNOUNCED_AT_ONCE} for update skip locked
          ), marked as (
            update webhook_deliveries set announced = true where id in (select id from new)
          ), queued as (
            insert into webhook_queue as q (webhook_id, organization_id, is_failing)
            select n.webhook_id, n.organization_id, coalesce(w.failures >= ${FAILING_FROM}, false)
            from (select distinct webhook_id, organization_id from new) n left join webhooks w on w.id = n.webhook_id
            order by n.webhook_id
            -- The lock that a conflict takes makes whoever is ending the job see these deliveries, or this its end.
            on conflict (webhook_id) do update set run_at = least(q.run_at, now())
              where q.lease_id is null and not q.is_failing
          )
          select (select count(*)::int from new) as announced, exists (select from webhooks) as any
          from ${asynchronousCommit(system)}`),
        ([row]) => row ?? { announced: 0, any: false },
      ).pipe(withoutSqlErrors),

      /** Claims a webhook that is failing, or one that is not. */
      claim: Effect.fnUntraced(function* (isFailing: boolean, lease: Lease) {
        return yield* decodeJob(system`
          with claimed as (${queue.claim(lease, { and: sql`q.is_failing = ${isFailing}` })})
          select webhook_id, organization_id, lease_id, attempts, lapses, given_up
          from claimed, ${asynchronousCommit(system)}`)
      }, withoutSqlErrors),

      untilDue: (isFailing: boolean) => queue.untilDue(system`q.is_failing = ${isFailing}`),

      /** Waits until there are deliveries to announce, which another process may have stored, or until the bell opens. */
      untilStored: (bell: Latch.Latch) =>
        pulse.until(bell, system`(select created_at from webhook_deliveries where not announced limit 1)`),

      /** Ends every lease. Only a process that is alone on its database may call this. */
      releaseAll: queue.releaseAll,

      release: queue.release,

      renew: queue.renew,

      /** Returns the webhook; undefined when it is deleted. */
      endpoint: Effect.fnUntraced(function* (id: WebhookId) {
        const organization = yield* CurrentOrganization
        const row = yield* decodeEndpoint(sql`
          select ${sql.literal(SECRET_COLUMNS)}, url, active, failures,
            coalesce(old_until > now(), false) as is_rotating
          from webhooks where id = ${id} and organization_id = ${organization}`)
        if (row === undefined) return undefined
        const { active, failures, url } = row
        return { active, failures, url, secrets: signingSecrets(secrets, row) }
      }, withoutSqlErrors),

      /**
       * Returns deliveries to send now, at most one of each subject. `isMore` says that there may be more due ones, which
       * the next call returns.
       */
      due: Effect.fnUntraced(function* (id: WebhookId, textLimit: number) {
        const organization = yield* CurrentOrganization
        const rows = yield* decodeDue(sql`
          with due as (
            select id, subject, position from webhook_deliveries
            where webhook_id = ${id} and organization_id = ${organization} and state = 'waiting' and due_at <= now()
            order by due_at limit ${DUE_AT_ONCE}
          ), judged as (
            select id, exists (
              select from webhook_deliveries e
              where e.webhook_id = ${id} and e.subject = due.subject and e.state = 'waiting'
                and e.position < due.position
            ) as is_behind
            from due
          ), parked as (
            update webhook_deliveries set due_at = null
            where id in (select id from judged where is_behind) and organization_id = ${organization}
          )
          select d.id, d.type, d.attempts, d.created_at, j.is_behind,
            case when not j.is_behind then ${payloadData(sql, textLimit)} end as data
          from judged j join webhook_deliveries d on d.id = j.id and d.organization_id = ${organization}
          order by d.position`)
        const deliveries = rows.flatMap(({ created_at, is_behind, ...row }): ReadonlyArray<DueDelivery> =>
          is_behind ? [] : [{ ...row, timestamp: timestamp(created_at) }],
        )
        return { deliveries, isMore: rows.length > 0 }
      }, withoutSqlErrors),

      /**
       * Stores the outcome of an attempt, unless the lease is lost, and makes the next delivery of the subject due when
       * this one waits no longer. Returns how the endpoint fails; undefined when it does not. Of attempts that are made at
       * once, with `isProbe` false, those that fail make the endpoint a failing one, and count no further.
       */
      settle: Effect.fnUntraced(function* (
        { lease_id, webhook_id }: Attempt,
        delivery: DeliveryId,
        result: WebhookTest | undefined,
        settlement: Settlement,
        isProbe = true,
      ) {
        const organization = yield* CurrentOrganization
        const attempted =
          result === undefined
            ? sql``
            : sql`, attempts = attempts + 1, attempted_at = clock_timestamp(),
              response_status = ${result.response_status}::int, response = ${result.response}::text,
              error = ${result.error}::text, duration_ms = ${result.duration_ms}::int`
        const dueAt = settlement.state === "waiting" ? sql`now() + ${interval(settlement.delay)}` : sql`null`
        const changed =
          result === undefined
            ? sql`failures = failures where false`
            : result.is_delivered
              ? sql`failures = 0, failing_since = null where failures > 0 and`
              : sql`failures = ${isProbe ? sql`failures + 1` : sql`least(failures + 1, greatest(failures, ${FAILING_FROM}::int))`},
                failing_since = coalesce(failing_since, clock_timestamp()) where`
        const webhook =
          result === undefined
            ? sql``
            : sql`id = ${webhook_id} and organization_id = ${organization} and exists (select from settled)`
        const rows = yield* decodeFailing(sql`
          with settled as (
            update webhook_deliveries set state = ${settlement.state}, due_at = ${dueAt}, announced = true ${attempted}
            where id = ${delivery} and organization_id = ${organization} and state = 'waiting' and exists (
              select from webhook_queue
              where webhook_id = ${webhook_id} and lease_id = ${lease_id} and organization_id = ${organization}
            )
            returning subject, position
          ), next as (
            update webhook_deliveries set due_at = now() where organization_id = ${organization} and id = (
              select e.id from settled s join webhook_deliveries e on e.webhook_id = ${webhook_id}
                and e.subject = s.subject and e.state = 'waiting' and e.position > s.position
              where ${settlement.state !== "waiting"}
              order by e.position limit 1
            )
          )
          update webhooks set ${changed} ${webhook}
          returning failures, coalesce(extract(epoch from clock_timestamp() - failing_since) * 1000, 0)::float8
            as failing_for`)
        return rows.find(({ failures }) => failures > 0)
      }, withoutSqlErrors),

      /** Switches a webhook off, and records that in the audit log. */
      switchOff: Effect.fnUntraced(function* ({ lease_id, webhook_id }: Attempt, why: "failing" | "gone") {
        const organization = yield* CurrentOrganization
        const audited = yield* auditing.entry(
          sql,
          { organization, action: "webhook.switched_off", target: webhook_id },
          sql`exists (select from changed)`,
        )
        yield* sql`
          with changed as (
            update webhooks set active = false, switched_off = ${why}, updated_at = clock_timestamp()
            where id = ${webhook_id} and organization_id = ${organization} and active and exists (
              select from webhook_queue
              where webhook_id = ${webhook_id} and lease_id = ${lease_id} and organization_id = ${organization}
            )
            returning id
          ) ${audited}`
      }, withoutSqlErrors),

      /**
       * Ends the job: it is due again when a delivery is, after the others' turns; or, with `pause`, as a failing one after
       * it, because new deliveries may have come meanwhile. Returns false when the lease is lost.
       */
      finish: Effect.fnUntraced(function* (attempt: Attempt, pause: Duration.Duration | undefined) {
        const organization = yield* CurrentOrganization
        const write = Effect.gen(function* () {
          yield* queue.end(attempt)
          // Whoever was to make these due has ended in between, or has lost its lease.
          yield* sql`
            update webhook_deliveries d set due_at = now()
            where webhook_id = ${attempt.webhook_id} and organization_id = ${organization} and state = 'waiting'
              and due_at is null and not exists (
                select from webhook_deliveries e
                where e.webhook_id = d.webhook_id and e.subject = d.subject and e.state = 'waiting'
                  and e.position < d.position
              )`
          yield* sql`
            insert into webhook_queue (webhook_id, organization_id, is_failing, run_at)
            select ${attempt.webhook_id}::uuid, ${organization}::uuid, ${pause !== undefined}::boolean,
              ${pause === undefined ? sql`greatest(min(due_at), now())` : sql`now() + ${interval(pause)}`}
            from webhook_deliveries
            where webhook_id = ${attempt.webhook_id} and organization_id = ${organization} and state = 'waiting'
            having count(*) > 0`
        })
        return yield* queue.underLease(attempt, write)
      }, withoutSqlErrors),
    }
  }),
}) {
  static readonly layer = Layer.effect(this, this.make)
}
