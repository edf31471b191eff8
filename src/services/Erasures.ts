import { Context, Effect, Layer } from "effect"
import { Caller, ensureServes } from "../domain/Caller.ts"
import type { Erased, ErasureRequest, Visitor } from "../domain/chat/Erasure.ts"
import { type Forbidden, InvalidRequest, type NotFound, type Unavailable } from "../domain/Errors.ts"
import type { CurrentOrganization } from "../domain/Tenancy.ts"
import { Chatbots } from "../storage/Chatbots.ts"
import * as Storage from "../storage/Erasures.ts"

const eitherOr = "Expected exactly one of `email` and `session_token`"

/** Erases visitors: deletes everything that is stored about them. */
export class Erasures extends Context.Service<
  Erasures,
  {
    /**
     * Erases a visitor from the conversations with a chatbot, or with every chatbot that the caller's key serves. A
     * chat of the visitor that is under way goes on, and nothing of it is stored any more.
     */
    readonly erase: (
      request: ErasureRequest,
    ) => Effect.Effect<Erased, Forbidden | InvalidRequest | NotFound | Unavailable, Caller | CurrentOrganization>
  }
>()("parley/services/Erasures") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const storage = yield* Storage.Erasures
      const chatbots = yield* Chatbots

      const erase = Effect.fn("Erasures.erase")(function* ({ chatbot_id, email, session_token }: ErasureRequest) {
        const visitor = visitorOf(email, session_token)
        if (visitor === undefined) return yield* InvalidRequest.at("email", eitherOr)
        if (chatbot_id !== undefined) {
          yield* ensureServes(chatbot_id)
          yield* chatbots.get(chatbot_id)
        }
        return yield* storage.erase(visitor, chatbot_id ?? (yield* Caller).chatbotId ?? undefined)
      })

      return { erase }
    }),
  )
}

const visitorOf = (email: string | undefined, session_token: string | undefined): Visitor | undefined => {
  if (email !== undefined) return session_token === undefined ? { email } : undefined
  return session_token === undefined ? undefined : { session_token }
}
