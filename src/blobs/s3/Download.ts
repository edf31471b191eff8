import { createHash } from "node:crypto"
import { Duration, Effect, Stream } from "effect"
import type { Unavailable } from "../../domain/Errors.ts"
import type { S3Client } from "./S3Client.ts"
import { damaged, notResumed, type S3Failure, silent, unreachable } from "./S3Failure.ts"

/** The header of an object with the SHA-256 of its content, in hexadecimal digits, which stores keep as they got it. */
export const CONTENT_HASH = "x-amz-meta-sha256"
/** The times that a download may be cut off before it fails. Each time it continues where it was. */
const CUTS_MAX = 8

type Failure = S3Failure | Unavailable

/** Facts about a whole object, from the first answer. */
interface Facts {
  readonly etag: string | null
  readonly bytes: number
  readonly sha256: string | null
}

/**
 * Reads an object. A download that is cut off or stalls goes on where it was; one that does not end with what was stored
 * fails.
 */
export const download = (client: S3Client, key: string): Stream.Stream<Uint8Array, Failure> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const { bounds, settings } = client
      const timeout = Duration.fromInputUnsafe(bounds.timeout)
      const hash = createHash("sha256")
      let [offset, cuts] = [0, 0]
      let object: Facts | undefined
      let abort = new AbortController()
      let pieces: AsyncIterator<Uint8Array> | undefined
      yield* Effect.addFinalizer(() => Effect.sync(() => abort.abort()))

      /** Begins the download at the first byte that is missing. */
      const connect: Effect.Effect<AsyncIterator<Uint8Array>, Failure> = Effect.gen(function* () {
        const headers =
          object && offset > 0 ? { range: `bytes=${offset}-`, ...(object.etag && { "if-match": object.etag }) } : {}
        const response = yield* client.persistently(
          Effect.suspend(() => {
            abort = new AbortController()
            return client.begin({ method: "GET", key, headers }, abort)
          }),
        )
        if (offset > 0 && response.status !== 206) return yield* notResumed(key)
        object ??= {
          etag: response.headers.get("etag"),
          bytes: Number(response.headers.get("content-length") ?? Number.NaN),
          sha256: response.headers.get(CONTENT_HASH),
        }
        // An empty object has no body.
        return (pieces = (response.body ?? new Blob().stream())[Symbol.asyncIterator]())
      })

      const piece = Effect.gen(function* () {
        const source = pieces ?? (yield* connect)
        const result = yield* Effect.tryPromise({
          try: () => source.next(),
          catch: (error) => unreachable(settings, error),
        }).pipe(Effect.timeoutOrElse({ duration: timeout, orElse: () => Effect.fail(silent(settings, timeout)) }))
        if (result.done !== true) {
          offset += result.value.length
          hash.update(result.value)
          return result.value
        }
        const { bytes, sha256 } = object ?? { bytes: Number.NaN, sha256: null }
        if (offset < bytes) return yield* unreachable(settings, new Error("the connection was cut off"))
        if (offset > bytes || (sha256 !== null && hash.copy().digest("hex") !== sha256)) return yield* damaged(key)
        return undefined
      })

      const next: Effect.Effect<Uint8Array | undefined, Failure> = Effect.catchIf(
        piece,
        (error) => error._tag === "S3Failure" && error.retryable && error.code === "" && ++cuts <= CUTS_MAX,
        () =>
          Effect.suspend(() => {
            abort.abort()
            pieces = undefined
            return next
          }),
      )
      return Stream.unfold(undefined, () => Effect.map(next, (one) => one && ([one, undefined] as const)))
    }),
  )
