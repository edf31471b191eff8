import { Effect, FileSystem } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { AttachmentForm } from "../../api/conversations/Attachments.ts"
import { ATTACHMENT_MAX_BYTES } from "../../domain/chat/Attachment.ts"
import { Visitor } from "../../domain/widget/Visitor.ts"
import { Attachments } from "../../services/conversations/Attachments.ts"
import { ReceivedForms } from "../ReceivedForms.ts"
import { group } from "../Group.ts"

/** Browsers execute nothing in a file, and keep it for the one who looks at it: its address has no other content. */
const headers = {
  "cache-control": "private, max-age=31536000, immutable",
  "content-security-policy": "default-src 'none'; sandbox",
  "cross-origin-resource-policy": "cross-origin",
}

/** The handlers of attachments in the groups `attachments`, `widget` and `system`. */
export const attachmentHandlers = Effect.gen(function* () {
  const attachments = yield* Attachments
  const files = yield* FileSystem.FileSystem
  const uploads = yield* ReceivedForms

  const received = Effect.fnUntraced(function* (payload: Parameters<typeof uploads.receive>[1]) {
    const { file } = yield* uploads.receive(AttachmentForm, payload, { fileSize: ATTACHMENT_MAX_BYTES, files: 1 })
    return { name: file.name, bytes: yield* Effect.orDie(files.readFile(file.path)) }
  })

  return {
    upload: HttpApiBuilder.handler(Api, "attachments", "upload", ({ params, payload }) =>
      Effect.bindTo(attachments.add(params.chatbotId, received(payload)), "attachment"),
    ),

    uploadOfVisitor: HttpApiBuilder.handler(
      Api,
      "widget",
      "upload",
      Effect.fnUntraced(function* ({ payload }) {
        // Nothing of a visitor has an idempotency key.
        const file = Effect.catchTag(received(payload), ["IdempotencyInProgress", "IdempotencyKeyReused"], Effect.die)
        return { attachment: yield* attachments.addOfVisitor(yield* Visitor, file) }
      }),
    ),

    attachment: HttpApiBuilder.handler(
      Api,
      "system",
      "attachment",
      Effect.fnUntraced(function* ({ params }) {
        const { content, media_type, name } = yield* attachments.get(params.attachmentId, params.secret)
        const kind = media_type.startsWith("image/") ? "inline" : "attachment"
        return HttpServerResponse.uint8Array(content, {
          contentType: media_type,
          headers: { ...headers, "content-disposition": `${kind}; filename*=UTF-8''${encodeURIComponent(name)}` },
        })
      }),
    ),
  }
})

export const layer = group("attachments", function* (handlers) {
  const { upload } = yield* attachmentHandlers
  return handlers.handleAll({ upload })
})
