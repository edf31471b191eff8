import { Context, type Effect, Schema, type Stream } from "effect"
import type { Unavailable } from "../domain/Errors.ts"

/** No blob has this key (any more). */
export class BlobNotFound extends Schema.TaggedError<BlobNotFound>()("BlobNotFound", { key: Schema.String }) {}

/**
 * Where files are kept, by keys that Parley makes itself: lower-case letters, digits, hyphens, dots, and slashes between
 * parts. Names that clients give never become part of a key.
 */
export class BlobStore extends Context.Service<
  BlobStore,
  {
    /** Durable when it returns; never seen half written. A failure of `content` leaves nothing. */
    readonly put: <E, R>(
      key: string,
      content: Stream.Stream<Uint8Array, E, R>,
    ) => Effect.Effect<void, E | Unavailable, R>
    readonly get: (key: string) => Effect.Effect<Uint8Array, BlobNotFound | Unavailable>
    readonly has: (key: string) => Effect.Effect<boolean, Unavailable>
    /** When its writing ended, by the store's clock. */
    readonly writtenAt: (key: string) => Effect.Effect<Date, BlobNotFound | Unavailable>
    /**
     * Pages of the keys that begin with `prefix`, which ends with a slash, in any order. A blob that is written or deleted
     * meanwhile may be among them or not.
     */
    readonly list: (prefix: string) => Stream.Stream<ReadonlyArray<string>, Unavailable>
    /** A key that is not there is no failure. What a `put` that was cut off has left of it goes, too. */
    readonly remove: (key: string) => Effect.Effect<void, Unavailable>
  }
>()("parley/blobs/BlobStore") {}
