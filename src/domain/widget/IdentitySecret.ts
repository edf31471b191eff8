import { Schema } from "effect"
import { idOf } from "../Ids.ts"
import { Timestamp } from "../schema/Timestamp.ts"

/** Secrets of one chatbot that are valid at the same time: one, and another one while it is replaced. */
export const IDENTITY_SECRETS_MAX_COUNT = 2
/** Random bytes of an identity secret: as many as the hash of HMAC-SHA256 has. */
export const IDENTITY_SECRET_BYTES = 32

export const IdentitySecretId = idOf("an identity secret").pipe(Schema.brand("IdentitySecretId"))
export type IdentitySecretId = typeof IdentitySecretId.Type

/** A secret by which the customer's own server signs who a visitor of a chatbot is, as it is listed: without its text. */
export const IdentitySecret = Schema.Struct({
  id: IdentitySecretId,
  last_four: Schema.String.annotate({ description: "The end of the secret." }),
  created_at: Timestamp,
}).annotate({ identifier: "IdentitySecret" })
export type IdentitySecret = typeof IdentitySecret.Type
