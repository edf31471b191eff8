import { createHash } from "node:crypto"
import { Effect, type FileSystem, type PlatformError, type Scope, Stream } from "effect"
import type { Unavailable } from "../../domain/Errors.ts"
import { contentOf } from "../BlobStore.ts"
import type { Drafts } from "../Drafts.ts"

/** Content in a temporary file, whose length and hash are known before any of it is sent. */
export interface Spooled {
  readonly content: Blob
  readonly bytes: number
  readonly sha256: string
}

/** Writes content to a temporary file, which is deleted when the scope closes. */
export const spool = Effect.fnUntraced(function* <E, R>(
  files: FileSystem.FileSystem,
  drafts: Drafts,
  content: Stream.Stream<Uint8Array, E, R>,
): Effect.fn.Return<Spooled, E | Unavailable, R | Scope.Scope> {
  const orUnavailable = <A, R2>(work: Effect.Effect<A, PlatformError.PlatformError, R2>) =>
    Effect.catch(work, drafts.toUnavailable)
  const path = yield* Effect.acquireRelease(drafts.path, (made) => Effect.ignore(files.remove(made, { force: true })))
  const hash = createHash("sha256")
  let bytes = 0
  yield* Effect.scoped(
    Effect.gen(function* () {
      const file = yield* orUnavailable(files.open(path, { flag: "wx", mode: 0o600 }))
      yield* Stream.runForEach(content, (chunk) => {
        hash.update(chunk)
        bytes += chunk.length
        return orUnavailable(file.writeAll(chunk))
      })
    }),
  )
  return { content: contentOf(path, bytes), bytes, sha256: hash.digest("hex") }
})
