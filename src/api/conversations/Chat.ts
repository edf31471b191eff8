import { Schema, Struct } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { ChatMessages, ChatReply } from "../../domain/chat/Chat.ts"
import { WrittenBy } from "../../domain/chat/WrittenBy.ts"
import { Settings } from "../../domain/chatbot/Chatbot.ts"
import { ChatbotId, MessageId, SessionId } from "../../domain/Ids.ts"
import { textBetween } from "../../domain/schema/Text.ts"
import { requestCosts } from "../../domain/organizations/RateLimit.ts"
import { AlsoRequires, slow } from "../parts/Annotations.ts"
import { alsoStream } from "../parts/EventStream.ts"
import { Authorization, Idempotent, Problems, RequestBody, RequiredScope } from "../Middleware.ts"
import { Problem } from "../failures/Problem.ts"

export const SessionToken = textBetween(1, 200).annotate({ examples: ["0b9f7c1e-52a4-4d86-9a3f-6a1f0c2b7d35"] })

/** The headers of a response with a reply: as JSON or as a stream, in either dialect. */
export const ReplyHeaders = {
  "x-session-id": SessionId.pipe(Schema.annotateEncoded({ description: "The conversation." })),
  "x-message-id": MessageId.pipe(
    Schema.annotateEncoded({ description: "The stored reply, which can be rated by this id." }),
  ),
  "x-written-by": Schema.optionalKey(
    WrittenBy.pipe(
      Schema.annotateEncoded({
        description:
          "Who wrote the reply. Absent where people answer instead, and on a stream, which says it at its end.",
      }),
    ),
  ),
  "x-parley-notice": Schema.optionalKey(
    Schema.String.annotate({
      description:
        "Remarks for the developer of a client, separated by commas. `guessable_session_token`: the session token has fewer than 16 characters, so it names the conversation for this API key only, and anyone who has the key and guesses it continues the conversation. `system_messages_ignored`: neither the chatbot's settings nor the key allow system messages.",
      examples: ["guessable_session_token"],
    }),
  ),
}

/** The failures of a chat beyond those of every request, as the schemas of one dialect. */
export const chatFailures = (forms: typeof Problem) =>
  [
    forms.NotFound,
    forms.ChatbotInactive,
    forms.QuotaReached,
    forms.TooManyRequests,
    forms.BudgetSpent,
    forms.TooManyChats,
    forms.TooManyAtOnce,
    forms.ProviderFailed,
    forms.ProviderTimeout,
  ] as const

const streaming = {
  stream: Schema.optionalKey(Schema.Literals(["true", "false"])).annotate({
    description:
      "`true` for a stream. Absent: as `Accept` says; `text/event-stream` asks for one. `useChat` of the AI SDK needs `true`, and is refused (400) where nothing is said.",
  }),
  steps: Schema.optionalKey(Schema.Literals(["true", "false"])).annotate({
    description: "`true`: a stream also has the steps of the reply, which JSON has anyway.",
  }),
}

