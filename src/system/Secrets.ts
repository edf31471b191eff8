import { Context, Effect, Layer, Redacted, Schema } from "effect"
import { Aead, Digest, SecureRandom } from "effect/crypto"

/** An encrypted text, with the id of the key that encrypted it. */
export interface Sealed {
  readonly key: string
  /** Nonce, then ciphertext with its tag. */
  readonly bytes: Uint8Array
}

/**
 * A secret cannot be decrypted: its key is not configured, or the bytes are not those that the key encrypted for this
 * place.
 */
export class SecretUnreadable extends Schema.TaggedError<SecretUnreadable>()("SecretUnreadable", {
  key: Schema.String,
  why: Schema.Literals(["unknown key", "changed"]),
}) {}

export interface SecretsSettings {
  /** Keys of 32 bytes. The first one encrypts, and all of them decrypt. Undefined: nothing is encrypted. */
  readonly keys: Redacted.Redacted<ReadonlyArray<Uint8Array>> | undefined
}

const ALGORITHM = Aead.aes256Gcm
/** The length of a key's id in bytes. It is the beginning of a digest, which reveals nothing of the key. */
const ID_BYTES = 6
const ID_CONTEXT = "parley: id of a key for secrets"

/**
 * Encrypts secrets of tenants before they are stored, with keys that the database does not have. A secret is bound to
 * its place, a list of texts such as the ids of its owners, and cannot be decrypted for any other place.
 */
export class Secrets extends Context.Service<
  Secrets,
  {
    /** The id of the key that encrypts; undefined when none is configured. */
    readonly key: string | undefined
    /** The ids of the keys that decrypt. */
    readonly keys: ReadonlyArray<string>
    /** Encrypts a text for a place. Returns undefined when no key is configured. */
    readonly seal: (text: string, place: ReadonlyArray<string>) => Effect.Effect<Sealed | undefined>
    /** Decrypts a text that was encrypted for the same place. */
    readonly open: (sealed: Sealed, place: ReadonlyArray<string>) => Effect.Effect<string, SecretUnreadable>
  }
>()("parley/system/Secrets") {
  static readonly layer = (settings: SecretsSettings): Layer.Layer<Secrets, never, SecureRandom.SecureRandom> =>
    Layer.effect(
      this,
      Effect.gen(function* () {
        const aead = yield* Aead.Aead
        const random = yield* SecureRandom.SecureRandom
        const given = settings.keys === undefined ? [] : Redacted.value(settings.keys)
        const keys = new Map(yield* Effect.forEach(given, withId))
        const [first] = keys

        const seal = Effect.fnUntraced(function* (text: string, place: ReadonlyArray<string>) {
          if (first === undefined) return undefined
          const [id, key] = first
          const nonce = yield* random.randomBytes(ALGORITHM.nonceLength)
          const sealed = yield* Effect.orDie(aead.encrypt(key, encoded(text), { nonce, aad: bytesOf(place) }))
          return { key: id, bytes: Buffer.concat([nonce, sealed]) }
        })

        const open = Effect.fnUntraced(function* ({ key: id, bytes }: Sealed, place: ReadonlyArray<string>) {
          const key = keys.get(id)
          if (key === undefined) return yield* new SecretUnreadable({ key: id, why: "unknown key" })
          const nonce = bytes.subarray(0, ALGORITHM.nonceLength)
          const opened = yield* Effect.mapError(
            aead.decrypt(key, bytes.subarray(ALGORITHM.nonceLength), { nonce, aad: bytesOf(place) }),
            () => new SecretUnreadable({ key: id, why: "changed" }),
          )
          return new TextDecoder().decode(opened)
        })

        return { key: first?.[0], keys: Array.from(keys.keys()), seal, open }
      }),
    ).pipe(Layer.provide([Aead.layerWebCrypto, Digest.layerWebCrypto]))
}

const withId = Effect.fnUntraced(function* (bytes: Uint8Array) {
  const digest = yield* Digest.Digest
  const named = yield* digest.digestHex(Digest.sha256, Buffer.concat([encoded(ID_CONTEXT), bytes]))
  return [named.slice(0, 2 * ID_BYTES), yield* Effect.orDie(Aead.key(ALGORITHM, bytes))] as const
})

const encoded = (text: string): Uint8Array => new TextEncoder().encode(text)
// Written as JSON, no two places have the same bytes.
const bytesOf = (place: ReadonlyArray<string>): Uint8Array => encoded(JSON.stringify(place))
