import { Effect, FileSystem, Layer, Option, type Path, Stream } from "effect"
import type { SecureRandom } from "effect/crypto"
import type { Unavailable } from "../../domain/Errors.ts"
import type { StartupError } from "../../system/StartupError.ts"
import { BlobDamaged, type BlobInfo, BlobNotFound, BlobStore, contentOf } from "../BlobStore.ts"
import { makeDrafts } from "../Drafts.ts"
import { CONTENT_HASH, download } from "./Download.ts"
import { checkAtStart, examine } from "./Examination.ts"
import { parseReply } from "./Replies.ts"
import { S3Client } from "./S3Client.ts"
import { isDamaged, isMissing, isNotResumed, S3Failure } from "./S3Failure.ts"
import { S3Bounds, type S3Settings } from "./S3Settings.ts"
import { spool } from "./Spool.ts"

/** The times that a file is downloaded anew which is not what was stored, before it counts as damaged. */
const DAMAGED_MAX = 2
/** The number of blobs in one page of a listing, which takes some 10 ms to parse. */
const PAGE = 500
/** The form of keys. Other objects of the bucket are none of this store's. */
const KEY = /^[\da-z.-]+(?:\/[\da-z.-]+)*$/

/**
 * Stores blobs as objects in a bucket of an S3 server. An upload is written to a temporary file first, so that its length
 * and its hash are signed with it, and it may be sent again; what is read is compared with that hash.
 */
export const layer = (
  settings: S3Settings,
): Layer.Layer<BlobStore, StartupError, FileSystem.FileSystem | Path.Path | SecureRandom.SecureRandom> =>
  Layer.effect(
    BlobStore,
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const drafts = yield* makeDrafts(settings.directory)
      const client = new S3Client(settings, yield* S3Bounds)
      const { orUnavailable } = client

      yield* checkAtStart(client)

      const put = Effect.fn("BlobStore.put")(function* <E, R>(key: string, content: Stream.Stream<Uint8Array, E, R>) {
        // Nothing is read of an upload that would fail in any case.
        yield* client.ready
        const body = yield* spool(files, drafts, content)
        yield* orUnavailable(client.call({ method: "PUT", key, headers: { [CONTENT_HASH]: body.sha256 }, body }))
      }, Effect.scoped)

      const orLost = <A, E, R>(key: string, work: Effect.Effect<A, E | S3Failure, R>) =>
        orUnavailable(
          work.pipe(
            Effect.catchIf(
              (error) => error instanceof S3Failure && isMissing(error),
              () => Effect.fail(new BlobNotFound({ key })),
            ),
            Effect.catchIf(
              (error) => error instanceof S3Failure && isDamaged(error),
              () => Effect.fail(new BlobDamaged({ key })),
            ),
          ),
        )

      /** Downloads anew what is not what was stored: it may have been changed on its way. */
      const undisturbed = <A, E, R>(work: Effect.Effect<A, E | S3Failure, R>) =>
        Effect.retry(work, {
          times: DAMAGED_MAX,
          while: (error) => error instanceof S3Failure && (isDamaged(error) || isNotResumed(error)),
        })

      const get = Effect.fn("BlobStore.get")((key: string) =>
        orLost(
          key,
          undisturbed(
            Effect.map(Stream.runCollect(download(client, key)), (parts) => new Uint8Array(Buffer.concat(parts))),
          ),
        ),
      )

      const read = (key: string) =>
        download(client, key).pipe(Stream.catch((error) => Stream.fromEffect(orLost(key, Effect.fail(error)))))

      const open = Effect.fn("BlobStore.open")(function* (key: string) {
        const path = yield* Effect.acquireRelease(drafts.path, (made) =>
          Effect.ignore(files.remove(made, { force: true })),
        )
        const fetched = download(client, key).pipe(
          Stream.run(files.sink(path, { flag: "w", mode: 0o600 })),
          Effect.catchTag("PlatformError", drafts.toUnavailable),
        )
        yield* orLost(key, undisturbed(fetched))
        const { size } = yield* Effect.catch(files.stat(path), drafts.toUnavailable)
        return contentOf(path, Number(size))
      })

      const info = Effect.fn("BlobStore.info")((key: string) =>
        client.call({ method: "HEAD", key }).pipe(
          Effect.map(({ headers }): BlobInfo => ({
            key,
            bytes: Number(headers.get("content-length")),
            writtenAt: new Date(headers.get("last-modified") ?? 0),
          })),
          Effect.catchIf(
            (error) => error instanceof S3Failure && isMissing(error),
            () => Effect.undefined,
          ),
          orUnavailable,
        ),
      )

      const list = (prefix: string) =>
        Stream.paginate<string | undefined, ReadonlyArray<BlobInfo>, Unavailable, never>(undefined, (token) =>
          client
            .call({
              method: "GET",
              query: {
                "list-type": "2",
                "max-keys": String(PAGE),
                prefix,
                delimiter: "/",
                ...(token !== undefined && { "continuation-token": token }),
              },
            })
            .pipe(
              orUnavailable,
              Effect.map(({ text }) => {
                const page = parseReply(text)
                const next = page.text("NextContinuationToken")
                const found = page.all("Contents").map((object) => ({
                  key: object.text("Key"),
                  bytes: Number(object.text("Size")),
                  writtenAt: new Date(object.text("LastModified")),
                }))
                return [[found.filter(({ key }) => KEY.test(key))], next ? Option.some(next) : Option.none()]
              }),
            ),
        )

      const remove = Effect.fn("BlobStore.remove")((key: string) =>
        Effect.asVoid(
          orUnavailable(
            Effect.catchIf(
              client.call({ method: "DELETE", key }),
              (error) => error instanceof S3Failure && isMissing(error),
              () => Effect.void,
            ),
          ),
        ),
      )

      return { put, get, read, open, info, list, remove, ready: client.ready, examine: examine(client) }
    }),
  )
