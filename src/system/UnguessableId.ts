import { Effect } from "effect"
import type { SecureRandom } from "effect/crypto"

const VERSION_END = "xxxxxxxx-xxxx-7".length

/**
 * Makes a UUID v7 that is as good as a secret. The ids that `uuidV7` makes within a millisecond count on from each
 * other, so only the time of such an id is used, and the other 74 bits are random.
 */
export const unguessableUuid = (random: SecureRandom.SecureRandom["Service"]): Effect.Effect<string> =>
  Effect.zipWith(
    random.uuidV7(),
    random.uuidV4(),
    (ordered, unordered) => ordered.slice(0, VERSION_END) + unordered.slice(VERSION_END),
  )

/** Makes a secret of random bytes, in base64url. */
export const unguessableText = (random: SecureRandom.SecureRandom["Service"], bytes = 32): Effect.Effect<string> =>
  Effect.map(random.randomBytes(bytes), (made) => Buffer.from(made).toString("base64url"))
