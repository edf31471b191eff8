import { type Duration, Effect, type Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { changeOf, concealed } from "../../domain/audit/AuditChange.ts"
import type { Reach } from "../../domain/Caller.ts"
import { originOf } from "../../domain/chatbot/UrlTemplate.ts"
import { Conflict, NotFound } from "../../domain/Errors.ts"
import type { ChatbotId } from "../../domain/Ids.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { Webhook, type WebhookId } from "../../domain/webhook/Webhook.ts"
import type { WebhookEventType } from "../../domain/webhook/WebhookEvent.ts"
import { Service } from "../../domain/Service.ts"
import { Secrets } from "../../system/Secrets.ts"
import { Auditing } from "../audit/Auditing.ts"
import { SystemSql } from "../sql/Database.ts"
import { sealSecret, secretAssignments, sealSecrets } from "../sql/SealedRows.ts"
import { decodeRows, TimestampColumn, decodeRowOr } from "../Rows.ts"
import { committing, onForeignKeyViolation, withoutSqlErrors } from "../sql/SqlErrors.ts"
import { arrayText, interval, within } from "../sql/SqlValues.ts"
import { SECRET_COLUMNS, StoredSecrets, webhookSecretPlace, signingSecrets } from "./WebhookSecrets.ts"

/** The fields of a webhook that its owner sets. */
export interface WebhookContent {
  readonly url: string
  readonly description: string
  readonly events: ReadonlyArray<WebhookEventType>
  readonly active: boolean
}

const Row = Schema.Struct({
  ...Webhook.fields,
  failing_since: Schema.NullOr(TimestampColumn),
  old_secret_until: Schema.NullOr(TimestampColumn),
  created_at: TimestampColumn,
  updated_at: TimestampColumn,
})

/** The advisory lock for counting the webhooks of an organization. */
const COUNT_LOCK = 724_201_558

const webhookNotFound = new NotFound({ detail: "There is no such webhook." })
const noChatbot = new NotFound({ detail: "There is no such chatbot." })

const decodeCount = decodeRows(Schema.Struct({ count: Schema.Finite }))
const decodeWebhooks = decodeRows(Row)
const only = decodeRowOr(Row, webhookNotFound)
const decodeUrl = decodeRowOr(Schema.Struct({ url: Schema.String }), webhookNotFound)
const decodeTested = decodeRowOr(
  Schema.Struct({ ...StoredSecrets.fields, url: Schema.String, is_rotating: Schema.Boolean }),
  webhookNotFound,
)

/** The table `webhooks`, always within the current organization. */
export class Webhooks extends Service<Webhooks>()("parley/storage/webhooks/Webhooks", function* () {
  const sql = yield* SqlClient.SqlClient
  const system = yield* SystemSql
  const secrets = yield* Secrets
  const auditing = yield* Auditing

  const columns = sql.literal(`id, chatbot_id, url, description, events, active, switched_off, failures, failing_since,
      case when old_until > now() then old_until end as old_secret_until, created_at, updated_at, (
        select count(*)::int from webhook_deliveries d where d.webhook_id = webhooks.id and d.state = 'waiting'
      ) as waiting`)

  return {
    /** Fails with `Conflict` when the organization has `limit` webhooks already. */
    insert: Effect.fnUntraced(
      function* (
        id: WebhookId,
        chatbot: ChatbotId | undefined,
        content: WebhookContent,
        secret: Redacted.Redacted,
        limit: number,
      ) {
        const organization = yield* CurrentOrganization
        // Of two requests at once, each counts what the other has inserted.
        yield* sql`select pg_advisory_xact_lock(${COUNT_LOCK}, hashtext(${organization}::text))`
        const [counted] = yield* decodeCount(sql`
        select count(*)::int as count from webhooks where organization_id = ${organization}`)
        if ((counted?.count ?? 0) >= limit) {
          return yield* new Conflict({ detail: `The organization has ${limit} webhooks, and may not have more.` })
        }
        const sealed = yield* sealSecret(secrets, secret, webhookSecretPlace({ id, organization_id: organization }))
        yield* auditing.record(sql, {
          organization,
          action: "webhook.created",
          target: id,
          ...(chatbot !== undefined && { chatbot }),
          after: concealed(audited(content)),
        })
        return yield* only(sql`
          insert into webhooks (id, organization_id, chatbot_id, url, description, events, active, secret, sealed,
            sealed_by)
          values (${id}, ${organization}, ${chatbot ?? null}::uuid, ${content.url}, ${content.description},
            ${arrayText(content.events)}::text[], ${content.active}, ${sealed.secret}::text, ${sealed.sealed}::bytea,
            ${sealed.sealed_by}::text)
          returning ${columns}`)
      },
      committing<NotFound>(
        sql,
        onForeignKeyViolation(() => noChatbot),
      ),
    ),

    /** Lists the webhooks within reach, oldest first. */
    list: Effect.fnUntraced(function* (reach: Reach) {
      const organization = yield* CurrentOrganization
      return yield* decodeWebhooks(sql`
        select ${columns} from webhooks where organization_id = ${organization} ${within(sql, reach, "chatbot_id")}
        order by created_at, id`)
    }, withoutSqlErrors),

    get: Effect.fnUntraced(function* (id: WebhookId, reach: Reach) {
      const organization = yield* CurrentOrganization
      return yield* only(sql`
        select ${columns} from webhooks where id = ${id} and organization_id = ${organization} ${within(sql, reach, "chatbot_id")}`)
    }, withoutSqlErrors),

    /** Changes a webhook. Its failures are forgotten. */
    modify: <E, R>(id: WebhookId, reach: Reach, change: (webhook: Webhook) => Effect.Effect<WebhookContent, E, R>) =>
      Effect.gen(function* () {
        const organization = yield* CurrentOrganization
        const before = yield* only(sql`
          select ${columns} from webhooks where id = ${id} and organization_id = ${organization} ${within(sql, reach, "chatbot_id")}
          for update`)
        const content = yield* change(before)
        const changed = changeOf(audited(before), audited(content))
        if (changed !== undefined) {
          yield* auditing.record(sql, {
            organization,
            action: "webhook.updated",
            target: id,
            ...(before.chatbot_id !== null && { chatbot: before.chatbot_id }),
            ...changed,
          })
        }
        return yield* only(sql`
          update webhooks set url = ${content.url}, description = ${content.description},
            events = ${arrayText(content.events)}::text[], active = ${content.active},
            switched_off = case when not ${content.active} then switched_off end, failures = 0, failing_since = null,
            updated_at = greatest(clock_timestamp(), updated_at + interval '1 millisecond')
          where id = ${id} and organization_id = ${organization} returning ${columns}`)
      }).pipe(committing(sql)),

    /** Deletes a webhook. Its deliveries are deleted in the background. */
    remove: Effect.fnUntraced(function* (id: WebhookId, reach: Reach) {
      const organization = yield* CurrentOrganization
      const gone = yield* decodeUrl(sql`
        delete from webhooks where id = ${id} and organization_id = ${organization} ${within(sql, reach, "chatbot_id")} returning url`)
      yield* auditing.record(sql, {
        organization,
        action: "webhook.deleted",
        target: id,
        before: concealed({ server: originOf(gone.url) }),
      })
    }, committing(sql)),

    /** Replaces the secret. The one before signs as well for a while. */
    rotate: Effect.fnUntraced(function* (
      id: WebhookId,
      reach: Reach,
      secret: Redacted.Redacted,
      overlap: Duration.Duration,
    ) {
      const organization = yield* CurrentOrganization
      const sealed = yield* sealSecret(secrets, secret, webhookSecretPlace({ id, organization_id: organization }))
      const rotated = yield* only(sql`
        update webhooks set old_secret = secret, old_sealed = sealed, old_sealed_by = sealed_by,
          old_until = now() + ${interval(overlap)}, ${secretAssignments(sql, sealed)}
        where id = ${id} and organization_id = ${organization} ${within(sql, reach, "chatbot_id")} returning ${columns}`)
      yield* auditing.record(sql, { organization, action: "webhook.secret_rotated", target: id })
      return rotated
    }, committing(sql)),

    /** Returns the secrets that sign, the present one first, and records in the audit log that they sign a test. */
    signTest: Effect.fnUntraced(function* (id: WebhookId, reach: Reach) {
      const organization = yield* CurrentOrganization
      const row = yield* decodeTested(sql`
        select ${sql.literal(SECRET_COLUMNS)}, url, coalesce(old_until > now(), false) as is_rotating
        from webhooks where id = ${id} and organization_id = ${organization} ${within(sql, reach, "chatbot_id")}`)
      yield* auditing.record(sql, {
        organization,
        action: "webhook.tested",
        target: id,
        after: concealed({ server: originOf(row.url) }),
      })
      return { url: row.url, secrets: signingSecrets(secrets, row) }
    }, committing(sql)),

    /** Encrypts the secrets of all organizations as `sealRows` does. */
    // The time of a secret before is short, so that it is left to expire as it is.
    sealAll: sealSecrets(system, secrets, "webhooks", webhookSecretPlace),
  }
}) {}

/** Returns the fields of a webhook that the audit log compares. The path of its URL may be a secret. */
const audited = ({ active, description, events, url }: WebhookContent): Schema.JsonObject => ({
  server: originOf(url),
  url,
  description,
  events: [...events],
  active,
})
