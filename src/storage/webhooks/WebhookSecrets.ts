import { Effect, Redacted, Schema } from "effect"
import { OrganizationId } from "../../domain/Ids.ts"
import { WebhookId } from "../../domain/webhook/Webhook.ts"
import type { Secrets, SecretUnreadable } from "../../system/Secrets.ts"

/** The webhook that a secret belongs to. */
const SecretOwner = Schema.Struct({ id: WebhookId, organization_id: OrganizationId })
export type SecretOwner = typeof SecretOwner.Type

/** A webhook's secrets as its row holds them: each in plain text, or encrypted. */
export const StoredSecrets = Schema.Struct({
  ...SecretOwner.fields,
  secret: Schema.NullOr(Schema.String),
  sealed: Schema.NullOr(Schema.Uint8Array),
  sealed_by: Schema.NullOr(Schema.String),
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

/** Encrypts a secret for storage, if a key is configured. */
export const sealSecret = Effect.fnUntraced(function* (
  secrets: Secrets["Service"],
  owner: SecretOwner,
  secret: Redacted.Redacted,
) {
  const text = Redacted.value(secret)
  const sealed = yield* secrets.seal(text, webhookSecretPlace(owner))
  return sealed === undefined
    ? { secret: text, sealed: null, sealed_by: null }
    : { secret: null, sealed: sealed.bytes, sealed_by: sealed.key }
})

/** Decrypts the secret that signs, and the one before where the row has it. */
export const openSecrets = (
  secrets: Secrets["Service"],
  row: StoredSecrets,
): Effect.Effect<readonly [Redacted.Redacted, Redacted.Redacted | undefined], SecretUnreadable> => {
  const open = (text: string | null, bytes: Uint8Array | null, key: string | null) =>
    bytes === null || key === null
      ? Effect.succeed(text === null ? undefined : Redacted.make(text))
      : Effect.map(secrets.open({ key, bytes }, webhookSecretPlace(row)), (opened) => Redacted.make(opened))
  return Effect.all([
    Effect.map(open(row.secret, row.sealed, row.sealed_by), (secret) => secret ?? Redacted.make("")),
    // The present secret signs also where the one before cannot be decrypted.
    Effect.orElseSucceed(open(row.old_secret, row.old_sealed, row.old_sealed_by), () => undefined),
  ])
}
