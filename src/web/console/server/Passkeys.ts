import type { WebAuthnJson } from "../../../domain/people/Passkey.ts"
import { Failure, toFailure } from "./Failure.ts"

/*
 * Passkeys, by the browser's own functions for WebAuthn.
 */

/** The reason why this page cannot use passkeys, for people; undefined where it can. */
export const passkeyObstacle = (): string | undefined => {
  if (!isSecureContext) return "Passkeys need an encrypted connection. Open this page at an address with https."
  if (/^[\d.]+$|^\[/.test(location.hostname))
    return "Passkeys do not work at an IP address. Open this page at the server's name, or at localhost on the same machine."
  return "PublicKeyCredential" in globalThis && "parseCreationOptionsFromJSON" in PublicKeyCredential
    ? undefined
    : "This browser does not support passkeys. Use a current version of Chrome, Edge, Firefox or Safari."
}

const words: Readonly<Record<string, string>> = {
  NotAllowedError: "No passkey was used: the browser's dialog was closed, or took too long. Try again.",
  InvalidStateError: "This device already has a passkey for you. Sign in with it.",
  SecurityError: "Passkeys belong to the server's public address, and this page has another one.",
}

const answerOf = async (asked: Promise<Credential | null>): Promise<WebAuthnJson> => {
  const credential = await asked.catch((error: unknown) => {
    const known = error instanceof DOMException ? words[error.name] : undefined
    throw known === undefined ? toFailure(error) : new Failure(known, { code: "passkey" })
  })
  if (credential instanceof PublicKeyCredential) return JSON.parse(JSON.stringify(credential))
  throw new Failure("The browser has not returned a passkey.", { code: "passkey" })
}

/** Has the browser make a passkey, as the server asks for one. Rejects with a `Failure`. */
export const createPasskey = (options: object): Promise<WebAuthnJson> =>
  answerOf(
    navigator.credentials.create({
      publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options as PublicKeyCredentialCreationOptionsJSON),
    }),
  )

/** Has the person choose a passkey. Rejects with a `Failure`. */
export const choosePasskey = (options: object): Promise<WebAuthnJson> =>
  answerOf(
    navigator.credentials.get({
      publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options as PublicKeyCredentialRequestOptionsJSON),
    }),
  )
