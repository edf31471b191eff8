import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { ChatbotTotals } from "../../domain/console/ChatbotTotals.ts"
import { requestCosts } from "../../domain/RateLimit.ts"
import { Authorization, Problems, RequiredScope } from "../Middleware.ts"
import { described, RequestCost } from "../parts/Annotations.ts"

const totals = HttpApiEndpoint.get("totals", "/api/external/chatbots/totals", {
  success: Schema.Struct({ totals: Schema.Array(ChatbotTotals) }),
})
  .annotate(RequiredScope, "chatbots:read")
  .annotate(RequestCost, requestCosts.bulk)
  .annotateMerge(
    described(
      "Get the totals of chatbots",
      "How many documents and recent conversations each chatbot has: of the newest 1,000 chatbots, in the order of their list. What the key's scopes do not cover is left out. A key that is bound to a chatbot sees that chatbot's.",
    ),
  )

/** The endpoint of an overview of chatbots. */
export class OverviewApi extends HttpApiGroup.make("overview")
  .add(totals)
  .annotateMerge(OpenApi.annotations({ title: "Overview", description: "What chatbots have, in numbers." }))
  .middleware(Authorization)
  .middleware(Problems) {}
