import { Schema, Struct } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Chatbot, ChatbotCopyInput, ChatbotInput, ChatbotPatch } from "../../domain/chatbot/Chatbot.ts"
import { ChatWidgetConfig, ChatWidgetPatch } from "../../domain/chatbot/ChatWidget.ts"
import { ChatbotId, optionalId } from "../../domain/Ids.ts"
import { VoiceWidgetConfig, VoiceWidgetPatch } from "../../domain/chatbot/VoiceWidget.ts"
import { WidgetVoice } from "../../domain/widget/Widget.ts"
import { ChatbotTotals } from "../../domain/overview/ChatbotTotals.ts"
import { requestCosts } from "../../domain/organizations/RateLimit.ts"
import { described, RequestCost } from "../parts/Annotations.ts"
import { updateAvatar } from "./Avatars.ts"
import { IfMatch, withEtag } from "../parts/Etag.ts"
import { Authorization, Idempotent, Problems, RequestBody, RequiredScope } from "../Middleware.ts"
import { cursorQuery, nextCursor, withLink } from "../parts/Paging.ts"
import { Problem } from "../failures/Problem.ts"
import { changeDescription, ChangePayload } from "../parts/ChangePayload.ts"

/** A chatbot as lists show it, without the fields that only `GET` of the chatbot itself answers. */
export const ChatbotSummary = Chatbot.mapFields(
  Struct.omit(["docs_metadata", "managers", "migrated_data", "llm_api_key", "v1_chatbot_id"]),
).annotate({ identifier: "ChatbotSummary" })

const chatbotPath = "/api/external/chatbot/:chatbotId"
const params = { chatbotId: ChatbotId }

const create = HttpApiEndpoint.post("create", "/api/external/chatbots", {
  payload: ChatbotInput,
  success: withEtag(Schema.Struct({ chatbot: Chatbot, message: Schema.Literal("Chatbot created successfully") })),
  error: [Problem.SlugTaken, Problem.QuotaReached],
})
  .middleware(Idempotent.inTransaction)
  .middleware(RequestBody)
  .annotate(RequiredScope, "chatbots:write")
  .annotateMerge(
    described(
      "Create a chatbot",
      "Only `name` is required. `slug` is derived from the name when absent; everything else has a default. Unknown and read-only fields are refused.",
    ),
  )

const update = HttpApiEndpoint.patch("update", "/api/external/chatbots", {
  query: {
    id: optionalId(ChatbotId, "The chatbot to change."),
    chatbotId: optionalId(ChatbotId, "Alias of `id`."),
  },
  headers: IfMatch,
  payload: ChangePayload(ChatbotPatch),
  success: withEtag(Schema.Struct({ chatbot: Chatbot, message: Schema.Literal("Chatbot updated successfully") })),
  error: [Problem.NotFound, Problem.SlugTaken, Problem.PreconditionFailed],
})
  .middleware(Idempotent.inTransaction)
  .middleware(RequestBody)
  .annotate(RequiredScope, "chatbots:write")
  .annotateMerge(
    OpenApi.annotations({
      summary: "Update a chatbot",
      description: `Objects merge field by field and absent fields stay, so concurrent updates of different fields are all kept. \`settings.avatar\`, \`voice_widget_config\` and its fields can be unset by null. ${changeDescription}`,
    }),
  )

const list = HttpApiEndpoint.get("list", "/api/external/chatbots", {
  query: cursorQuery,
  success: withLink(Schema.Struct({ chatbots: Schema.Array(ChatbotSummary), ...nextCursor })),
  error: Problem.TooManyAtOnce,
})
  .annotate(RequiredScope, "chatbots:read")
  .annotateMerge(
    described(
      "List chatbots",
      "Newest first. A page that has reached some megabytes ends early, also when neither `limit` nor `cursor` was sent: `next_cursor` and `Link` then say where the list goes on.",
    ),
  )

const get = HttpApiEndpoint.get("get", chatbotPath, {
  params,
  success: withEtag(Schema.Struct({ chatbot: Chatbot })),
  error: Problem.NotFound,
})
  .annotate(RequiredScope, "chatbots:read")
  .annotateMerge(
    described("Get a chatbot", "All of its configuration. The `ETag` names this version of it, for `If-Match`."),
  )

const remove = HttpApiEndpoint.delete("delete", chatbotPath, {
  params,
  success: Schema.Struct({ message: Schema.Literal("Chatbot deleted successfully") }),
  error: Problem.NotFound,
})
  .annotate(RequestCost, requestCosts.bulk)
  .annotate(RequiredScope, "chatbots:write")
  .annotateMerge(described("Delete a chatbot", "With its documents, conversations, avatar and the keys bound to it."))

