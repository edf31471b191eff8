import { Effect, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { NotFound, Unauthorized } from "../../domain/Errors.ts"
import type { OrganizationId } from "../../domain/Ids.ts"
import { hashKey } from "../../domain/keys/ApiKey.ts"
import { Assertion, NewCredential, type RelyingParty, type WebAuthnJson } from "../../domain/people/Passkey.ts"
import { Service } from "../../domain/Service.ts"
import * as Storage from "../../storage/people/SignIns.ts"
import { ConsoleSessions } from "./ConsoleSessions.ts"
import { creationOptions, requestOptions, verifyAssertion, verifyCreation } from "./Passkeys.ts"
import { unguessableText } from "../../system/UnguessableId.ts"

const noOrganization = new NotFound({ detail: "There is no such organization." })
const notOpen = new Unauthorized({
  detail: "This invitation was accepted before, or is older than a week. Ask for a new one.",
})
const tooLate = new Unauthorized({
  detail: "This took more than ten minutes, has been used before, or was begun in another browser. Try again.",
})
const wrongPasskey = new Unauthorized({
  detail: "This passkey is not known here, or was made for another address of this server.",
})

const Challenge = Schema.Struct({ challenge: Schema.String })
const Invitation = Schema.Struct({ challenge: Schema.String, invitation: Schema.String })

/** What a browser is to do next, with the secret that its cookie gets. */
export interface Begun<A> {
  readonly answer: A
  readonly secret: string
}

const decodeAssertion = Schema.decodeUnknownEffect(Assertion)
const decodeCredential = Schema.decodeUnknownEffect(NewCredential)

/** Signs people in by passkeys, and accepts invitations. What is under way is used once, by the browser that has begun it. */
export class SignIns extends Service<SignIns>()("parley/services/people/SignIns", function* () {
  const storage = yield* Storage.SignIns
  const sessions = yield* ConsoleSessions
  const random = yield* SecureRandom.SecureRandom

  const begin = Effect.fnUntraced(function* (kind: string, data: Schema.Json) {
    const secret = yield* unguessableText(random)
    yield* storage.begin(hashKey(secret), kind, data)
    return secret
  })

  const take = Effect.fnUntraced(function* <A>(
    schema: Schema.Codec<A, Schema.Json>,
    kind: string,
    secret: string | undefined,
  ) {
    const data = secret === undefined ? undefined : yield* storage.take(hashKey(secret), kind)
    return data === undefined ? yield* tooLate : yield* Effect.orDie(Schema.decodeEffect(schema)(data))
  })

  const invited = Effect.fnUntraced(function* (token: string) {
    return (yield* storage.invited(hashKey(token))) ?? (yield* notOpen)
  })

  return {
    /** Keeps what is expected of the end of a sign-in. Returns the secret that the browser has to send then. */
    begin,

    /** Takes what `begin` has kept, once; fails with `Unauthorized` where there is nothing for the secret. */
    take,

    /** Describes the form to sign in to an organization, by default the operator's. */
    entrance: Effect.fn("SignIns.entrance")(function* (organization: OrganizationId | undefined) {
      return (yield* storage.entrance(organization)) ?? (yield* noOrganization)
    }),

    beginPasskey: (page: RelyingParty) =>
      sessions.attempt(
        Effect.gen(function* () {
          const challenge = yield* unguessableText(random)
          const secret = yield* begin("passkey", { challenge })
          return { answer: yield* requestOptions(page, challenge), secret }
        }),
      ),

    /** Signs somebody in by the answer of a passkey. */
    endPasskey: (page: RelyingParty, secret: string | undefined, answer: WebAuthnJson, userAgent: string | undefined) =>
      sessions.attempt(
        Effect.gen(function* () {
          const { challenge } = yield* take(Challenge, "passkey", secret)
          const assertion = yield* Effect.mapError(decodeAssertion(answer), () => wrongPasskey)
          const passkey = yield* storage.passkey(assertion.id)
          if (passkey === undefined) return yield* wrongPasskey
          const counter = yield* verifyAssertion(page, challenge, assertion, passkey)
          if (counter === undefined) return yield* wrongPasskey
          yield* storage.usePasskey(passkey.id, counter)
          return yield* sessions.begin({
            person: passkey.person_id,
            organization: passkey.organization_id,
            userAgent,
          })
        }),
      ),

    /** Shows an invitation, and begins to accept it by a new passkey. */
    beginInvitation: (page: RelyingParty, token: string) =>
      sessions.attempt(
        Effect.gen(function* () {
          const person = yield* invited(token)
          const { organization, providers } = (yield* storage.entrance(person.organization_id)) ?? (yield* notOpen)
          const challenge = yield* unguessableText(random)
          const secret = yield* begin("invitation", { challenge, invitation: token })
          const options = yield* creationOptions(page, challenge, person, organization.name)
          const { email, name } = person
          return { answer: { person: { name, email }, organization, providers, options }, secret }
        }),
      ),

    /** Accepts an invitation by a new passkey, and signs the person in. */
    endInvitation: (
      page: RelyingParty,
      secret: string | undefined,
      {
        credential,
        name,
        token,
      }: { readonly token: string; readonly name?: string; readonly credential: WebAuthnJson },
      userAgent: string | undefined,
    ) =>
      sessions.attempt(
        Effect.gen(function* () {
          const { challenge, invitation } = yield* take(Invitation, "invitation", secret)
          if (invitation !== token) return yield* tooLate
          const decoded = yield* Effect.mapError(decodeCredential(credential), () => wrongPasskey)
          const passkey = yield* verifyCreation(page, challenge, decoded)
          if (passkey === undefined) return yield* wrongPasskey
          const accepted = yield* storage.accept(hashKey(token), { name, passkey })
          if (accepted === undefined) return yield* notOpen
          return yield* sessions.begin({ person: accepted.id, organization: accepted.organization_id, userAgent })
        }),
      ),
  }
}) {}
