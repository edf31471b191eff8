import { describe, expect, test } from "bun:test"
import { Effect, Layer, Stream } from "effect"
import { BlobStore } from "../../src/blobs/BlobStore.ts"
import { BlobCopy, type CopyRequest } from "../../src/jobs/BlobCopy.ts"
import * as LocalBlobStore from "../../src/blobs/LocalBlobStore.ts"
import { BlobControl, memoryBlobs, platform, quiet } from "../lib/Layers.ts"
import { temporaryDirectory } from "../lib/TemporaryDirectory.ts"

/** A directory, and a store in memory in place of S3. */
const stores = Effect.gen(function* () {
  const directory = yield* temporaryDirectory("copy")
  const memory = yield* Layer.build(memoryBlobs)
  const local = Layer.provide(LocalBlobStore.layer({ directory }), platform)
  const copies = yield* Layer.build(BlobCopy.layer((kind) => (kind === "local" ? local : Layer.succeedContext(memory))))
  const copy = (request: Partial<CopyRequest> = {}) =>
    Effect.provide(
      BlobCopy.use((service) => service.copy({ from: "local", to: "s3", verify: false, ...request })),
      copies,
    )
  const put = (key: string, content: string) =>
    Effect.provide(
      BlobStore.use((store) => store.put(key, Stream.succeed(new TextEncoder().encode(content)))),
      local,
    )
  const { blobs, failing } = yield* Effect.provide(BlobControl, memory)
  return { copy, put, blobs, failing, local }
})

const run = <A, E>(work: Effect.Effect<A, E, never>) => Effect.runPromise(Effect.provide(work, quiet))

describe("copying files to another store", () => {
  test("copies all of them, goes on where it was cut off, and copies them back", () =>
    run(
      Effect.scoped(
        Effect.gen(function* () {
          const { blobs, copy, failing, local, put } = yield* stores
          const contents = { "documents/a": "one", "documents/b": "two", "avatars/c.png": "three", "databases/d": "" }
          yield* Effect.forEach(Object.entries(contents), ([key, content]) => put(key, content))
          failing.add("put")
          expect((yield* copy()).failed).toHaveLength(4)
          failing.clear()
          blobs.set("documents/a", Buffer.from("one"))
          expect(yield* copy()).toEqual({ copied: 3, bytes: 8, present: 1, different: [], failed: [] })
          expect(Object.fromEntries(Array.from(blobs, ([key, bytes]) => [key, Buffer.from(bytes).toString()]))).toEqual(
            contents,
          )
          expect(yield* copy({ verify: true })).toMatchObject({ copied: 0, present: 4, different: [] })
          yield* Effect.provide(
            BlobStore.use((store) => store.remove("documents/b")),
            local,
          )
          expect(yield* copy({ from: "s3", to: "local" })).toMatchObject({ copied: 1, present: 3 })
        }),
      ),
    ))

  test("says which files differ, although they have the same length", () =>
    run(
      Effect.scoped(
        Effect.gen(function* () {
          const { blobs, copy, put } = yield* stores
          yield* put("documents/a", "one")
          blobs.set("documents/a", Buffer.from("two"))
          expect(yield* copy({ verify: true })).toMatchObject({ copied: 0, different: ["documents/a"] })
        }),
      ),
    ))
})
