import { Array, Effect, FileSystem, Schema, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder, HttpApiSchema } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { AvatarForm, ChatbotSummary } from "../api/Chatbots.ts"
import { Config } from "../Config.ts"
import { Caller, ensureServes } from "../domain/Caller.ts"
import { Chatbot, ChatbotPatch, ChatWidgetConfig, ChatWidgetPatch } from "../domain/chatbot/Chatbot.ts"
import { Forbidden, InvalidRequest } from "../domain/Errors.ts"
import type { ChatbotId } from "../domain/Ids.ts"
import { inTurns } from "../system/InTurns.ts"
import { VoiceWidgetConfig, VoiceWidgetPatch } from "../domain/chatbot/VoiceWidget.ts"
import { Chatbots, etagOf } from "../services/Chatbots.ts"
import { changes } from "./Changes.ts"
import { nextPage, rangeOf } from "./Listing.ts"
import { Uploads } from "./Uploads.ts"

/** Chatbots that are read, and made into text, at once: a list of them can be as large as a thousand prompts. */
const READ_AT_ONCE = 50

const encodeSummary = Schema.encodeSync(ChatbotSummary)
const summaryOf = (chatbot: Chatbot): string => JSON.stringify(encodeSummary(chatbot))

const withEtag = <A>(body: A, chatbot: { readonly version: bigint }) =>
  HttpApiSchema.withHeaders({ body, headers: { etag: etagOf(chatbot) } })

/** The chatbot that an update names, by either parameter. */
const target = (query: { readonly id?: ChatbotId; readonly chatbotId?: ChatbotId }) => {
  const id = query.id ?? query.chatbotId
  if (id === undefined) return Effect.fail(InvalidRequest.at("query.id", "Expected the id of the chatbot to update"))
  if (query.chatbotId !== undefined && query.chatbotId !== id) {
    return Effect.fail(InvalidRequest.at("query.chatbotId", "Expected the same chatbot as in id"))
  }
  return Effect.as(ensureServes(id), id)
}

const chatbotChange = changes(Chatbot, ChatbotPatch)
const chatWidgetChange = changes(ChatWidgetConfig, ChatWidgetPatch)
const voiceAgentChange = changes(VoiceWidgetConfig, VoiceWidgetPatch)

export const layer = HttpApiBuilder.group(
  Api,
  "chatbots",
  Effect.fn(function* (handlers) {
    const chatbots = yield* Chatbots
    const files = yield* FileSystem.FileSystem
    const uploads = yield* Uploads
    const { avatarLimit } = (yield* Config).requests

    return handlers.handleAll({
      create: ({ payload }) =>
        Effect.gen(function* () {
          if ((yield* Caller).chatbotId !== null) {
            return yield* new Forbidden({
              detail: "This API key is bound to one chatbot, so it cannot create another.",
            })
          }
          const chatbot = yield* chatbots.create(payload)
          return withEtag({ chatbot, message: "Chatbot created successfully" as const }, chatbot)
        }),

      update: ({ query, payload, headers }) =>
        Effect.gen(function* () {
          const chatbot = yield* chatbots.update(yield* target(query), chatbotChange(payload), headers["if-match"])
          return withEtag({ chatbot, message: "Chatbot updated successfully" as const }, chatbot)
        }),

      list: ({ query, request }) =>
        Effect.gen(function* () {
          const { items, next } = yield* chatbots.list(rangeOf(query))
          const { body, headers } = nextPage(request.url, query, next)
          const rest = Object.entries(body).map(([name, value]) => `,${JSON.stringify(name)}:${JSON.stringify(value)}`)
          const parts = yield* Effect.forEach(Array.chunksOf(items, READ_AT_ONCE), (some) =>
            chatbots.getMany(some.map(({ id }) => id)).pipe(
              Effect.flatMap((found) => inTurns(found, summaryOf)),
              Effect.map((texts) => texts.join(",")),
            ),
          )
          const pieces = parts.filter((part) => part !== "").map((part, index) => (index === 0 ? part : `,${part}`))
          const options = { contentType: "application/json", headers }
          // As one text, what is long would be copied more than once, while others wait.
          return pieces.length > 1
            ? HttpServerResponse.stream(
                Stream.encodeText(Stream.make('{"chatbots":[', ...pieces, `]${rest.join("")}}`)),
                options,
              )
            : HttpServerResponse.text(`{"chatbots":[${pieces.join("")}]${rest.join("")}}`, options)
        }),

      get: ({ params }) =>
        Effect.map(chatbots.get(params.chatbotId), (chatbot: Chatbot) => withEtag({ chatbot }, chatbot)),

      delete: ({ params }) =>
        Effect.as(chatbots.remove(params.chatbotId), { message: "Chatbot deleted successfully" as const }),

      updateAvatar: ({ params, payload, headers }) =>
        Effect.gen(function* () {
          const { avatar } = yield* uploads.receive(AvatarForm, payload, { fileSize: avatarLimit, files: 1 })
          const image = yield* Effect.orDie(files.readFile(avatar.path))
          const chatbot = yield* chatbots.updateAvatar(params.chatbotId, image, headers["if-match"])
          return withEtag({ chatbot, message: "Avatar updated successfully" as const }, chatbot)
        }),

      getChatWidget: ({ params }) =>
        Effect.map(chatbots.chatWidget(params.chatbotId), (found) =>
          withEtag({ chat_widget_config: found.config }, found),
        ),

      getVoiceAgent: ({ params }) =>
        Effect.map(chatbots.voiceAgent(params.chatbotId), (found) =>
          withEtag({ voice_widget_config: found.config }, found),
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
  }),
)
