import { Clock, Duration, Effect, Exit } from "effect"
import { isBlobKey } from "../../domain/BlobKey.ts"
import type { Unavailable } from "../../domain/Errors.ts"
import { parseReply } from "./Replies.ts"
import type { S3Client } from "./S3Client.ts"
import { failureOfAnswer, isMissing, type S3Failure } from "./S3Failure.ts"
import { sha256 } from "./Signature.ts"
import type { Spooled } from "./Spool.ts"

/** The parts of a file that are sent at once. */
const SENT_AT_ONCE = 3
/** The longest time that is taken to abort an upload. What is left is aborted later. */
const ABORT_PATIENCE = Duration.seconds(5)
/** The age from which an unfinished upload is known to be that of a dead process. No upload of ours lasts an hour. */
const ABANDONED_AFTER = Duration.hours(2)

type Failure = S3Failure | Unavailable

/** Sends a file in parts. A failure or an interruption leaves nothing in the store. */
export const sendParts = Effect.fnUntraced(function* (
  client: S3Client,
  key: string,
  { bytes, parts }: Spooled,
  headers: Readonly<Record<string, string>>,
): Effect.fn.Return<void, Failure> {
  yield* Effect.acquireUseRelease(
    Effect.map(client.call({ method: "POST", key, query: { uploads: "" }, headers }), ({ text }) =>
      parseReply(text).text("UploadId"),
    ),
    (uploadId) =>
      Effect.forEach(
        parts,
        (part, index) =>
          Effect.map(
            client.call({ method: "PUT", key, query: { partNumber: String(index + 1), uploadId }, body: part }),
            (answer) => answer.headers.get("etag") ?? "",
          ),
        { concurrency: SENT_AT_ONCE },
      ).pipe(Effect.flatMap((etags) => complete(client, { key, uploadId, bytes }, etags))),
    (uploadId, exit) => (Exit.isSuccess(exit) ? Effect.void : abort(client, key, uploadId)),
  )
})

const complete = Effect.fnUntraced(function* (
  client: S3Client,
  { bytes, key, uploadId }: { readonly key: string; readonly uploadId: string; readonly bytes: number },
  etags: ReadonlyArray<string>,
): Effect.fn.Return<void, Failure> {
  const content = `<CompleteMultipartUpload>${etags
    .map((etag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${escaped(etag)}</ETag></Part>`)
    .join("")}</CompleteMultipartUpload>`
  const request = {
    method: "POST",
    key,
    query: { uploadId },
    body: { content, bytes: Buffer.byteLength(content), sha256: sha256(content) },
  } as const
  const attempt = Effect.gen(function* () {
    const { headers, text } = yield* client.attempt(request)
    // The store has to answer before it knows the outcome, which therefore may be an error with status 200.
    if (parseReply(text).is("Error")) {
      const now = yield* Clock.currentTimeMillis
      return yield* failureOfAnswer(client.settings, { headers, status: 500 }, text, now)
    }
  })
  yield* Effect.catchIf(
    client.persistently(attempt),
    (error) => error._tag === "S3Failure" && isMissing(error),
    (missing) =>
      // An attempt whose answer was lost has completed it.
      Effect.flatMap(client.call({ method: "HEAD", key }), ({ headers }) =>
        headers.get("content-length") === String(bytes) ? Effect.void : Effect.fail(missing),
      ),
  )
})

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")

const abort = (client: S3Client, key: string, uploadId: string) =>
  client
    .attempt({ method: "DELETE", key, query: { uploadId } })
    .pipe(Effect.timeoutOption(ABORT_PATIENCE), Effect.ignore)

/** Aborts the uploads of files in parts that dead processes have left, whose parts would be kept for ever. */
export const abortAbandoned = Effect.fnUntraced(function* (client: S3Client): Effect.fn.Return<void, Failure> {
  const before = (yield* Clock.currentTimeMillis) - Duration.toMillis(ABANDONED_AFTER)
  let after: Readonly<Record<string, string>> | undefined = {}
  while (after !== undefined) {
    const page = parseReply((yield* client.call({ method: "GET", query: { uploads: "", ...after } })).text)
    for (const upload of page.all("Upload")) {
      const key = upload.text("Key")
      // Other keys in the bucket may be uploads of other programs.
      if (!isBlobKey(key) || !(Date.parse(upload.text("Initiated")) < before)) continue
      yield* abort(client, key, upload.text("UploadId"))
    }
    after =
      page.text("IsTruncated") === "true"
        ? { "key-marker": page.text("NextKeyMarker"), "upload-id-marker": page.text("NextUploadIdMarker") }
        : undefined
  }
})
