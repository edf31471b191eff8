import { Clock, Context, Effect, Layer, Redacted, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import { Caller } from "../../domain/Caller.ts"
import { excessRights } from "../../domain/Delegation.ts"
import { type Conflict, Forbidden, type NotFound, Unauthorized, type Unavailable } from "../../domain/Errors.ts"
import type { ChatbotId } from "../../domain/Ids.ts"
import type { CurrentOrganization } from "../../domain/Tenancy.ts"
import { IDENTITY_SECRET_BYTES, type IdentitySecret, IdentitySecretId } from "../../domain/widget/IdentitySecret.ts"
import { readIdentityToken } from "../../domain/widget/IdentityToken.ts"
import type { Identity } from "../../domain/widget/Visitor.ts"
import { Chatbots } from "../../storage/Chatbots.ts"
import * as Storage from "../../storage/widget/IdentitySecrets.ts"

/** A new identity secret together with its text, which is shown this once. */
export interface IssuedIdentitySecret {
  readonly identitySecret: IdentitySecret
  readonly secret: Redacted.Redacted
}

/** What whoever can be any visitor may do: talk, and read what visitors have said. */
const rightsOfVisitors = ["chat", "conversations:read"] as const

/** Manages the secrets by which the customers' own servers sign who visitors are, and checks what they have signed. */
export class IdentitySecrets extends Context.Service<
  IdentitySecrets,
  {
    /**
     * Fails with `Conflict` when the chatbot has as many secrets as it may have, and with `Forbidden` for a caller who
     * may not do what every visitor may: whoever has the secret can be any of them.
     */
    readonly create: (
      chatbot: ChatbotId,
    ) => Effect.Effect<
      IssuedIdentitySecret,
      Conflict | Forbidden | NotFound | Unavailable,
      Caller | CurrentOrganization
    >
    /** Lists the secrets of a chatbot without their texts, oldest first. */
    readonly list: (
      chatbot: ChatbotId,
    ) => Effect.Effect<ReadonlyArray<IdentitySecret>, NotFound | Unavailable, CurrentOrganization>
    readonly remove: (
      chatbot: ChatbotId,
      id: IdentitySecretId,
    ) => Effect.Effect<void, NotFound | Unavailable, CurrentOrganization>
    /** Returns what an identity token for a chatbot says; fails with `Unauthorized`, and the reason, unless it is valid. */
    readonly verify: (
      chatbot: ChatbotId,
      token: string,
    ) => Effect.Effect<Identity, Unauthorized | Unavailable, CurrentOrganization>
  }
>()("parley/services/widget/IdentitySecrets") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const storage = yield* Storage.IdentitySecrets
      const chatbots = yield* Chatbots
      const random = yield* SecureRandom.SecureRandom

      const create = Effect.fn("IdentitySecrets.create")(function* (chatbot: ChatbotId) {
        const caller = yield* Caller
        const { expiresAt } = caller
        const excess = excessRights(caller, { scopes: rightsOfVisitors, chatbotId: chatbot, expiresAt })
        if (excess !== undefined) return yield* new Forbidden({ detail: excess })
        const bytes = yield* random.randomBytes(IDENTITY_SECRET_BYTES)
        const secret = Redacted.make(Buffer.from(bytes).toString("base64url"))
        const id = IdentitySecretId.make(yield* random.uuidV7())
        return { identitySecret: yield* storage.insert(chatbot, id, secret), secret }
      })

      const verify = Effect.fn("IdentitySecrets.verify")(function* (chatbot: ChatbotId, token: string) {
        const secrets = (yield* storage.open(chatbot)).map(Redacted.value)
        const now = Math.floor((yield* Clock.currentTimeMillis) / 1_000)
        const read = readIdentityToken(token, { chatbot, secrets, now })
        return Result.isSuccess(read)
          ? read.success
          : yield* new Unauthorized({ detail: `The identity token is refused: ${read.failure}.` })
      })

      return {
        create,
        // The list of an unknown chatbot would be empty, so the chatbot is looked up first.
        list: (chatbot) => Effect.andThen(chatbots.get(chatbot), storage.list(chatbot)),
        remove: storage.remove,
        verify,
      }
    }),
  )
}
