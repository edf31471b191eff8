import { Effect, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { chatbotNotFound } from "../../domain/chatbot/Chatbot.ts"
import { Conflict, NotFound } from "../../domain/Errors.ts"
import { ChatbotId, OrganizationId } from "../../domain/Ids.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { IDENTITY_SECRETS_MAX_COUNT, IdentitySecret, IdentitySecretId } from "../../domain/widget/IdentitySecret.ts"
import { Service } from "../../domain/Service.ts"
import { Secrets } from "../../system/Secrets.ts"
import { Auditing } from "../audit/Auditing.ts"
import { SystemSql } from "../sql/Database.ts"
import { openSecret, sealSecret, SecretColumns, sealSecretsOf } from "../sql/SealedRows.ts"
import { decodeRows, TimestampColumn } from "../Rows.ts"
import { committing, withoutSqlErrors } from "../sql/SqlErrors.ts"

const Row = Schema.Struct({
  id: IdentitySecretId,
  organization_id: OrganizationId,
  chatbot_id: ChatbotId,
  ...SecretColumns.fields,
})

const COLUMNS = "id, organization_id, chatbot_id, secret, sealed, sealed_by"

const noSecret = new NotFound({ detail: "The chatbot has no such identity secret." })
const enough = new Conflict({
  detail: `The chatbot has ${IDENTITY_SECRETS_MAX_COUNT} identity secrets already. Delete the one that your servers no longer sign with.`,
})

const decodeShown = decodeRows(Schema.Struct({ ...IdentitySecret.fields, created_at: TimestampColumn }))
const decodeSecrets = decodeRows(Row)

/** The table `identity_secrets`, always within the current organization. */
export class IdentitySecrets extends Service<IdentitySecrets>()("parley/storage/widget/IdentitySecrets", function* () {
  const sql = yield* SqlClient.SqlClient
  const system = yield* SystemSql
  const secrets = yield* Secrets
  const auditing = yield* Auditing

  const select = (chatbot: ChatbotId, organization: OrganizationId) =>
    decodeShown(sql`
    select id, last_four, created_at from identity_secrets
    where organization_id = ${organization} and chatbot_id = ${chatbot} order by created_at, id`)

  return {
    /** Fails with `Conflict` when the chatbot has as many secrets as it may have. */
    insert: Effect.fnUntraced(function* (chatbot: ChatbotId, id: IdentitySecretId, secret: Redacted.Redacted) {
      const organization = yield* CurrentOrganization
      // The lock keeps two requests at once from adding one secret too many.
      const [found] = yield* sql`
        select from chatbots where id = ${chatbot} and organization_id = ${organization} for update`
      if (found === undefined) return yield* chatbotNotFound
      if ((yield* select(chatbot, organization)).length >= IDENTITY_SECRETS_MAX_COUNT) return yield* enough
      const owner = { id, organization_id: organization, chatbot_id: chatbot }
      const sealed = yield* sealSecret(secrets, secret, identitySecretPlace(owner))
      const columns = { ...owner, ...sealed, last_four: Redacted.value(secret).slice(-4) }
      const rows = yield* decodeShown(sql`
        insert into identity_secrets ${sql.insert(columns)} returning id, last_four, created_at`)
      yield* auditing.record(sql, { organization, action: "identity_secret.created", target: id, chatbot })
      return rows[0] ?? (yield* chatbotNotFound)
    }, committing(sql)),

    /** Lists the secrets of a chatbot without their texts, oldest first. */
    list: Effect.fnUntraced(function* (chatbot: ChatbotId) {
      return yield* select(chatbot, yield* CurrentOrganization)
    }, withoutSqlErrors),

    remove: Effect.fnUntraced(function* (chatbot: ChatbotId, id: IdentitySecretId) {
      const organization = yield* CurrentOrganization
      const [gone] = yield* sql`
        delete from identity_secrets
        where id = ${id} and chatbot_id = ${chatbot} and organization_id = ${organization} returning id`
      if (gone === undefined) return yield* noSecret
      yield* auditing.record(sql, { organization, action: "identity_secret.deleted", target: id, chatbot })
    }, committing(sql)),

    /** Returns the secrets of a chatbot that can be decrypted, by their ids. One that cannot be is logged. */
    open: Effect.fnUntraced(function* (chatbot: ChatbotId) {
      const rows = yield* decodeSecrets(sql`
        select ${sql.literal(COLUMNS)} from identity_secrets
        where organization_id = ${yield* CurrentOrganization} and chatbot_id = ${chatbot}`)
      const readable = yield* Effect.forEach(rows, (row) =>
        openSecret(secrets, row, identitySecretPlace(row)).pipe(
          Effect.map((secret) => [[row.id, secret] as const]),
          Effect.catchTag("SecretUnreadable", ({ key, why }) =>
            Effect.as(Effect.logWarning("An identity secret cannot be decrypted", { id: row.id, key, why }), []),
          ),
        ),
      )
      return new Map(readable.flat())
    }, withoutSqlErrors),

    /** Encrypts the secrets of all organizations as `sealRows` does. */
    sealAll: sealSecretsOf(
      system,
      secrets,
      { name: "identity_secrets", columns: COLUMNS, decode: decodeSecrets },
      identitySecretPlace,
    ),
  }
}) {}

/** The place for which an identity secret is encrypted. */
export const identitySecretPlace = ({
  chatbot_id,
  id,
  organization_id,
}: Record<"chatbot_id" | "id" | "organization_id", string>) => [
  "identity_secrets.secret",
  organization_id,
  chatbot_id,
  id,
]
