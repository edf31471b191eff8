import { Context, Effect, Layer, Stream } from "effect"
import { createHash } from "node:crypto"
import { BlobStore, COPIED_PREFIXES } from "../blobs/BlobStore.ts"
import type { Unavailable } from "../domain/Errors.ts"
import type { StartupError } from "../system/StartupError.ts"

export type StoreKind = "local" | "s3"

export interface CopyRequest {
  readonly from: StoreKind
  readonly to: StoreKind
  /** Whether to read all files of both stores, and compare their hashes. */
  readonly verify: boolean
}

/** Result of a copy, in files. */
export interface CopySummary {
  readonly copied: number
  readonly bytes: number
  /** Files that were in the other store already, with the same length. */
  readonly present: number
  /** Keys of files whose content differs between the stores; empty unless the copy was asked to verify. */
  readonly different: ReadonlyArray<string>
  /** Keys of files that could not be copied. */
  readonly failed: ReadonlyArray<string>
}

const COPIED_AT_ONCE = 4

/**
 * Copies all files from one store to another. It changes nothing in the store that it copies from, and needs no
 * database, so that servers may go on using the store meanwhile; a copy that was cut off continues where it was.
 */
export class BlobCopy extends Context.Service<
  BlobCopy,
  { readonly copy: (request: CopyRequest) => Effect.Effect<CopySummary, StartupError | Unavailable> }
>()("parley/jobs/BlobCopy") {
  /** `storeOf` makes a store with the settings of this process. */
  static readonly layer = <R>(storeOf: (kind: StoreKind) => Layer.Layer<BlobStore, StartupError, R>) =>
    Layer.effect(
      BlobCopy,
      Effect.gen(function* () {
        const context = yield* Effect.context<R>()
        const open = (kind: StoreKind) =>
          Effect.map(Effect.provideContext(Layer.build(storeOf(kind)), context), Context.get(BlobStore))

        const copy = Effect.fn("BlobCopy.copy")(function* ({ from, to, verify }: CopyRequest) {
          const [source, target] = [yield* open(from), yield* open(to)]
          let [copied, bytes, present] = [0, 0, 0]
          const failed: Array<string> = []
          const different: Array<string> = []

          const transfer = Effect.fnUntraced(
            function* (key: string, length: number) {
              if ((yield* target.info(key))?.bytes === length) {
                present++
              } else {
                yield* target.put(key, source.read(key))
                copied++
                bytes += length
              }
              if (verify && (yield* hashOf(source, key)) !== (yield* hashOf(target, key))) different.push(key)
            },
            // It was deleted since it was listed.
            Effect.catchTag("BlobNotFound", () => Effect.void),
          )

          yield* Effect.forEach(COPIED_PREFIXES, (prefix) =>
            Stream.runForEach(source.list(prefix), (page) =>
              Effect.forEach(
                page,
                ({ bytes: length, key }) =>
                  Effect.catch(transfer(key, length), () => Effect.sync(() => void failed.push(key))),
                { concurrency: COPIED_AT_ONCE, discard: true },
              ),
            ),
          )
          return { copied, bytes, present, different, failed }
        }, Effect.scoped)

        return { copy }
      }),
    )
}

const hashOf = (store: BlobStore["Service"], key: string) =>
  Effect.map(
    Stream.runFold(
      store.read(key),
      () => createHash("sha256"),
      (hash, chunk) => hash.update(chunk),
    ),
    (hash) => hash.digest("hex"),
  )
