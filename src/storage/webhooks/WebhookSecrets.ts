import { Effect, type Redacted, Schema } from "effect"
import { OrganizationId } from "../../domain/Ids.ts"
import { WebhookId } from "../../domain/webhook/Webhook.ts"
import type { Secrets, SecretUnreadable } from "../../system/Secrets.ts"
import { openSecret, SecretColumns } from "../sql/SealedRows.ts"

/** A webhook's secrets as its row holds them: each in plain text, or encrypted. */
export const StoredSecrets = Schema.Struct({
  id: WebhookId,
  organization_id: OrganizationId,
  ...SecretColumns.fields,
  old_secret: Schema.NullOr(Schema.String),
  old_sealed: Schema.NullOr(Schema.Uint8Array),
  old_sealed_by: Schema.NullOr(Schema.String),
})
export type StoredSecrets = typeof StoredSecrets.Type

export const SECRET_COLUMNS = "id, organization_id, secret, sealed, sealed_by, old_secret, old_sealed, old_sealed_by"

/**
 * The place for which a webhook's secrets are encrypted. The secret before has the same one, so that a rotation moves it
 * without decrypting it.
 */
export const webhookSecretPlace = ({ id, organization_id }: Record<"id" | "organization_id", string>) => [
  "webhooks.secret",
  organization_id,
  id,
]

/** Decrypts the secret that signs, and the one before where the row has it. */
export const openSecrets = (
  secrets: Secrets["Service"],
  row: StoredSecrets,
): Effect.Effect<readonly [Redacted.Redacted, Redacted.Redacted | undefined], SecretUnreadable> => {
  const place = webhookSecretPlace(row)
  const before = { secret: row.old_secret, sealed: row.old_sealed, sealed_by: row.old_sealed_by }
  const hasBefore = before.secret !== null || before.sealed !== null
  return Effect.all([
    openSecret(secrets, row, place),
    // The present secret signs also where the one before cannot be decrypted.
    hasBefore ? Effect.orElseSucceed(openSecret(secrets, before, place), () => undefined) : Effect.undefined,
  ])
}
