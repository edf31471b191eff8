import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import type { WebhookId } from "../../domain/webhook/Webhook.ts"
import { SystemSql } from "../sql/Database.ts"
import { decodeRows } from "../Rows.ts"
import { withoutSqlErrors } from "../sql/SqlErrors.ts"

/** Deletes or ends at most this many deliveries in one statement. */
const ROWS_AT_ONCE = 500

const decodeDropped = decodeRows(Schema.Struct({ dropped: Schema.Finite }))

/** Ends and deletes the deliveries that nobody sends any more, and the secrets that sign no more. */
export class WebhookUpkeep extends Context.Service<WebhookUpkeep>()("parley/storage/webhooks/WebhookUpkeep", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const system = yield* SystemSql

    return {
      /**
       * Ends some of the deliveries that wait for a webhook, unless it is on again. Returns false when none are left to end.
       */
      failSome: Effect.fnUntraced(function* (id: WebhookId) {
        const organization = yield* CurrentOrganization
        const rows = yield* sql`
          update webhook_deliveries set state = 'failed', due_at = null, announced = true,
            error = coalesce(error, 'The webhook was switched off.')
          where organization_id = ${organization} and id in (
            select id from webhook_deliveries where webhook_id = ${id} and state = 'waiting' limit ${ROWS_AT_ONCE}
          ) and not exists (select from webhooks where id = ${id} and active)
          returning id`
        return rows.length === ROWS_AT_ONCE
      }, withoutSqlErrors),

      /** Drops the oldest deliveries that wait beyond a limit. Returns their number. */
      trim: Effect.fnUntraced(function* (id: WebhookId, limit: number) {
        const organization = yield* CurrentOrganization
        const [row] = yield* decodeDropped(sql`
          with excess as (
            select id from webhook_deliveries
            where webhook_id = ${id} and organization_id = ${organization} and state = 'waiting'
            order by position
            limit (
              select greatest(count(*) - ${limit}::int, 0) from webhook_deliveries
              where webhook_id = ${id} and organization_id = ${organization} and state = 'waiting'
            )
          ), dropped as (
            update webhook_deliveries set state = 'dropped', due_at = null, announced = true,
              error = 'Too many deliveries were waiting.'
            where id in (select id from excess) and organization_id = ${organization} returning id
          ), counted as (
            update webhooks set dropped = dropped + (select count(*) from dropped)
            where id = ${id} and organization_id = ${organization} and exists (select from dropped)
          )
          select count(*)::int as dropped from dropped`)
        // The first ones that are left may wait behind those that were dropped.
        if (row !== undefined && row.dropped > 0) {
          yield* sql`update webhook_deliveries set due_at = now()
            where webhook_id = ${id} and organization_id = ${organization} and state = 'waiting' and due_at is null`
        }
        return row?.dropped ?? 0
      }, withoutSqlErrors),

      /** Deletes some of the deliveries of a webhook that is deleted. Returns false when none are left. */
      forgetSome: Effect.fnUntraced(function* (id: WebhookId) {
        const organization = yield* CurrentOrganization
        const rows = yield* sql`
          delete from webhook_deliveries where organization_id = ${organization} and id in (
            select id from webhook_deliveries where webhook_id = ${id} limit ${ROWS_AT_ONCE}
          ) returning id`
        return rows.length === ROWS_AT_ONCE
      }, withoutSqlErrors),

      /** Deletes the secrets that were rotated and sign no more, of all organizations. */
      forgetSecrets: withoutSqlErrors(
        Effect.asVoid(
          system`update webhooks set old_secret = null, old_sealed = null, old_sealed_by = null, old_until = null
            where old_until < now()`,
        ),
      ),

      /**
       * Deletes deliveries older than so many days, or twice as many where they still wait, a few of each webhook, of all
       * organizations. Returns their number.
       */
      expire: Effect.fnUntraced(function* (days: number) {
        const rows = yield* system`
          delete from webhook_deliveries where id in (
            select old.id from webhooks w, lateral (
              select id, state, created_at from webhook_deliveries d where d.webhook_id = w.id
              order by d.created_at, d.id limit ${ROWS_AT_ONCE}
            ) old
            where old.created_at < now() - ${days}::float8 * interval '1 day' and (
              old.state <> 'waiting' or old.created_at < now() - ${2 * days}::float8 * interval '1 day'
            )
            limit ${ROWS_AT_ONCE}
          ) returning id`
        return rows.length
      }, withoutSqlErrors),
    }
  }),
}) {
  static readonly layer = Layer.effect(this, this.make)
}
