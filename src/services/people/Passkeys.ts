import { Effect, Schema } from "effect"
import { type Assertion, type NewCredential, type RelyingParty, WebAuthnJson } from "../../domain/people/Passkey.ts"
import type { NewPasskey } from "../../storage/people/SignIns.ts"

/** The library, which is loaded when somebody signs in by a passkey for the first time. */
const library = Effect.promise(() => import("@simplewebauthn/server"))

const bytesOf = (base64url: string) => Uint8Array.from(Buffer.from(base64url, "base64url"))
const decodeJson = Schema.decodeUnknownEffect(Schema.toType(WebAuthnJson))
const asJson = (options: object) => Effect.orDie(decodeJson(JSON.parse(JSON.stringify(options))))

/** Options of the browser for a new passkey. It is discoverable, so that nobody types who they are. */
export const creationOptions = Effect.fnUntraced(function* (
  page: RelyingParty,
  challenge: string,
  person: {
    readonly id: string
    readonly name: string
    readonly email: string | null
    readonly passkeys: ReadonlyArray<string>
  },
  organization: string,
) {
  const { generateRegistrationOptions } = yield* library
  const options = yield* Effect.promise(() =>
    generateRegistrationOptions({
      rpName: organization,
      rpID: page.id,
      userID: new TextEncoder().encode(person.id),
      userName: person.email ?? person.name,
      userDisplayName: person.name,
      challenge: bytesOf(challenge),
      excludeCredentials: person.passkeys.map((id) => ({ id })),
      authenticatorSelection: { residentKey: "required", userVerification: "preferred" },
    }),
  )
  return yield* asJson(options)
})

/** Options of the browser for an answer of one of its passkeys. */
export const requestOptions = Effect.fnUntraced(function* (page: RelyingParty, challenge: string) {
  const { generateAuthenticationOptions } = yield* library
  const options = yield* Effect.promise(() =>
    generateAuthenticationOptions({ rpID: page.id, challenge: bytesOf(challenge), userVerification: "preferred" }),
  )
  return yield* asJson(options)
})

const expectationsOf = ({ id, origin }: RelyingParty, challenge: string) => ({
  expectedChallenge: challenge,
  expectedOrigin: origin,
  expectedRPID: id,
  requireUserVerification: false,
})

/** Verifies a new passkey; undefined where it is not for this page and this challenge. */
export const verifyCreation = Effect.fnUntraced(function* (
  page: RelyingParty,
  challenge: string,
  { response: { transports = [], ...response }, ...credential }: NewCredential,
): Effect.fn.Return<NewPasskey | undefined> {
  const { verifyRegistrationResponse } = yield* library
  const { registrationInfo } = yield* Effect.tryPromise(() =>
    verifyRegistrationResponse({
      ...expectationsOf(page, challenge),
      response: { ...credential, response, clientExtensionResults: {} },
    }),
  ).pipe(Effect.orElseSucceed(() => ({ registrationInfo: undefined })))
  if (registrationInfo === undefined) return undefined
  const { counter, id, publicKey } = registrationInfo.credential
  return { id, counter, publicKey, transports }
})

/** Verifies the answer of a passkey. Returns how often it says that it was used; undefined where it is not right. */
export const verifyAssertion = Effect.fnUntraced(function* (
  page: RelyingParty,
  challenge: string,
  { response, ...credential }: Assertion,
  passkey: { readonly id: string; readonly public_key: Uint8Array; readonly counter: number },
): Effect.fn.Return<number | undefined> {
  const { verifyAuthenticationResponse } = yield* library
  const { authenticationInfo, verified } = yield* Effect.tryPromise(() =>
    verifyAuthenticationResponse({
      ...expectationsOf(page, challenge),
      response: { ...credential, response, clientExtensionResults: {} },
      credential: { id: passkey.id, publicKey: Uint8Array.from(passkey.public_key), counter: passkey.counter },
    }),
  ).pipe(Effect.orElseSucceed(() => ({ verified: false, authenticationInfo: undefined })))
  return verified ? authenticationInfo?.newCounter : undefined
})
