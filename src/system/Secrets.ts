import { Context, Effect, Layer, Redacted, Schema } from "effect"
import { Aead, Digest, SecureRandom } from "effect/crypto"

/** A text that is encrypted, and the id of the key that did it. */
export interface Sealed {
  readonly key: string
  /** Nonce, then ciphertext with its tag. */
  readonly bytes: Uint8Array
}

/** What was encrypted cannot be decrypted: by a key that is not there, or because it is not what the key encrypted here. */
export class SecretUnreadable extends Schema.TaggedError<SecretUnreadable>()("SecretUnreadable", {
  /** Id of the key. */
  key: Schema.String,
  why: Schema.Literals(["unknown key", "changed"]),
}) {}

export interface SecretsSettings {
  /** Of 32 bytes each. The first encrypts, all of them decrypt; without any, nothing is encrypted. */
  readonly keys: Redacted.Redacted<ReadonlyArray<Uint8Array>> | undefined
}

const ALGORITHM = Aead.aes256Gcm
/** Bytes of a key's digest that name it, which tells nothing of the key itself. */
const ID_BYTES = 6
const ID_CONTEXT = "parley: id of a key for secrets"

/**
 * Encrypts what the database keeps for others, by keys that it does not have. What is encrypted is bound to its place,
 * some texts that say whose it is, and does not decrypt anywhere else.
 */
export class Secrets extends Context.Service<
  Secrets,
  {
    /** Id of the key that encrypts, if there is one. */
    readonly key: string | undefined
    /** Undefined without a key. */
    readonly seal: (text: string, place: ReadonlyArray<string>) => Effect.Effect<Sealed | undefined>
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

        return { key: first?.[0], seal, open }
      }),
    ).pipe(Layer.provide([Aead.layerWebCrypto, Digest.layerWebCrypto]))
}

const withId = Effect.fnUntraced(function* (bytes: Uint8Array) {
  const digest = yield* Digest.Digest
  const named = yield* digest.digestHex(Digest.sha256, Buffer.concat([encoded(ID_CONTEXT), bytes]))
  return [named.slice(0, 2 * ID_BYTES), yield* Effect.orDie(Aead.key(ALGORITHM, bytes))] as const
})

const encoded = (text: string): Uint8Array => new TextEncoder().encode(text)
// As JSON, no two places look alike.
const bytesOf = (place: ReadonlyArray<string>): Uint8Array => encoded(JSON.stringify(place))
