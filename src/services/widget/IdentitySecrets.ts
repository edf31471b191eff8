import { Clock, Effect, Redacted, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import { Caller } from "../../domain/Caller.ts"
import { excessRights } from "../../domain/keys/Delegation.ts"
import { Unauthorized } from "../../domain/Errors.ts"
import { ChatbotId, OrganizationId } from "../../domain/Ids.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { IDENTITY_SECRET_BYTES, type IdentitySecret, IdentitySecretId } from "../../domain/widget/IdentitySecret.ts"
import { readIdentityToken } from "../../domain/widget/IdentityToken.ts"
import type { Identity } from "../../domain/widget/Visitor.ts"
import { Service } from "../../domain/Service.ts"
import { Chatbots } from "../../storage/chatbots/Chatbots.ts"
import * as Storage from "../../storage/widget/IdentitySecrets.ts"
import { recentLookups } from "../keys/RecentLookups.ts"
import { unguessableText } from "../../system/UnguessableId.ts"

/** Identity that a token states, with the end of its validity and the secret that has signed it. */
export interface VerifiedIdentity {
  readonly identity: Identity
  readonly secretId: IdentitySecretId
  /** In milliseconds since 1970. */
  readonly until: number
}

/** Rights of a caller that can be any visitor: to talk, and to read what visitors have said. */
const rightsOfVisitors = ["chat", "conversations:read"] as const

/** Manages the secrets by which the customers' own servers sign who visitors are, and checks what they have signed. */
export class IdentitySecrets extends Service<IdentitySecrets>()("parley/services/widget/IdentitySecrets", function* () {
  const storage = yield* Storage.IdentitySecrets
  const chatbots = yield* Chatbots
  const random = yield* SecureRandom.SecureRandom

  const liveSecrets = yield* recentLookups(
    (place) => {
      const [organization = "", chatbot = ""] = place.split("/")
      return Effect.provideService(
        storage.list(ChatbotId.make(chatbot)),
        CurrentOrganization,
        OrganizationId.make(organization),
      )
    },
    () => undefined,
  )

  return {
    /**
     * Fails with `Conflict` when the chatbot has as many secrets as it may have, and with `Forbidden` for a caller
     * who may not do what every visitor may: anyone with the secret can be any of them.
     */
    create: Effect.fn("IdentitySecrets.create")(function* (chatbot: ChatbotId) {
      const caller = yield* Caller
      const { expiresAt } = caller
      const excess = excessRights(caller, { scopes: rightsOfVisitors, chatbotId: chatbot, expiresAt })
      if (excess !== undefined) return yield* excess
      const secret = Redacted.make(yield* unguessableText(random, IDENTITY_SECRET_BYTES))
      const id = IdentitySecretId.make(yield* random.uuidV7())
      return { identitySecret: yield* storage.insert(chatbot, id, secret), secret }
    }),

    /** Lists the secrets of a chatbot without their texts, oldest first. */
    list: (chatbot: ChatbotId) =>
      // The list of an unknown chatbot would be empty, so the chatbot is looked up first.
      Effect.andThen(chatbots.get(chatbot), storage.list(chatbot)),

    remove: storage.remove,

    /**
     * Returns what an identity token for a chatbot says; fails with `Unauthorized`, and the reason, unless it is
     * valid.
     */
    verify: Effect.fn("IdentitySecrets.verify")(function* (chatbot: ChatbotId, token: string) {
      const opened = Array.from(yield* storage.open(chatbot))
      const secrets = opened.map(([, secret]) => Redacted.value(secret))
      const now = Math.floor((yield* Clock.currentTimeMillis) / 1_000)
      const read = readIdentityToken(token, { chatbot, secrets, now })
      if (Result.isFailure(read)) {
        return yield* new Unauthorized({ detail: `The identity token is refused: ${read.failure}.` })
      }
      const { signer, until, ...identity } = read.success
      const [secretId] = yield* Effect.orDie(Effect.fromNullishOr(opened[signer]))
      return { identity, secretId, until: until * 1_000 }
    }),

    /** Whether a chatbot still has a secret. One that was deleted is known to be within a second. */
    isLive: Effect.fnUntraced(function* (chatbot: ChatbotId, id: IdentitySecretId) {
      const has = (secrets: ReadonlyArray<IdentitySecret> = []) => secrets.some((secret) => secret.id === id)
      // One that was made a moment ago is in the list, and not yet among what is remembered of it.
      return (
        has(yield* liveSecrets.find(`${yield* CurrentOrganization}/${chatbot}`)) || has(yield* storage.list(chatbot))
      )
    }),
  }
}) {}
