import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiSchema } from "effect/http-api"
import { requestCosts } from "../../domain/organizations/RateLimit.ts"
import { VoiceCall, VoiceCallRequest } from "../../domain/widget/Widget.ts"
import { chatFailures } from "../conversations/Chat.ts"
import { Problem } from "../failures/Problem.ts"
import { RequestBody } from "../Middleware.ts"
import { described, IsSlow, RequestCost } from "../parts/Annotations.ts"

/*
 * Endpoints of the group `widget`.
 */

export const startCall = HttpApiEndpoint.post("startCall", "/api/widget/voice/calls", {
  payload: VoiceCallRequest,
  success: VoiceCall.pipe(HttpApiSchema.status(201)),
  error: [...chatFailures(Problem), Problem.Forbidden, Problem.Conflict],
})
  .middleware(RequestBody)
  .annotate(IsSlow, true)
  .annotate(RequestCost, requestCosts.chat)
  .annotateMerge(
    described(
      "Call a chatbot",
      "Where `voice.realtime` of the widget is true, else 403. Over WebRTC, a model of the provider listens and speaks. What is said becomes messages of the conversation, in its order; of an interrupted reply, what was heard. A visitor has one call: another one ends it. A call ends after 30 minutes, with the visitor's token, when the chatbot is deactivated or a budget spent, and when people have the conversation.",
    ),
  )

export const endCall = HttpApiEndpoint.delete("endCall", "/api/widget/voice/calls/:callId", {
  params: { callId: VoiceCall.fields.call_id },
  success: Schema.Struct({ message: Schema.Literal("Call ended successfully") }),
  error: Problem.NotFound,
}).annotateMerge(described("Hang up", "Waits until what was said is stored."))
