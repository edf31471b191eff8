import { Effect, FileSystem } from "effect"
import { HttpApiBuilder, HttpApiSchema } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { AvatarForm } from "../api/Chatbots.ts"
import { Config } from "../Config.ts"
import { Caller, ensureServes } from "../domain/Caller.ts"
import type { Chatbot } from "../domain/Chatbot.ts"
import { Forbidden, InvalidRequest } from "../domain/Errors.ts"
import type { ChatbotId } from "../domain/Ids.ts"
import { Chatbots, etagOf } from "../services/Chatbots.ts"
import { Uploads } from "./Uploads.ts"

/** All of an organization's chatbots in one answer, up to this many. */
const LIST_LIMIT = 1_000

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

export const layer = HttpApiBuilder.group(
  Api,
  "chatbots",
  Effect.fn(function* (handlers) {
    const chatbots = yield* Chatbots
    const files = yield* FileSystem.FileSystem
    const uploads = yield* Uploads
    const { avatarLimit } = yield* Config

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
          const chatbot = yield* chatbots.update(yield* target(query), payload, headers["if-match"])
          return withEtag({ chatbot, message: "Chatbot updated successfully" as const }, chatbot)
        }),

      list: ({ query: { limit, cursor } }) =>
        Effect.gen(function* () {
          const pageSize = limit ?? LIST_LIMIT
          const found = yield* chatbots.list(pageSize + 1, cursor)
          const page = found.slice(0, pageSize)
          if (limit === undefined && cursor === undefined) return { chatbots: page }
          return { chatbots: page, next_cursor: found.length > pageSize ? (page.at(-1)?.id ?? null) : null }
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

      updateChatWidget: ({ params, payload, headers }) =>
        Effect.map(chatbots.updateChatWidget(params.chatbotId, payload, headers["if-match"]), (updated) =>
          withEtag(
            {
              chat_widget_config: updated.config,
              message: "Chat widget config updated successfully" as const,
            },
            updated,
          ),
        ),

      updateVoiceAgent: ({ params, payload, headers }) =>
        Effect.map(chatbots.updateVoiceAgent(params.chatbotId, payload, headers["if-match"]), (updated) =>
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
