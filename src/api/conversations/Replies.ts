import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { ReplyReview } from "../../domain/chat/ReplyGround.ts"
import { ChatbotId, MessageId } from "../../domain/Ids.ts"
import { requestCosts } from "../../domain/organizations/RateLimit.ts"
import { Problem } from "../failures/Problem.ts"
import { Authorization, Problems, RequiredScope } from "../Middleware.ts"
import { AlsoRequires, described, RequestCost } from "../parts/Annotations.ts"

const reviewReply = HttpApiEndpoint.get("reviewReply", "/api/external/chatbot/:chatbotId/replies/:messageId", {
  params: { chatbotId: ChatbotId, messageId: MessageId },
  success: Schema.Struct({ reply: ReplyReview }),
  error: [Problem.NotFound, Problem.Conflict, Problem.TooManyAtOnce],
})
  .annotate(RequestCost, requestCosts.chat)
  .annotate(RequiredScope, "conversations:read")
  .annotate(AlsoRequires, ["knowledge:read"])
  .annotateMerge(
    described(
      "Review a reply",
      "Why the chatbot answered so, and what is different now: what was asked, what was found then and is found now, the settings then and now, and the differences, the likeliest cause of another answer first. The key needs `knowledge:read` as well. 409 when the message is the user's.",
    ),
  )

/** The endpoint that says what a reply rested on. */
export class RepliesApi extends HttpApiGroup.make("replies")
  .add(reviewReply)
  .annotateMerge(OpenApi.annotations({ title: "Replies", description: "What the replies of a chatbot rested on." }))
  .middleware(Authorization)
  .middleware(Problems) {}
