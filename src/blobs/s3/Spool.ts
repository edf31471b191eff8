import { createHash } from "node:crypto"
import { Effect, type FileSystem, type PlatformError, type Scope, Stream } from "effect"
import type { Unavailable } from "../../domain/Errors.ts"
import { contentOf } from "../BlobStore.ts"
import type { Drafts } from "../Drafts.ts"

/** A piece of a spooled file. */
export interface SpooledPart {
  readonly content: Blob
  readonly bytes: number
  readonly sha256: string
}

/** Content in a temporary file, whose length and hashes are known before any of it is sent. */
export interface Spooled extends SpooledPart {
  /** The content in pieces of the same size, but for the last. */
  readonly parts: ReadonlyArray<SpooledPart>
}

/** Writes content to a temporary file, which is deleted when the scope closes. */
export const spool = Effect.fnUntraced(function* <E, R>(
  files: FileSystem.FileSystem,
  drafts: Drafts,
  partSize: number,
  content: Stream.Stream<Uint8Array, E, R>,
): Effect.fn.Return<Spooled, E | Unavailable, R | Scope.Scope> {
  const orUnavailable = <A, R2>(work: Effect.Effect<A, PlatformError.PlatformError, R2>) =>
    Effect.catch(work, drafts.toUnavailable)
  const path = yield* Effect.acquireRelease(drafts.path, (made) => Effect.ignore(files.remove(made, { force: true })))
  const whole = createHash("sha256")
  const hashes: Array<{ readonly start: number; readonly end: number; readonly sha256: string }> = []
  let part = createHash("sha256")
  let start = 0
  let bytes = 0
  const endPart = () => {
    hashes.push({ start, end: bytes, sha256: part.digest("hex") })
    start = bytes
    part = createHash("sha256")
  }
  const add = (chunk: Uint8Array) => {
    whole.update(chunk)
    for (let taken = 0; taken < chunk.length;) {
      const piece = chunk.subarray(taken, taken + partSize - (bytes - start))
      part.update(piece)
      bytes += piece.length
      taken += piece.length
      if (bytes - start === partSize) endPart()
    }
  }
  yield* Effect.scoped(
    Effect.gen(function* () {
      const file = yield* orUnavailable(files.open(path, { flag: "wx", mode: 0o600 }))
      yield* Stream.runForEach(content, (chunk) => {
        add(chunk)
        return orUnavailable(file.writeAll(chunk))
      })
    }),
  )
  if (bytes > start) endPart()
  const stored = contentOf(path, bytes)
  return {
    content: stored,
    bytes,
    sha256: whole.digest("hex"),
    parts: hashes.map((one) => ({
      content: stored.slice(one.start, one.end),
      bytes: one.end - one.start,
      sha256: one.sha256,
    })),
  }
})
