import { Effect, Stream } from "effect"
import { SecureRandom } from "effect/crypto"
import { Blobs } from "../../blobs/Blobs.ts"
import { BlobStore } from "../../blobs/BlobStore.ts"
import { imageExtension } from "../../domain/chatbot/ImageFormats.ts"
import { avatarKey, avatarName, isAvatarName } from "../../domain/BlobKey.ts"
import { NotFound, UnsupportedMediaType } from "../../domain/Errors.ts"
import type { ChatbotId } from "../../domain/Ids.ts"
import { Service } from "../../domain/Service.ts"
import { prepared } from "../Preparation.ts"
import type { IfMatch } from "../Versions.ts"
import { Chatbots } from "./Chatbots.ts"

const noAvatar = new NotFound({ detail: "There is no such avatar." })

/** The images of chatbots. They are stored as blobs, and everyone who knows the address of one may see it. */
export class Avatars extends Service<Avatars>()("parley/services/chatbots/Avatars", function* () {
  const chatbots = yield* Chatbots
  const blobs = yield* Blobs
  const files = yield* BlobStore
  const random = yield* SecureRandom.SecureRandom

  const store = Effect.fnUntraced(function* (chatbot: ChatbotId, image: Uint8Array) {
    const extension = imageExtension(image)
    if (extension === undefined) {
      return yield* new UnsupportedMediaType({ detail: "avatar: Expected a PNG, JPEG, WebP or GIF image." })
    }
    // Fails early for an unknown chatbot, before the image is stored.
    yield* chatbots.get(chatbot)
    const key = avatarKey(avatarName(yield* random.uuidV4(), image.length, extension))
    yield* blobs.put(key, Stream.succeed(image))
    return key
  })

  return {
    /** Returns the image with this name, the last segment of the avatar's address. */
    get: (name: string) =>
      isAvatarName(name)
        ? Effect.catchTag(files.get(avatarKey(name)), ["BlobDamaged", "BlobNotFound"], () => Effect.fail(noAvatar))
        : Effect.fail(noAvatar),

    /** Receives an image, and makes it the avatar of a chatbot. Every avatar has an address of its own. */
    update: Effect.fn("Avatars.update")(function* <E, R>(
      chatbot: ChatbotId,
      receive: Effect.Effect<Uint8Array, E, R>,
      ifMatch: IfMatch,
    ) {
      const key = yield* prepared(Effect.flatMap(receive, (image) => store(chatbot, image)))
      return yield* chatbots.setAvatar(chatbot, key, ifMatch)
    }),
  }
}) {}
