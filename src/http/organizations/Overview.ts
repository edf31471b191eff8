import { HttpApiBuilder } from "effect/http-api"
import { Effect } from "effect"
import { Api } from "../../api/Api.ts"
import { Chatbots } from "../../services/Chatbots.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "overview",
  Effect.fn(function* (handlers) {
    const chatbots = yield* Chatbots

    return handlers.handleAll({ totals: () => Effect.map(chatbots.totals, (totals) => ({ totals })) })
  }),
)
