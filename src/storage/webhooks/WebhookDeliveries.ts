import { Service } from "../../domain/Service.ts"
import { Effect, Function, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { NotFound } from "../../domain/Errors.ts"
import type { Range } from "../../domain/Page.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import type { WebhookId } from "../../domain/webhook/Webhook.ts"
import { type DeliveryId, type DeliveryState, WebhookDelivery } from "../../domain/webhook/WebhookDelivery.ts"
import { WebhookEventType } from "../../domain/webhook/WebhookEvent.ts"
import { afterPlace, placeColumn, PlacedRow, readLimit, toListed } from "../sql/Listing.ts"
import { decodeRows, TimestampColumn, decodeRowOr } from "../Rows.ts"
import { withoutSqlErrors } from "../sql/SqlErrors.ts"
import { arrayText } from "../sql/SqlValues.ts"

/** Conditions on the deliveries that a reader wants; one that is undefined holds for all. */
export interface DeliveryFilter {
  readonly state: DeliveryState | undefined
  readonly type: WebhookEventType | undefined
  /** The types that the reader may see. */
  readonly types: ReadonlyArray<WebhookEventType>
}

const Row = Schema.Struct({
  ...WebhookDelivery.fields,
  attempted_at: Schema.NullOr(TimestampColumn),
  due_at: Schema.NullOr(TimestampColumn),
  created_at: TimestampColumn,
})

const COLUMNS = `id, webhook_id, type, subject as subject_id, state, attempts, attempted_at,
  case when lease_id is null then due_at end as due_at, response_status, response, error, duration_ms, created_at`

/** Most deliveries that are sent again by one request. */
const RESENT_AT_ONCE = 1_000

const deliveryNotFound = new NotFound({ detail: "There is no such delivery of this webhook." })

const decodeListed = decodeRows(Schema.Struct({ ...PlacedRow.fields, ...Row.fields }))
const decodeDelivery = decodeRowOr(Row, deliveryNotFound)
const decodeTypes = decodeRows(Schema.Struct({ type: WebhookEventType }))

/** The table `webhook_deliveries` as its owners see it, always within the current organization. */
export class WebhookDeliveries extends Service<WebhookDeliveries>()(
  "parley/storage/webhooks/WebhookDeliveries",
  function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal(COLUMNS)
    const again = sql.literal(
      "state = 'waiting', due_at = now(), lease_id = null, attempts = 0, error = null, response = null, response_status = null",
    )

    return {
      /** Lists the deliveries of a webhook, the latest first. */
      list: Effect.fnUntraced(function* (webhook: WebhookId, { state, type, types }: DeliveryFilter, range: Range) {
        const organization = yield* CurrentOrganization
        const rows = yield* decodeListed(sql`
          select ${columns}, ${sql.literal(placeColumn())} from webhook_deliveries
          where webhook_id = ${webhook} and organization_id = ${organization} and type = any(${arrayText(types)}::text[])
            ${state === undefined ? sql`` : sql`and state = ${state}`}
            ${type === undefined ? sql`` : sql`and type = ${type}`} ${afterPlace(sql, range.after, "<")}
          order by created_at desc, id desc limit ${readLimit(range)}`)
        return toListed(rows, range, Function.identity)
      }, withoutSqlErrors),

      /** Puts a delivery of one of these types in the queue again, as if it had not been tried, and returns it. */
      resend: Effect.fnUntraced(function* (webhook: WebhookId, id: DeliveryId, types: ReadonlyArray<WebhookEventType>) {
        return yield* decodeDelivery(sql`
          update webhook_deliveries set ${again}
          where id = ${id} and webhook_id = ${webhook} and organization_id = ${yield* CurrentOrganization}
            and type = any(${arrayText(types)}::text[]) returning ${columns}`)
      }, withoutSqlErrors),

      /** Puts failed deliveries of these types since a moment in the queue again, the oldest first. Returns their number. */
      resendFailed: Effect.fnUntraced(function* (
        webhook: WebhookId,
        since: Date,
        types: ReadonlyArray<WebhookEventType>,
      ) {
        const organization = yield* CurrentOrganization
        const rows = yield* sql`
          update webhook_deliveries set ${again} where id in (
            select id from webhook_deliveries
            where webhook_id = ${webhook} and organization_id = ${organization} and state = 'failed'
              and created_at >= ${since}::timestamptz and type = any(${arrayText(types)}::text[])
            order by created_at, id limit ${RESENT_AT_ONCE}
          ) and organization_id = ${organization} returning id`
        return rows.length
      }, withoutSqlErrors),

      waitingTypes: Effect.fnUntraced(function* (webhook: WebhookId) {
        const rows = yield* decodeTypes(sql`
          select distinct type from webhook_deliveries
          where webhook_id = ${webhook} and organization_id = ${yield* CurrentOrganization} and state = 'waiting'`)
        return rows.map(({ type }) => type)
      }, withoutSqlErrors),
    }
  },
) {}
