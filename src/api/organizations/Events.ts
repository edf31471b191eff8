import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { OrganizationEvent } from "../../domain/organizations/Events.ts"
import { ChatbotId, optionalId } from "../../domain/Ids.ts"
import { Authorization, Problems } from "../Middleware.ts"
import { IsSlow } from "../parts/Annotations.ts"
import { onlyStream } from "../parts/EventStream.ts"
import { Problem } from "../failures/Problem.ts"

const subscribe = HttpApiEndpoint.get("subscribe", "/api/external/events", {
  query: {
    chatbot_id: optionalId(ChatbotId, "Events of this chatbot only."),
  },
  success: OrganizationEvent,
  error: [Problem.NotFound, Problem.TooManyAtOnce],
})
  .annotate(IsSlow, true)
  .annotateMerge(
    OpenApi.annotations({
      summary: "Subscribe to events",
      description: [
        "Server-sent events of the organization, each with an `OrganizationEvent` as JSON in `data`, within about a second of the change, whichever server made it.",
        "The scopes of the key decide which: `knowledge:read` documents, `conversations:read` conversations, `chatbots:read` chatbots; 403 with none of them. A key that is bound to a chatbot gets that chatbot's.",
        "Events are not kept. Every stream begins with `resync`, also after a lost connection: then read anew what you show. A comment is sent as a heartbeat. The stream ends when the key is revoked or expires, and when the server stops; clients connect again.",
      ].join("\n\n"),
      transform: onlyStream("Events, each with an `OrganizationEvent` as its `data`."),
    }),
  )

/** The endpoint that reports what changes in an organization while it happens. */
export class EventsApi extends HttpApiGroup.make("events")
  .add(subscribe)
  .annotateMerge(OpenApi.annotations({ title: "Events", description: "Changes in an organization, as they happen." }))
  .middleware(Authorization)
  .middleware(Problems) {}
