import { createHmac } from "node:crypto"
import { Redacted } from "effect"

/*
 * Signatures by Standard Webhooks 1.0.0.
 */

const PREFIX = "whsec_"

/** Writes the bytes of a secret as the specification does. */
export const webhookSecret = (bytes: Uint8Array): Redacted.Redacted =>
  Redacted.make(`${PREFIX}${Buffer.from(bytes).toString("base64")}`)

export interface SignedMessage {
  /** The same for every attempt. */
  readonly id: string
  /** The time of the attempt, in seconds since 1970. */
  readonly at: number
  readonly body: string
}

/** The headers of an attempt, with one signature for each secret. */
export const signedHeaders = (
  { at, body, id }: SignedMessage,
  secrets: ReadonlyArray<Redacted.Redacted>,
): Readonly<Record<string, string>> => ({
  "webhook-id": id,
  "webhook-timestamp": String(at),
  "webhook-signature": secrets
    .map((secret) => {
      const key = Buffer.from(Redacted.value(secret).slice(PREFIX.length), "base64")
      return `v1,${createHmac("sha256", key).update(`${id}.${at}.${body}`).digest("base64")}`
    })
    .join(" "),
})
