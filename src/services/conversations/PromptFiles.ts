import { Effect } from "effect"
import { BlobStore } from "../../blobs/BlobStore.ts"
import {
  type ChatFile,
  PROMPT_IMAGE_MAX_BYTES,
  PROMPT_IMAGES_MAX_BYTES,
  PROMPT_IMAGES_MAX_COUNT,
} from "../../domain/chat/Attachment.ts"
import type { MessageId, SessionId } from "../../domain/Ids.ts"
import { Service } from "../../domain/Service.ts"
import { Attachments } from "../../storage/conversations/Attachments.ts"

/** The files of conversations as models get them. */
export class PromptFiles extends Service<PromptFiles>()("parley/services/conversations/PromptFiles", function* () {
  const attachments = yield* Attachments
  const store = yield* BlobStore

  const contentOf = (key: string) =>
    store.get(key).pipe(
      Effect.map((content) => Buffer.from(content).toString("base64")),
      Effect.catchTag(["BlobDamaged", "BlobNotFound"], () => Effect.undefined),
    )

  return {
    /**
     * Returns the files of a conversation by their messages: the latest images with their contents, as far as prompts
     * hold them, and the others by name.
     */
    of: Effect.fn("PromptFiles.of")(function* (session: SessionId) {
      const files = new Map<MessageId, ReadonlyArray<ChatFile>>()
      let [count, bytes] = [PROMPT_IMAGES_MAX_COUNT, PROMPT_IMAGES_MAX_BYTES]
      for (const { blob_key, media_type, message_id, name, size } of yield* attachments.sentIn(session)) {
        const fits = count > 0 && size <= Math.min(bytes, PROMPT_IMAGE_MAX_BYTES)
        const data = fits && media_type.startsWith("image/") ? yield* contentOf(blob_key) : undefined
        if (data !== undefined) {
          count--
          bytes -= size
        }
        files.set(message_id, [{ name, mediaType: media_type, data }, ...(files.get(message_id) ?? [])])
      }
      return files
    }),
  }
}) {}
