import { Effect, type Redacted, Schema, Option } from "effect"
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

/** Decrypts the secrets that sign now, the present one first. */
export const signingSecrets = Effect.fnUntraced(function* (
  secrets: Secrets["Service"],
  row: StoredSecrets & { readonly is_rotating: boolean },
): Effect.fn.Return<ReadonlyArray<Redacted.Redacted>, SecretUnreadable> {
  const place = webhookSecretPlace(row)
  const present = yield* openSecret(secrets, row, place)
  const before = { secret: row.old_secret, sealed: row.old_sealed, sealed_by: row.old_sealed_by }
  if (!row.is_rotating || (before.secret === null && before.sealed === null)) return [present]
  // The present secret signs also where the one before cannot be decrypted.
  return [present, ...Option.toArray(yield* Effect.option(openSecret(secrets, before, place)))]
})
