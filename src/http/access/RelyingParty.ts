import type { HttpServerRequest } from "effect/http"
import type { RelyingParty } from "../../domain/people/Passkey.ts"

const LOCALHOST = "localhost"

/**
 * The page to which the passkeys of a request belong: that of the public URL, or where the settings name none one at
 * `localhost`, where browsers use passkeys without https. What a passkey has signed names its page, so that none is good
 * for another one.
 */
export const pageOf = (
  { headers }: HttpServerRequest.HttpServerRequest,
  publicUrl: string,
  hasPublicUrl: boolean,
): RelyingParty => {
  const local = hasPublicUrl ? null : URL.parse(`http://${headers["host"] ?? ""}`)
  const { hostname, origin } = local?.hostname === LOCALHOST ? local : new URL(publicUrl)
  return { id: hostname, origin }
}

/** Whether browsers use passkeys on a page: by https, or at `localhost`. */
export const mayUsePasskeys = ({ id, origin }: RelyingParty): boolean => origin.startsWith("https:") || id === LOCALHOST
