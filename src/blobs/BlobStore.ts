import { Context, type Effect, Schema, type Scope, type Stream } from "effect"
import { BLOB_FOLDERS, blobPrefix } from "../domain/BlobKey.ts"
import type { Finding } from "../domain/system/SystemState.ts"
import type { Unavailable } from "../domain/Errors.ts"

/** There is no blob with this key. */
export class BlobNotFound extends Schema.TaggedError<BlobNotFound>()("BlobNotFound", { key: Schema.String }) {}

/** The blob with this key is not what was stored, however often it is read. */
export class BlobDamaged extends Schema.TaggedError<BlobDamaged>()("BlobDamaged", { key: Schema.String }) {}

/** A blob that cannot be read, now or later. */
export type BlobLost = BlobDamaged | BlobNotFound

/** Prefix of empty blobs that mark which databases have used the store. The keys end in the id of the database. */
export const USERS = "databases/"
/** Prefix of the empty blob by which servers recognize the store of their database. The key ends in the id of the store. */
export const STORES = "stores/"
/** Prefixes of the keys of all blobs that outlive a request. */
export const COPIED_PREFIXES = [...BLOB_FOLDERS.map(blobPrefix), USERS, STORES]

/** Facts that a store knows about a blob without reading it. */
export interface BlobInfo {
  readonly key: string
  /** The length of the content. */
  readonly bytes: number
  /** The time when the blob was written, by the store's clock. */
  readonly writtenAt: Date
}

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
    /** Reads a blob into memory. Callers know that it is small. */
    readonly get: (key: string) => Effect.Effect<Uint8Array, BlobLost | Unavailable>
    /** Reads a blob a chunk at a time. The stream fails when what it has emitted is not the whole content. */
    readonly read: (key: string) => Stream.Stream<Uint8Array, BlobLost | Unavailable>
    /**
     * Provides the content of a blob for reading at any place, without keeping it in memory. It is a file on this
     * machine, which a remote store has downloaded and deletes when the scope closes.
     */
    readonly open: (key: string) => Effect.Effect<Blob, BlobLost | Unavailable, Scope.Scope>
    /** Describes a blob; undefined when there is none with the key. */
    readonly info: (key: string) => Effect.Effect<BlobInfo | undefined, Unavailable>
    /**
     * Lists the blobs whose keys are `prefix`, which ends with a slash, and one more part, in pages and in any order. A
     * blob that is written or deleted meanwhile may be missing or present.
     */
    readonly list: (prefix: string) => Stream.Stream<ReadonlyArray<BlobInfo>, Unavailable>
    /** Fails while the store is known to be out of reach, before a caller takes the trouble to receive a file. */
    readonly ready: Effect.Effect<void, Unavailable>
    /** Says which store it is, whether it answers, and what is odd about it, for the doctor. */
    readonly examine: Effect.Effect<ReadonlyArray<Pick<Finding, "state" | "text">>>
    /** Deletes a blob. Succeeds when there is no blob with the key. */
    readonly remove: (key: string) => Effect.Effect<void, Unavailable>
  }
>()("parley/blobs/BlobStore") {}

/** The content of a file of this length. Sliced, because Bun takes places from the end of an unread file from its start. */
export const contentOf = (path: string, bytes: number): Blob => Bun.file(path).slice(0, bytes)
