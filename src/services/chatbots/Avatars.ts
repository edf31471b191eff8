import { Context, Effect, Layer, Stream } from "effect"
import { SecureRandom } from "effect/crypto"
import { Blobs } from "../../blobs/Blobs.ts"
import { BlobStore } from "../../blobs/BlobStore.ts"
import { imageExtension } from "../../domain/chatbot/ImageFormats.ts"
import { avatarKey, isAvatarName } from "../../domain/BlobKey.ts"
import { NotFound, UnsupportedMediaType } from "../../domain/Errors.ts"
import type { ChatbotId } from "../../domain/Ids.ts"
import type { IfMatch } from "../Versions.ts"
import { Chatbots } from "./Chatbots.ts"

const noAvatar = new NotFound({ detail: "There is no such avatar." })

/** The images of chatbots. They are stored as blobs, and everyone who knows the address of one may see it. */
export class Avatars extends Context.Service<Avatars>()("parley/services/chatbots/Avatars", {
  make: Effect.gen(function* () {
    const chatbots = yield* Chatbots
    const blobs = yield* Blobs
    const store = yield* BlobStore
    const random = yield* SecureRandom.SecureRandom

    return {
      /** Returns the image with this name, the last segment of the avatar's address. */
      get: (name: string) =>
        isAvatarName(name)
          ? Effect.catchTag(store.get(avatarKey(name)), ["BlobDamaged", "BlobNotFound"], () => Effect.fail(noAvatar))
          : Effect.fail(noAvatar),

      /** Replaces the avatar of a chatbot. Every avatar has an address of its own. */
      update: Effect.fn("Avatars.update")(function* (chatbot: ChatbotId, image: Uint8Array, ifMatch: IfMatch) {
        const extension = imageExtension(image)
        if (extension === undefined) {
          return yield* new UnsupportedMediaType({ detail: "avatar: Expected a PNG, JPEG, WebP or GIF image." })
        }
        // Fails early for an unknown chatbot, before the image is stored.
        yield* chatbots.get(chatbot)
        const key = avatarKey(`${yield* random.uuidV4()}.${extension}`)
        yield* blobs.put(key, Stream.succeed(image))
        return yield* chatbots.setAvatar(chatbot, key, ifMatch)
      }),
    }
  }),
}) {
  static readonly layer = Layer.effect(this, this.make)
}
