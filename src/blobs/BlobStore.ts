import { Context, type Effect, Schema, type Stream } from "effect"
import type { Unavailable } from "../domain/Errors.ts"

/** There is no blob with this key. */
export class BlobNotFound extends Schema.TaggedError<BlobNotFound>()("BlobNotFound", { key: Schema.String }) {}

/**
 * Stores files by keys. A key has parts of lower-case letters, digits, hyphens and dots, with slashes between them.
 * Keys are made by the server: file names of clients never become part of one.
 */
export class BlobStore extends Context.Service<
  BlobStore,
  {
    /** Stores a blob, which is durable on return and never half visible. A failure of `content` stores nothing. */
    readonly put: <E, R>(
      key: string,
      content: Stream.Stream<Uint8Array, E, R>,
    ) => Effect.Effect<void, E | Unavailable, R>
    readonly get: (key: string) => Effect.Effect<Uint8Array, BlobNotFound | Unavailable>
    readonly has: (key: string) => Effect.Effect<boolean, Unavailable>
    /** The time when a blob was written, by the store's clock. */
    readonly writtenAt: (key: string) => Effect.Effect<Date, BlobNotFound | Unavailable>
    /**
     * Lists the keys that begin with `prefix`, which ends with a slash, in pages and in any order. A blob that is
     * written or deleted meanwhile may be missing or present.
     */
    readonly list: (prefix: string) => Stream.Stream<ReadonlyArray<string>, Unavailable>
    /** Deletes a blob, and the remains of an interrupted `put`. Succeeds when there is no blob with the key. */
    readonly remove: (key: string) => Effect.Effect<void, Unavailable>
  }
>()("parley/blobs/BlobStore") {}
