import { Context, Effect, Layer } from "effect"
import { Caller } from "../../domain/Caller.ts"
import type { ChatbotTotals } from "../../domain/console/ChatbotTotals.ts"
import type { Unavailable } from "../../domain/Errors.ts"
import type { CurrentOrganization } from "../../domain/Tenancy.ts"
import { Totals } from "../../storage/chatbots/Totals.ts"

/** What chatbots have, in numbers. */
export class Overview extends Context.Service<
  Overview,
  {
    /** Counts for the chatbots that the caller's key serves, as far as its scopes cover what is counted. */
    readonly totals: Effect.Effect<ReadonlyArray<ChatbotTotals>, Unavailable, Caller | CurrentOrganization>
  }
>()("parley/services/console/Overview") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const { ofChatbots } = yield* Totals

      return {
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
  )
}
