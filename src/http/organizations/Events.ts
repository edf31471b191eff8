import { Effect } from "effect"
import { Events } from "../../services/organizations/Events.ts"
import { respondingWithChanges } from "../streams/Changes.ts"
import { group } from "../Group.ts"

export const layer = group("events", function* (handlers) {
  const events = yield* Events
  const respond = yield* respondingWithChanges

  return handlers.handleAll({
    // The scope of a request closes when its response is over, and the subscription ends with it.
    subscribe: ({ query, request }) =>
      Effect.flatMap(events.subscribe(query.chatbot_id), (subscription) => respond(request, subscription)),
  })
})
