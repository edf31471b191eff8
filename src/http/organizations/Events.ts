import { HttpApiBuilder } from "effect/http-api"
import { Effect } from "effect"
import { Api } from "../../api/Api.ts"
import { Events } from "../../services/organizations/Events.ts"
import { respondingWithChanges } from "../streams/Changes.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "events",
  Effect.fn(function* (handlers) {
    const events = yield* Events
    const respond = yield* respondingWithChanges

    return handlers.handleAll({
      // The scope of a request closes when its response is over, and the subscription ends with it.
      subscribe: ({ query, request }) =>
        Effect.flatMap(events.subscribe(query.chatbot_id), (subscription) => respond(request, subscription)),
    })
  }),
)
