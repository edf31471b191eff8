import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto"
import { Context, Effect, Layer, Redacted } from "effect"
import { Aead, SecureRandom } from "effect/crypto"
import { SECRETS_KEY } from "../system/Variables.ts"
import * as Storage from "../storage/ServerSecrets.ts"

/** Purpose of a key: what was signed or encrypted for one purpose is worth nothing for another one. */
export type SecretPurpose = "visitor token" | "console session"

const ALGORITHM = Aead.aes256Gcm
const KEY_BYTES = 32
const ROOT = "root"

/**
 * Signs and encrypts what the server gives to browsers and wants to recognize when it comes back, with keys that all
 * servers of one database derive from a secret which the first start has made.
 */
export class ServerSecrets extends Context.Service<ServerSecrets>()("parley/services/ServerSecrets", {
  make: Effect.gen(function* () {
    const storage = yield* Storage.ServerSecrets
    const aead = yield* Aead.Aead
    const random = yield* SecureRandom.SecureRandom
    const root = Redacted.value(
      yield* Effect.catchTag(storage.get(ROOT), "SecretUnreadable", ({ key }) =>
        // Browsers then begin anew, which they can. Replacing the secret would do that to those of all other servers.
        Effect.logWarning(
          `The server's own secret is encrypted with the key ${key}, which ${SECRETS_KEY} does not have: this process uses another one until it ends.`,
        ).pipe(Effect.andThen(random.randomBytes(KEY_BYTES)), Effect.map(Redacted.make)),
      ),
    )

    const derived = (use: string): Uint8Array =>
      new Uint8Array(hkdfSync("sha256", root, new Uint8Array(), `parley: ${use}`, KEY_BYTES))
    const keysOf = Effect.fnUntraced(function* (purpose: SecretPurpose) {
      const encryption = yield* Effect.orDie(Aead.key(ALGORITHM, derived(`${purpose}, encryption`)))
      return { signing: derived(`${purpose}, signature`), encryption }
    })
    const keys = {
      "visitor token": yield* keysOf("visitor token"),
      "console session": yield* keysOf("console session"),
    } satisfies Record<SecretPurpose, unknown>

    const sign = (purpose: SecretPurpose, text: string): string =>
      createHmac("sha256", keys[purpose].signing).update(text).digest("base64url")

    const seal = Effect.fnUntraced(function* (purpose: SecretPurpose, text: string) {
      const nonce = yield* random.randomBytes(ALGORITHM.nonceLength)
      const { encryption } = keys[purpose]
      const sealed = yield* Effect.orDie(aead.encrypt(encryption, new TextEncoder().encode(text), { nonce }))
      return Buffer.concat([nonce, sealed]).toString("base64url")
    })

    const open = Effect.fnUntraced(function* (purpose: SecretPurpose, sealed: string) {
      const bytes = Buffer.from(sealed, "base64url")
      const nonce = bytes.subarray(0, ALGORITHM.nonceLength)
      if (nonce.length < ALGORITHM.nonceLength) return undefined
      const { encryption } = keys[purpose]
      return yield* aead.decrypt(encryption, bytes.subarray(ALGORITHM.nonceLength), { nonce }).pipe(
        Effect.map((text) => new TextDecoder().decode(text)),
        Effect.orElseSucceed(() => undefined),
      )
    })

    return {
      /** Returns the signature of a text, HMAC-SHA256 in base64url. */
      sign,

      /** Whether a signature is that of the text. This takes the same time wherever it differs. */
      verify: (purpose: SecretPurpose, text: string, signature: string): boolean => {
        const expected = Buffer.from(sign(purpose, text))
        const given = Buffer.from(signature)
        return given.length === expected.length && timingSafeEqual(given, expected)
      },

      /** Encrypts a text with AES-256-GCM, in base64url. */
      seal,

      /** Decrypts what `seal` has returned; undefined for anything else. */
      open,
    }
  }),
}) {
  static readonly layer = Layer.effect(this, this.make).pipe(Layer.provide(Aead.layerWebCrypto))
}
