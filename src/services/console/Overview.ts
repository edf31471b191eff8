import { Context, Effect, Layer } from "effect"
import { Caller } from "../../domain/Caller.ts"
import { Totals } from "../../storage/chatbots/Totals.ts"

/** Counts of documents and conversations per chatbot. */
export class Overview extends Context.Service<Overview>()("parley/services/console/Overview", {
  make: Effect.gen(function* () {
    const { ofChatbots } = yield* Totals

    return {
      /** Counts for the chatbots that the caller's key serves, as far as its scopes cover what is counted. */
      totals: Caller.use(({ chatbotId, scopes }) =>
        Effect.map(ofChatbots(chatbotId ?? undefined), (all) =>
          all.map(({ chatbot_id, conversations, documents }) => ({
            chatbot_id,
            ...(scopes.includes("knowledge:read") && { documents }),
            ...(scopes.includes("conversations:read") && { conversations }),
          })),
        ),
      ),
    }
  }),
}) {
  static readonly layer = Layer.effect(this, this.make)
}
