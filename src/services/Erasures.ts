import { Context, Effect, Layer } from "effect"
import { Caller, ensureServes } from "../domain/Caller.ts"
import type { ErasureRequest, Visitor } from "../domain/chat/Erasure.ts"
import { InvalidRequest } from "../domain/Errors.ts"
import { Chatbots } from "../storage/chatbots/Chatbots.ts"
import * as Storage from "../storage/conversations/Erasures.ts"

const oneOf = "Expected exactly one of `email`, `session_token` and `visitor_id`"

/** Erases visitors: deletes everything that is stored about them. */
export class Erasures extends Context.Service<Erasures>()("parley/services/Erasures", {
  make: Effect.gen(function* () {
    const storage = yield* Storage.Erasures
    const chatbots = yield* Chatbots

    return {
      /**
       * Erases a visitor from the conversations with a chatbot, or with every chatbot that the caller's key serves. A
       * chat of the visitor that is under way goes on, and nothing of it is stored any more.
       */
      erase: Effect.fn("Erasures.erase")(function* ({ chatbot_id, ...names }: ErasureRequest) {
        const [visitor, ...others] = visitorsOf(names)
        if (visitor === undefined || others.length > 0) return yield* InvalidRequest.at("email", oneOf)
        if (chatbot_id !== undefined) {
          yield* ensureServes(chatbot_id)
          yield* chatbots.get(chatbot_id)
        }
        return yield* storage.erase(visitor, chatbot_id ?? (yield* Caller).chatbotId ?? undefined)
      }),
    }
  }),
}) {
  static readonly layer = Layer.effect(this, this.make)
}

const visitorsOf = (names: Omit<ErasureRequest, "chatbot_id">): ReadonlyArray<Visitor> =>
  (["email", "session_token", "visitor_id"] as const).flatMap((by) => {
    const name = names[by]
    return name === undefined ? [] : [{ by, name }]
  })
