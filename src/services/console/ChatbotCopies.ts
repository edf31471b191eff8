import { Context, Effect, Layer, Result, Stream } from "effect"
import { SecureRandom } from "effect/crypto"
import { Blobs } from "../../blobs/Blobs.ts"
import { BlobStore } from "../../blobs/BlobStore.ts"
import { Caller } from "../../domain/Caller.ts"
import type { ChatbotCopyInput } from "../../domain/chatbot/Chatbot.ts"
import { freeSlug, slugOf } from "../../domain/chatbot/Slug.ts"
import { avatarKey } from "../../domain/BlobKey.ts"
import type { ChatbotId } from "../../domain/Ids.ts"
import * as Rows from "../../storage/chatbots/Chatbots.ts"
import * as Storage from "../../storage/chatbots/ChatbotCopies.ts"
import { cut } from "../../text/Cut.ts"
import { boundToOne, Chatbots } from "../Chatbots.ts"

const NAME_MAX_LENGTH = 200
const SUFFIX = " (copy)"

/** Copies of chatbots: their configuration, without documents, conversations and API keys. */
export class ChatbotCopies extends Context.Service<ChatbotCopies>()("parley/services/console/ChatbotCopies", {
  make: Effect.gen(function* () {
    const storage = yield* Storage.ChatbotCopies
    const rows = yield* Rows.Chatbots
    const chatbots = yield* Chatbots
    const blobs = yield* Blobs
    const store = yield* BlobStore
    const random = yield* SecureRandom.SecureRandom

    /** Stores an image once more, because every chatbot owns its avatar. Returns null where it is lost. */
    const copyAvatar = Effect.fnUntraced(function* (source: string) {
      const found = yield* Effect.result(store.get(source))
      if (Result.isFailure(found)) return found.failure._tag === "Unavailable" ? yield* found.failure : null
      const image = found.success
      const key = avatarKey(`${yield* random.uuidV4()}${source.slice(source.lastIndexOf("."))}`)
      yield* blobs.put(key, Stream.succeed(image))
      return key
    })

    return {
      duplicate: Effect.fn("ChatbotCopies.duplicate")(function* (source: ChatbotId, difference: ChatbotCopyInput) {
        if ((yield* Caller).chatbotId !== null) return yield* boundToOne
        const original = yield* rows.get(source)
        const name = difference.name ?? cut(original.name, NAME_MAX_LENGTH - SUFFIX.length) + SUFFIX
        const avatar = original.avatar_blob === null ? null : yield* copyAvatar(original.avatar_blob)
        const copyAs = (slug: string) =>
          Effect.flatMap(storage.copy(source, { name, slug, avatar }), (id) => chatbots.get(id))
        if (difference.slug !== undefined) return yield* copyAs(difference.slug)
        const suggested = slugOf(name)
        return yield* copyAs(yield* freeSlug(suggested, rows.slugsInUse)).pipe(
          // Another request took the slug.
          Effect.catchTag("SlugTaken", () =>
            Effect.flatMap(random.uuidV4(), (id) => copyAs(`${suggested}-${id.slice(0, 8)}`)),
          ),
        )
      }),
    }
  }),
}) {
  static readonly layer = Layer.effect(this, this.make)
}
