import { type ExtractedText, type FailureCode, type Source, Unreadable } from "./Extraction.ts"
import { read } from "./Read.ts"

/*
 * The script of a worker that reads documents, one after the other, so that a large one does not stop the server's
 * loop. It is ended from outside when a document takes too long.
 */

/** What a worker answers: exactly one reply for each `Source` it is sent. */
export type Reply =
  | { readonly kind: "read"; readonly document: ExtractedText }
  | { readonly kind: "unreadable"; readonly code: FailureCode; readonly message: string }
  /** A fault of ours; `cause` is for the log. */
  | { readonly kind: "fault"; readonly cause: string }

declare const self: Worker

const replyTo = (source: Source): Promise<Reply> =>
  read(source).then(
    (document): Reply => ({ kind: "read", document }),
    (cause: unknown): Reply =>
      cause instanceof Unreadable
        ? { kind: "unreadable", code: cause.code, message: cause.message }
        : { kind: "fault", cause: cause instanceof Error ? (cause.stack ?? cause.message) : String(cause) },
  )

self.onmessage = async (event: MessageEvent<Source>) => {
  self.postMessage(await replyTo(event.data))
}
