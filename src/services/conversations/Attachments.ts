import { Effect, Stream } from "effect"
import { SecureRandom } from "effect/crypto"
import { Blobs } from "../../blobs/Blobs.ts"
import { BlobStore } from "../../blobs/BlobStore.ts"
import { attachmentKey } from "../../domain/BlobKey.ts"
import { type Attachment, AttachmentId, attachmentType, isWhole, withExtension } from "../../domain/chat/Attachment.ts"
import { Forbidden, NotFound, UnsafeFile, UnsupportedMediaType } from "../../domain/Errors.ts"
import type { ChatbotId } from "../../domain/Ids.ts"
import { displayName } from "../../domain/knowledge/Document.ts"
import type { Visitor } from "../../domain/widget/Visitor.ts"
import { Service } from "../../domain/Service.ts"
import { Extract } from "../../readers/Extract.ts"
import { Chatbots } from "../../storage/chatbots/Chatbots.ts"
import * as Storage from "../../storage/conversations/Attachments.ts"
import { Quotas } from "../../storage/organizations/Quotas.ts"
import { prepared } from "../Preparation.ts"
import { PublicUrl } from "../PublicUrl.ts"
import { unguessableText } from "../../system/UnguessableId.ts"

const noAttachment = new NotFound({ detail: "There is no such attachment." })
const notAllowed = new Forbidden({ detail: "Visitors of this chatbot may not send files." })

const SECRET_BYTES = 16

/** A file that was received. */
export interface ReceivedAttachment {
  /** The file name that the client sent. */
  readonly name: string
  readonly bytes: Uint8Array
}

/** Files of messages. Everyone who knows the address of one may read it. */
export class Attachments extends Service<Attachments>()("parley/services/conversations/Attachments", function* () {
  const storage = yield* Storage.Attachments
  const { examine } = yield* Extract
  const chatbots = yield* Chatbots
  const quotas = yield* Quotas
  const blobs = yield* Blobs
  const files = yield* BlobStore
  const random = yield* SecureRandom.SecureRandom
  const publicUrl = yield* PublicUrl

  const store = Effect.fnUntraced(function* (visitor: string | undefined, { bytes, ...received }: ReceivedAttachment) {
    const type = yield* inspect(displayName(received.name), bytes, examine)
    const name = withExtension(displayName(received.name), type)
    const id = AttachmentId.make(yield* random.uuidV7())
    const secret = yield* unguessableText(random, SECRET_BYTES)
    const blob_key = attachmentKey(yield* random.uuidV4(), bytes.length)
    const url = `${publicUrl}/api/attachments/${id}/${secret}/${encodeURIComponent(name)}`
    const attachment: Attachment = { id, name, url, media_type: type, size: bytes.length }
    yield* quotas.ensureRoom({ bytes: bytes.length })
    yield* blobs.put(blob_key, Stream.succeed(bytes))
    return { attachment, row: { ...attachment, visitor, blob_key, secret } }
  })

  const add = Effect.fnUntraced(function* <E, R>(
    chatbot: ChatbotId,
    visitor: string | undefined,
    receive: Effect.Effect<ReceivedAttachment, E, R>,
  ) {
    const { attachment, row } = yield* prepared(Effect.flatMap(receive, (file) => store(visitor, file)))
    yield* storage.add(chatbot, row)
    return attachment
  })

  return {
    /** Receives a file for a message that a person, or a program, sends in a conversation of the chatbot. */
    add: Effect.fn("Attachments.add")(function* <E, R>(
      chatbot: ChatbotId,
      receive: Effect.Effect<ReceivedAttachment, E, R>,
    ) {
      yield* chatbots.get(chatbot)
      return yield* add(chatbot, undefined, receive)
    }),

    /** Receives a file for a message of a visitor, where the chatbot allows it. */
    addOfVisitor: Effect.fn("Attachments.addOfVisitor")(function* <E, R>(
      { chatbotId, id }: Visitor["Service"],
      receive: Effect.Effect<ReceivedAttachment, E, R>,
    ) {
      const { settings } = yield* chatbots.get(chatbotId)
      return settings.attachments === true ? yield* add(chatbotId, id, receive) : yield* notAllowed
    }),

    /** Returns the file with this address. */
    get: Effect.fn("Attachments.get")(function* (id: AttachmentId, secret: string) {
      const found = yield* storage.at(id, secret)
      if (found === undefined) return yield* noAttachment
      const content = yield* Effect.catchTag(files.get(found.blob_key), ["BlobDamaged", "BlobNotFound"], () =>
        Effect.fail(noAttachment),
      )
      return { ...found, content }
    }),
  }
}) {}

/** Tells the type of a file by its content, and refuses one that may do harm or that others could not open. */
const inspect = Effect.fnUntraced(function* (name: string, bytes: Uint8Array, examine: Extract["Service"]["examine"]) {
  const type = attachmentType(bytes)
  if (type === undefined) {
    return yield* new UnsupportedMediaType({ detail: `${name}: Expected a PNG, JPEG, WebP or GIF image, or a PDF.` })
  }
  if (!isWhole(bytes, type)) return yield* new UnsafeFile({ detail: `${name}: The end of the file is missing.` })
  if (type !== "application/pdf") return type
  const content = yield* examine(new Blob([bytes]))
  if (content === "passive") return type
  return yield* new UnsafeFile({
    detail:
      content === "active"
        ? `${name}: The PDF has scripts or files in it, starts programs, or opens addresses. Print it to a new PDF.`
        : `${name}: The PDF is protected or damaged, so that it cannot be examined. Print it to a new PDF.`,
  })
})
