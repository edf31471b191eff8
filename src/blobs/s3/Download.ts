import { createHash } from "node:crypto"
import { Duration, Effect, Stream } from "effect"
import type { Unavailable } from "../../domain/Errors.ts"
import type { S3Client } from "./S3Client.ts"
import { damaged, notResumed, type S3Failure, silent, unreachable } from "./S3Failure.ts"

/** The header of an object with the SHA-256 of its content, in hexadecimal digits, which stores keep as they got it. */
export const CONTENT_HASH = "x-amz-meta-sha256"
/** The times that a download may be cut off before it fails. Each time it continues where it was. */
const CUTS_MAX = 8

/**
 * Reads an object. A download that is cut off or stalls goes on where it was; one that does not end with what was stored
 * fails.
 */
export const download = (client: S3Client, key: string): Stream.Stream<Uint8Array, S3Failure | Unavailable> =>
  Stream.unwrap(
    Effect.map(
      Effect.acquireRelease(
        Effect.sync(() => new Download(client, key)),
        (made) => made.close,
      ),
      (made) =>
        Stream.unfold(undefined, () => Effect.map(made.next, (piece) => piece && ([piece, undefined] as const))),
    ),
  )

class Download {
  private readonly client: S3Client
  private readonly key: string
  private readonly hash = createHash("sha256")
  private abort = new AbortController()
  private pieces: AsyncIterator<Uint8Array> | undefined
  private offset = 0
  private cuts = 0
  /** Facts about the whole object, from the first answer. */
  private object: { readonly etag: string | null; readonly bytes: number; readonly sha256: string | null } | undefined

  constructor(client: S3Client, key: string) {
    this.client = client
    this.key = key
  }

  readonly close: Effect.Effect<void> = Effect.sync(() => {
    this.abort.abort()
    this.pieces = undefined
  })

  /** Reads the next piece; undefined at the end. */
  readonly next: Effect.Effect<Uint8Array | undefined, S3Failure | Unavailable> = Effect.suspend(() =>
    Effect.catchIf(
      this.piece,
      (error) => error._tag === "S3Failure" && error.isTransient && error.code === "" && ++this.cuts <= CUTS_MAX,
      () => Effect.andThen(this.close, this.next),
    ),
  )

  private readonly piece = Effect.gen({ self: this }, function* () {
    const pieces = this.pieces ?? (yield* this.connect)
    const timeout = Duration.fromInputUnsafe(this.client.bounds.timeout)
    const result = yield* Effect.tryPromise({
      try: () => pieces.next(),
      catch: (error) => unreachable(this.client.settings, error),
    }).pipe(
      Effect.timeoutOrElse({ duration: timeout, orElse: () => Effect.fail(silent(this.client.settings, timeout)) }),
    )
    if (result.done !== true) {
      this.offset += result.value.length
      this.hash.update(result.value)
      return result.value
    }
    const { bytes, sha256 } = this.object ?? { bytes: Number.NaN, sha256: null }
    if (this.offset < bytes) return yield* unreachable(this.client.settings, new Error("the connection was cut off"))
    if (this.offset > bytes || (sha256 !== null && this.hash.copy().digest("hex") !== sha256)) {
      return yield* damaged(this.key)
    }
    return undefined
  })

  /** Begins the download at the first byte that is missing. */
  private readonly connect: Effect.Effect<AsyncIterator<Uint8Array>, S3Failure | Unavailable> = Effect.gen(
    { self: this },
    function* () {
      const { client, key, object, offset } = this
      const headers =
        object && offset > 0 ? { range: `bytes=${offset}-`, ...(object.etag && { "if-match": object.etag }) } : {}
      const response = yield* client.persistently(
        Effect.suspend(() => {
          this.abort = new AbortController()
          return client.begin({ method: "GET", key, headers }, this.abort)
        }),
      )
      if (offset > 0 && response.status !== 206) return yield* notResumed(key)
      this.object ??= {
        etag: response.headers.get("etag"),
        bytes: Number(response.headers.get("content-length") ?? Number.NaN),
        sha256: response.headers.get(CONTENT_HASH),
      }
      // An empty object has no body.
      return (this.pieces = (response.body ?? new Blob().stream())[Symbol.asyncIterator]())
    },
  )
}
