import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AttachmentIds } from "../../domain/chat/Attachment.ts"
import { CHAT_INPUT_MAX_LENGTH, Citation } from "../../domain/chat/Chat.ts"
import { Message, Session } from "../../domain/chat/Conversation.ts"
import { ConversationEvent, Presence } from "../../domain/inbox/Handover.ts"
import { ChatbotId, PersonId } from "../../domain/Ids.ts"
import { requestCosts } from "../../domain/organizations/RateLimit.ts"
import { textBetween, textUpTo } from "../../domain/schema/Text.ts"
import { ReceivedTimestamp, Timestamp } from "../../domain/schema/Timestamp.ts"
import { chatFailures } from "../conversations/Chat.ts"
import { Authorization, Idempotent, Problems, RequestBody, RequiredScope } from "../Middleware.ts"
import { Problem } from "../failures/Problem.ts"
import { AlsoRequires, described, slow } from "../parts/Annotations.ts"

const base = "/api/external/chatbot/:chatbotId/conversations/:sessionId"
const params = {
  chatbotId: ChatbotId,
  sessionId: textBetween(1, 200).annotate({
    description: "The session's id, or the `sessionToken` it was opened with.",
  }),
}
const OneSession = Schema.Struct({ session: Session })

const handOver = HttpApiEndpoint.post("handOver", `${base}/handover`, {
  params,
  payload: Schema.Struct({
    assignee: Schema.optionalKey(Schema.NullOr(PersonId)).annotate({
      description: "Who looks after it. Absent: the person who asks, or nobody yet for an API key.",
    }),
  }),
  success: OneSession,
  error: [Problem.NotFound, Problem.Conflict],
})
  .middleware(Idempotent.inTransaction)
  .middleware(RequestBody)
  .annotate(RequiredScope, "conversations:write")
  .annotate(AlsoRequires, ["conversations:read"])
  .annotateMerge(
    described(
      "Take a conversation over",
      "From now on people answer, and the chatbot stores no reply any more: one that is being made stops within a second, and what the visitor has seen of it stays. Of two people who take it over at once, one does; the other gets 409, and says so by assigning it. The key needs `conversations:read` as well.",
    ),
  )

const giveBack = HttpApiEndpoint.post("giveBack", `${base}/return`, {
  params,
  success: OneSession,
  error: [Problem.NotFound, Problem.Conflict],
})
  .middleware(Idempotent.inTransaction)
  .annotate(RequiredScope, "conversations:write")
  .annotate(AlsoRequires, ["conversations:read"])
  .annotateMerge(
    described(
      "Give a conversation back",
      "The chatbot answers the next message of the visitor. 409 when it has it already. The key needs `conversations:read` as well.",
    ),
  )

const say = HttpApiEndpoint.post("say", `${base}/messages`, {
  params,
  payload: Schema.Struct({
    content: textUpTo(CHAT_INPUT_MAX_LENGTH).annotate({ description: "May be empty with attachments." }),
    attachments: Schema.optionalKey(AttachmentIds),
    sender_name: Schema.optionalKey(textBetween(1, 200)).annotate({
      description:
        "Who writes, where an API key sends what somebody has written elsewhere. A person is named by their own name.",
    }),
    id: Schema.optionalKey(textBetween(1, 200)).annotate({
      description: "The client's own id of the message; one that was sent before is not sent again.",
    }),
  }),
  success: Schema.Struct({ message: Message, session: Session }).pipe(HttpApiSchema.status(201)),
  error: [Problem.NotFound, Problem.Conflict],
})
  .middleware(Idempotent.inTransaction)
  .middleware(RequestBody)
  .annotate(RequiredScope, "conversations:write")
  .annotate(AlsoRequires, ["conversations:read"])
  .annotateMerge(
    described(
      "Write to a visitor as a person",
      "Takes the conversation over where the chatbot has it. The visitor sees it at once, or when it comes back. The key needs `conversations:read` as well.",
    ),
  )

const note = HttpApiEndpoint.post("note", `${base}/notes`, {
  params,
  payload: Schema.Struct({ text: textBetween(1, 10_000) }),
  success: Schema.Struct({ event: ConversationEvent }).pipe(HttpApiSchema.status(201)),
  error: Problem.NotFound,
})
  .middleware(Idempotent.inTransaction)
  .middleware(RequestBody)
  .annotate(RequiredScope, "conversations:write")
  .annotateMerge(described("Write a note", "Among people: visitors and models never see it."))

const events = HttpApiEndpoint.get("events", `${base}/events`, {
  params,
  success: Schema.Struct({ events: Schema.Array(ConversationEvent) }),
  error: Problem.NotFound,
})
  .annotate(RequiredScope, "conversations:read")
  .annotateMerge(
    described(
      "List what happened in a conversation",
      "Handovers, assignments and notes, oldest first, the latest 1,000.",
    ),
  )

const presence = HttpApiEndpoint.post("presence", `${base}/presence`, {
  params,
  payload: Schema.Struct({
    state: Schema.Literals(["reading", "writing", "away"]),
    read_to: Schema.optionalKey(ReceivedTimestamp).annotate({
      description: "`created_at` of the latest message that was seen.",
    }),
  }),
  success: Schema.Struct({
    presence: Schema.Array(Presence),
    visitor_read_at: Schema.NullOr(Timestamp),
  }),
  error: Problem.NotFound,
})
  .middleware(RequestBody)
  .annotate(RequiredScope, "conversations:write")
  .annotateMerge(
    described("Say what one does in a conversation", "Holds for ten seconds. The answer has everybody who is there."),
  )

const draft = HttpApiEndpoint.post("draft", `${base}/draft`, {
  params,
  success: Schema.Struct({ draft: Schema.Struct({ output: Schema.String, sources: Schema.Array(Citation) }) }),
  error: [...chatFailures(Problem), Problem.Conflict],
})
  .middleware(Idempotent.repeatable)
  .annotateMerge(slow(requestCosts.chat))
  .annotate(RequiredScope, "conversations:write")
  .annotate(AlsoRequires, ["conversations:read", "chat"])
  .annotateMerge(
    described(
      "Draft an answer",
      "What the chatbot would answer to the visitor's latest message. Nothing of it is stored. The key needs `conversations:read` and `chat` as well.",
    ),
  )

/** The endpoints by which people take part in the conversations of a chatbot. */
export class InboxApi extends HttpApiGroup.make("inbox")
  .add(handOver, giveBack, say, note, events, presence, draft)
  .annotate(HttpApi.PayloadParseOptions, { onExcessProperty: "error" })
  .annotateMerge(OpenApi.annotations({ title: "Inbox", description: "People in conversations." }))
  .middleware(Authorization)
  .middleware(Problems) {}

const counts = HttpApiEndpoint.get("counts", "/api/external/inbox", {
  success: Schema.Struct({
    waiting: Schema.Int.annotate({ description: "Visitors wait, and nobody is assigned." }),
    mine: Schema.Int.annotate({ description: "Open, and assigned to the person who asks." }),
    open: Schema.Int.annotate({ description: "Of people, and not closed." }),
  }),
})
  .annotate(RequiredScope, "conversations:read")
  .annotateMerge(described("Count the inbox", "Conversations of people, of the chatbots that the caller may see."))

/** The endpoint that counts the conversations of people across chatbots. */
export class InboxCountsApi extends HttpApiGroup.make("inboxCounts")
  .add(counts)
  .annotateMerge(OpenApi.annotations({ title: "Inbox of all chatbots", description: "How much there is to do." }))
  .middleware(Authorization)
  .middleware(Problems) {}
