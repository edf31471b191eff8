import { Effect, Schema } from "effect"
import { WebhookId } from "../../domain/webhook/Webhook.ts"
import { Service } from "../../domain/Service.ts"
import { SystemSql } from "../sql/Database.ts"
import { decodeRows } from "../Rows.ts"
import { lengthy, withoutSqlErrors } from "../sql/SqlErrors.ts"

/** Deletes or ends at most this many deliveries in one statement. */
const ROWS_AT_ONCE = 500

const decodeDeleted = decodeRows(Schema.Struct({ webhook_id: WebhookId }))

/** Ends and deletes the deliveries that nobody sends any more, and the secrets that sign no more, of all organizations. */
export class WebhookUpkeep extends Service<WebhookUpkeep>()("parley/storage/webhooks/WebhookUpkeep", function* () {
  const sql = yield* SystemSql

  return {
    /** Ends some of the deliveries that wait for webhooks which are off. Returns their number. */
    failSome: Effect.map(
      sql`
        update webhook_deliveries set state = 'failed', due_at = null, lease_id = null,
          error = coalesce(error, 'The webhook was switched off.')
        where state = 'waiting' and id in (
          select d.id from webhooks w cross join lateral (
            select id from webhook_deliveries
            where webhook_id = w.id and state = 'waiting' and (lease_id is null or due_at <= now())
            limit ${ROWS_AT_ONCE}
          ) d
          where not w.active limit ${ROWS_AT_ONCE}
        )
        returning id`,
      ({ length }) => length,
    ).pipe(withoutSqlErrors),

    forgetDeleted: Effect.gen(function* () {
      const deleted = yield* decodeDeleted(sql`
        select distinct webhook_id from webhook_deliveries d
        where not exists (select from webhooks where id = d.webhook_id)`)
      for (const { webhook_id } of deleted) {
        const some = sql`
          delete from webhook_deliveries where id in (
            select id from webhook_deliveries where webhook_id = ${webhook_id} limit ${ROWS_AT_ONCE}
          ) returning id`
        yield* Effect.repeat(some, { while: ({ length }) => length > 0 })
      }
    }).pipe(lengthy),

    /** Deletes the secrets that were rotated and sign no more. */
    forgetSecrets: withoutSqlErrors(
      Effect.asVoid(
        sql`update webhooks set old_secret = null, old_sealed = null, old_sealed_by = null, old_until = null
          where old_until < now()`,
      ),
    ),

    /**
     * Deletes deliveries older than so many days, or than `waitingDays` where they still wait, a few of each webhook.
     * Returns their number.
     */
    expire: Effect.fnUntraced(function* (days: number, waitingDays: number) {
      const rows = yield* sql`
        delete from webhook_deliveries where id in (
          select old.id from webhooks w, lateral (
            select id from webhook_deliveries
            where webhook_id = w.id and created_at < now() - ${days}::float8 * interval '1 day'
              and (state <> 'waiting' or created_at < now() - ${waitingDays}::float8 * interval '1 day')
            limit ${ROWS_AT_ONCE}
          ) old
          limit ${ROWS_AT_ONCE}
        ) returning id`
      return rows.length
    }, withoutSqlErrors),
  }
}) {}