const chat = HttpApiEndpoint.post("chat", "/api/external/chatbot/:chatbotId/chat", {
  params: { chatbotId: ChatbotId },
  query: streaming,
  payload: Schema.Struct({
    messages: ChatMessages,
    platform: Schema.optionalKey(
      Schema.String.check(
        Schema.isPattern(/^[a-z0-9_-]{1,32}$/u, {
          message: "Expected 1 to 32 lower-case letters, digits, _ and -, such as web",
        }),
      ).annotate({
        description: "The platform on which the user writes.",
        default: "web",
        examples: ["web"],
      }),
    ),
    sessionToken: Schema.optionalKey(
      SessionToken.annotate({
        description:
          "Names the conversation: chosen by the client, or a `session_id` that was answered before. Absent: a new conversation. Anyone who knows the name continues the conversation, so it should be random, such as a UUID. One of fewer than 16 characters names the conversation only for the API key that opened it, and is remarked upon in `x-parley-notice`, or refused (400) by a server whose settings say so.",
      }),
    ),
    id: Schema.optionalKey(SessionToken.annotate({ description: "AI SDK name of `sessionToken`." })),
    trigger: Schema.optionalKey(
      Schema.Unknown.annotate({
        description:
          "`regenerate-message`, as AI SDKs send it, asks for the reply to the last message again. The model sees what was said before that message, and nothing of what was said after.",
      }),
    ),
    messageId: Schema.optionalKey(
      Schema.Unknown.annotate({
        description:
          "With `submit-message` as `trigger`, as AI SDKs send it: the `id` of the message that the last one stands in place of.",
      }),
    ),
  }),
  success: HttpApiSchema.WithHeaders(ChatReply, ReplyHeaders),
  error: chatFailures(Problem),
})
  .middleware(Idempotent.repeatable)
  .middleware(RequestBody)
  .annotateMerge(slow(requestCosts.chat))
  .annotate(RequiredScope, "chat")
  .annotateMerge(
    OpenApi.annotations({
      summary: "Chat",
      description:
        "Answers the last message. A key without `conversations:read` is not shown what the model was asked: the `request.body` of each step is empty; nor why a model failed. With `settings.isToolEnabled` the model searches the knowledge base with the tool `searchKnowledgeBase`; without, it is searched once with the user's message. The user's message is stored before the model is called.",
      transform: alsoStream(
        "The AI SDK's UI message stream, version 1: events `start` (with the id of the stored reply, and `session_id` in its metadata), `start-step`, `text-start`, `text-delta`, `text-end`, `tool-input-start`, `tool-input-available`, `tool-output-available`, `tool-output-error` (tools are `dynamic`), `source-document` (`source-url` where the document is a page), `finish-step`, `finish` (with `written_by`, `model` or `rule`, in its metadata), `error` and `abort`, then `[DONE]`. With `steps=true`, a transient `data-step` comes before each `finish-step`: the entry that `steps` of the JSON has, without `response.messages`. A comment comes every now and then, so that nothing in between takes the connection for dead. What fails before the first event is answered with a status; what fails after it is an `error` event, before which `data-explanation` has the `explanation` of a failure, if the key may know it. When the client leaves, the model is stopped, and what there is of the reply is kept.",
      ),
    }),
  )

const TrialReply = Schema.Struct({ ...Struct.omit(ChatReply.fields, ["session_id"]), written_by: WrittenBy })

const tryChat = HttpApiEndpoint.post("tryChat", "/api/external/chatbot/:chatbotId/chat/try", {
  params: { chatbotId: ChatbotId },
  query: streaming,
  payload: Schema.Struct({
    messages: ChatMessages.annotate({ description: "The conversation, whose last message is answered." }),
    prompt: Schema.optionalKey(Settings.fields.prompt).annotate({
      description: "System instruction in place of the chatbot's own.",
      examples: ["Answer in one sentence."],
    }),
    model: Schema.optionalKey(Settings.fields.model).annotate({
      description: "Model in place of the chatbot's own. No fallback model is asked when it fails.",
      examples: ["local/extractive"],
    }),
  }),
  success: TrialReply,
  error: chatFailures(Problem),
})
  // A misspelled setting would be answered as if none had been named.
  .annotate(HttpApi.PayloadParseOptions, { onExcessProperty: "error" })
  .middleware(Idempotent.repeatable)
  .middleware(RequestBody)
  .annotateMerge(slow(requestCosts.chat))
  .annotate(RequiredScope, "chatbots:write")
  .annotate(AlsoRequires, ["chat"])
  .annotateMerge(
    OpenApi.annotations({
      summary: "Try other settings",
      description:
        "Answers the last message as the chatbot would with another prompt or model, so that settings can be compared before they are saved. No conversation is stored and no e-mail address is asked for. What the reply uses counts like that of a chat, toward the same limits and budgets, and tools are called as in a chat. The key needs the scope `chat` as well.",
      transform: alsoStream("As of a chat, without `start`."),
    }),
  )

/** The endpoints of a chat: operation 8 of the source specification, and a trial of other settings. */
export class ChatApi extends HttpApiGroup.make("chat")
  .add(chat, tryChat)
  .annotateMerge(OpenApi.annotations({ title: "Chat", description: "Replies, with the steps that led to them." }))
  .middleware(Authorization)
  .middleware(Problems) {}