const duplicate = HttpApiEndpoint.post("duplicate", `${chatbotPath}/duplicate`, {
  params,
  payload: ChatbotCopyInput,
  success: withEtag(Schema.Struct({ chatbot: Chatbot, message: Schema.Literal("Chatbot duplicated successfully") })),
  error: [Problem.NotFound, Problem.SlugTaken, Problem.QuotaReached, Problem.Conflict],
})
  .middleware(Idempotent.prepared)
  .middleware(RequestBody)
  .annotate(RequestCost, requestCosts.bulk)
  .annotate(RequiredScope, "chatbots:write")
  .annotateMerge(
    described(
      "Duplicate a chatbot",
      "A new chatbot with the configuration of this one: its settings, widget, voice, avatar and tools with their secret headers. It has no documents, no conversations and no API keys, and `is_public` is false. 409 when the headers of a tool cannot be decrypted. A key that is bound to a chatbot may not (403).",
    ),
  )

const updateChatWidget = HttpApiEndpoint.patch("updateChatWidget", `${chatbotPath}/chat-widget`, {
  params,
  headers: IfMatch,
  payload: ChangePayload(ChatWidgetPatch),
  success: withEtag(
    Schema.Struct({
      chat_widget_config: ChatWidgetConfig,
      message: Schema.Literal("Chat widget config updated successfully"),
    }),
  ),
  error: [Problem.NotFound, Problem.PreconditionFailed],
})
  .middleware(Idempotent.inTransaction)
  .middleware(RequestBody)
  .annotate(RequiredScope, "chatbots:write")
  .annotateMerge(described("Update the chat widget", `Merges into the stored configuration. ${changeDescription}`))

const getChatWidget = HttpApiEndpoint.get("getChatWidget", `${chatbotPath}/chat-widget`, {
  params,
  success: withEtag(Schema.Struct({ chat_widget_config: ChatWidgetConfig })),
  error: Problem.NotFound,
})
  .annotate(RequiredScope, "chatbots:read")
  .annotateMerge(described("Get the chat widget", "The configuration as it is stored."))

const getVoiceAgent = HttpApiEndpoint.get("getVoiceAgent", `${chatbotPath}/voice-agent`, {
  params,
  success: withEtag(Schema.Struct({ voice_widget_config: Schema.NullOr(VoiceWidgetConfig), voice: WidgetVoice })),
  error: Problem.NotFound,
})
  .annotate(RequiredScope, "chatbots:read")
  .annotateMerge(
    described(
      "Get the voice agent",
      "The configuration as it is stored: what has been set so far, null until anything was. `voice` is what calls go by: with defaults filled in, and with where speech is understood and spoken.",
    ),
  )

const updateVoiceAgent = HttpApiEndpoint.patch("updateVoiceAgent", `${chatbotPath}/voice-agent`, {
  params,
  headers: IfMatch,
  payload: ChangePayload(VoiceWidgetPatch),
  success: withEtag(
    Schema.Struct({
      message: Schema.Literal("Voice widget config updated successfully"),
      voice_widget_config: VoiceWidgetConfig,
    }),
  ),
  error: [Problem.NotFound, Problem.PreconditionFailed],
})
  .middleware(Idempotent.inTransaction)
  .middleware(RequestBody)
  .annotate(RequiredScope, "chatbots:write")
  .annotateMerge(
    described(
      "Update the voice agent",
      `Merges into the stored configuration; null unsets a field. ${changeDescription}`,
    ),
  )

/** The endpoints of chatbots and their widgets: operations 1 to 7 of the source specification, and more. */
export class ChatbotsApi extends HttpApiGroup.make("chatbots")
  .add(
    create,
    duplicate,
    update,
    list,
    get,
    remove,
    updateAvatar,
    getChatWidget,
    updateChatWidget,
    getVoiceAgent,
    updateVoiceAgent,
  )
  .annotate(HttpApi.PayloadParseOptions, { onExcessProperty: "error" })
  .annotateMerge(OpenApi.annotations({ title: "Chatbots", description: "Chatbots, their look and their voice." }))
  .middleware(Authorization)
  .middleware(Problems) {}

const totals = HttpApiEndpoint.get("totals", "/api/external/chatbots/totals", {
  success: Schema.Struct({ totals: Schema.Array(ChatbotTotals) }),
})
  .annotate(RequiredScope, "chatbots:read")
  .annotate(RequestCost, requestCosts.bulk)
  .annotateMerge(
    described(
      "Get the totals of chatbots",
      "Counts of the documents, sources, failing tests and recent conversations of each chatbot: of the newest 1,000 chatbots, in the order of their list. What the key's scopes do not cover is left out. A key that is bound to a chatbot sees that chatbot's.",
    ),
  )

/** The endpoint of an overview of chatbots. */
export class OverviewApi extends HttpApiGroup.make("overview")
  .add(totals)
  .annotateMerge(OpenApi.annotations({ title: "Overview", description: "Counts of what each chatbot has." }))
  .middleware(Authorization)
  .middleware(Problems) {}
