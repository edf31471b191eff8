import { Effect, FileSystem } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { AvatarForm } from "../../api/chatbots/Avatars.ts"
import { imageContentType } from "../../domain/chatbot/ImageFormats.ts"
import { Avatars } from "../../services/chatbots/Avatars.ts"
import { withEtag } from "../Etag.ts"
import { ReceivedForms } from "../ReceivedForms.ts"

/** Browsers execute nothing in an image, and cache it for ever: a new image has a new address. */
const headers = {
  "cache-control": "public, max-age=31536000, immutable",
  "content-security-policy": "default-src 'none'; sandbox",
  "cross-origin-resource-policy": "cross-origin",
}

/** Largest avatar: a photo as phones take them. */
const AVATAR_MAX_BYTES = 10 * 1024 * 1024

/** The handlers of avatars: `avatar` for the group `system`, and `updateAvatar` for the group `chatbots`. */
export const avatarHandlers = Effect.gen(function* () {
  const avatars = yield* Avatars
  const files = yield* FileSystem.FileSystem
  const uploads = yield* ReceivedForms

  return {
    avatar: HttpApiBuilder.handler(Api, "system", "avatar", ({ params }) =>
      Effect.map(avatars.get(params.name), (image) =>
        HttpServerResponse.uint8Array(image, {
          contentType: imageContentType(image) ?? "application/octet-stream",
          headers,
        }),
      ),
    ),

    updateAvatar: HttpApiBuilder.handler(
      Api,
      "chatbots",
      "updateAvatar",
      Effect.fnUntraced(function* ({ params, payload, headers }) {
        const form = uploads.receive(AvatarForm, payload, { fileSize: AVATAR_MAX_BYTES, files: 1 })
        const image = Effect.flatMap(form, ({ avatar }) => Effect.orDie(files.readFile(avatar.path)))
        const chatbot = yield* avatars.update(params.chatbotId, image, headers["if-match"])
        return withEtag({ chatbot, message: "Avatar updated successfully" as const }, chatbot)
      }),
    ),
  }
})
