import { Schema } from "effect"
import { textBetween } from "../schema/Text.ts"

/** The longest part of a credential, in characters. */
const PART_MAX_LENGTH = 20_000

const text = textBetween(1, PART_MAX_LENGTH)
const head = { id: text, rawId: text, type: Schema.Literal("public-key") }

/** A new passkey, as far as the server reads it. */
export const NewCredential = Schema.Struct({
  ...head,
  response: Schema.Struct({
    clientDataJSON: text,
    attestationObject: text,
    transports: Schema.optionalKey(Schema.Array(Schema.String)),
  }),
})
export type NewCredential = typeof NewCredential.Type

/** The answer of a passkey, as far as the server reads it. */
export const Assertion = Schema.Struct({
  ...head,
  response: Schema.Struct({ clientDataJSON: text, authenticatorData: text, signature: text }),
})
export type Assertion = typeof Assertion.Type

/** A value that goes to or comes from the browser's own passkeys. */
export const WebAuthnJson = Schema.Record(Schema.String, Schema.Json)
export type WebAuthnJson = typeof WebAuthnJson.Type

/** The page that passkeys belong to. */
export interface RelyingParty {
  /** The host of the page. */
  readonly id: string
  readonly origin: string
}
