import { Context, Effect, Layer, Schema, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { ChatbotSummary } from "../../api/chatbots/Chatbots.ts"
import { Chatbot, ChatbotPatch } from "../../domain/chatbot/Chatbot.ts"
import { ChatWidgetConfig, ChatWidgetPatch } from "../../domain/chatbot/ChatWidget.ts"
import { InvalidRequest } from "../../domain/Errors.ts"
import type { ChatbotId } from "../../domain/Ids.ts"
import { inTurns } from "../../system/InTurns.ts"
import { VoiceWidgetConfig, VoiceWidgetPatch } from "../../domain/chatbot/VoiceWidget.ts"
import { Chatbots } from "../../services/chatbots/Chatbots.ts"
import { Shares } from "../../admission/Shares.ts"
import { avatarHandlers } from "./Avatars.ts"
import { changes } from "../Changes.ts"
import { withEtag } from "../Etag.ts"
import { nextPage, rangeOf } from "../Listing.ts"
import { group } from "../Group.ts"

/** Chatbots that a list reads at once. A thousand chatbots may have a thousand long prompts. */
const READ_AT_ONCE = 20
/** Chunks of a list that is sent at once: its beginning, the chatbots that are read at once, and its end. */
const SMALL_LIST = 3

const encodeSummary = Schema.encodeSync(ChatbotSummary)
const summaryOf = (chatbot: Chatbot): string => JSON.stringify(encodeSummary(chatbot))

/** The chatbot that an update names by `id` or by its alias `chatbotId`. */
const target = (query: { readonly id?: ChatbotId; readonly chatbotId?: ChatbotId }) => {
  const id = query.id ?? query.chatbotId
  if (id === undefined) return Effect.fail(InvalidRequest.at("query.id", "Expected the id of the chatbot to update"))
  return query.chatbotId === undefined || query.chatbotId === id
    ? Effect.succeed(id)
    : Effect.fail(InvalidRequest.at("query.chatbotId", "Expected the same chatbot as in id"))
}

/**
 * Responds with a list of chatbots from its JSON in chunks. A page may have some megabytes, which would block the event
 * loop if they were joined and sent at once.
 */
const respondWithList = (
  chunks: ReadonlyArray<Uint8Array>,
  headers: Readonly<Record<string, string>>,
): HttpServerResponse.HttpServerResponse => {
  const options = { contentType: "application/json", headers }
  return chunks.length <= SMALL_LIST
    ? HttpServerResponse.uint8Array(Buffer.concat(chunks), options)
    : HttpServerResponse.stream(Stream.fromIterable(chunks, { chunkSize: 1 }), options)
}

const chatbotChange = changes(Chatbot, ChatbotPatch)
/** Size from which on a list of chatbots ends early and names the next page: slow clients keep it in memory. */
export const ListBytes: Context.Reference<number> = Context.Reference<number>("parley/http/chatbots/ListBytes", {
  defaultValue: () => 4 * 1024 * 1024,
})

const chatWidgetChange = changes(ChatWidgetConfig, ChatWidgetPatch)
const voiceAgentChange = changes(VoiceWidgetConfig, VoiceWidgetPatch)

const manage = group("chatbots", function* (handlers) {
  const chatbots = yield* Chatbots
  const shares = yield* Shares
  const pageBytes = yield* ListBytes
  const { updateAvatar } = yield* avatarHandlers

  return handlers.handleAll({
    duplicate: ({ params, payload }) =>
      Effect.map(chatbots.duplicate(params.chatbotId, payload), (chatbot) =>
        withEtag({ chatbot, message: "Chatbot duplicated successfully" as const }, chatbot),
      ),

    create: ({ payload }) =>
      Effect.map(chatbots.create(payload), (chatbot) =>
        withEtag({ chatbot, message: "Chatbot created successfully" as const }, chatbot),
      ),

    update: Effect.fnUntraced(function* ({ query, payload, headers }) {
      const chatbot = yield* chatbots.update(yield* target(query), chatbotChange(payload), headers["if-match"])
      return withEtag({ chatbot, message: "Chatbot updated successfully" as const }, chatbot)
    }),

    list: Effect.fnUntraced(function* ({ query, request }) {
      // Held until the client has received the list, which the server keeps in memory until then.
      yield* shares.hold("lists")
      const { items, next } = yield* chatbots.list(rangeOf(query))
      const chunks: Array<Uint8Array> = [Buffer.from('{"chatbots":[')]
      let [bytes, shown] = [0, 0]
      while (shown < items.length && bytes < pageBytes) {
        const some = items.slice(shown, shown + READ_AT_ONCE)
        const found = yield* inTurns(yield* chatbots.getMany(some.map(({ id }) => id)), summaryOf)
        const chunk = Buffer.from(`${shown === 0 ? "" : ","}${found.join(",")}`)
        chunks.push(chunk)
        bytes += chunk.length
        shown += some.length
      }
      const { body, headers } = nextPage(request.url, query, shown < items.length ? items[shown - 1] : next)
      const rest = Object.entries(body).map(([name, value]) => `,${JSON.stringify(name)}:${JSON.stringify(value)}`)
      chunks.push(Buffer.from(`]${rest.join("")}}`))
      return respondWithList(chunks, headers)
    }),

    get: ({ params }) =>
      Effect.map(chatbots.get(params.chatbotId), (chatbot: Chatbot) => withEtag({ chatbot }, chatbot)),

    delete: ({ params }) =>
      Effect.as(chatbots.remove(params.chatbotId), { message: "Chatbot deleted successfully" as const }),

    updateAvatar,

    getChatWidget: ({ params }) =>
      Effect.map(chatbots.chatWidget(params.chatbotId), (found) =>
        withEtag({ chat_widget_config: found.config }, found),
      ),

    getVoiceAgent: ({ params }) =>
      Effect.map(chatbots.voiceAgent(params.chatbotId), (found) =>
        withEtag({ voice_widget_config: found.config, voice: found.voice }, found),
      ),

    updateChatWidget: ({ params, payload, headers }) =>
      Effect.map(
        chatbots.updateChatWidget(params.chatbotId, chatWidgetChange(payload), headers["if-match"]),
        (updated) =>
          withEtag(
            {
              chat_widget_config: updated.config,
              message: "Chat widget config updated successfully" as const,
            },
            updated,
          ),
      ),

    updateVoiceAgent: ({ params, payload, headers }) =>
      Effect.map(
        chatbots.updateVoiceAgent(params.chatbotId, voiceAgentChange(payload), headers["if-match"]),
        (updated) =>
          withEtag(
            {
              message: "Voice widget config updated successfully" as const,
              voice_widget_config: updated.config,
            },
            updated,
          ),
      ),
  })
})

const overview = group("overview", function* (handlers) {
  const chatbots = yield* Chatbots

  return handlers.handleAll({ totals: () => Effect.bindTo(chatbots.totals, "totals") })
})

export const layer = Layer.merge(manage, overview)
