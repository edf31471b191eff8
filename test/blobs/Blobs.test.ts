import { afterAll, beforeEach, describe, expect, test } from "bun:test"
import { Duration, Effect, Layer, ManagedRuntime, Stream } from "effect"
import { BlobStore } from "../../src/blobs/BlobStore.ts"
import { Blobs } from "../../src/blobs/Blobs.ts"
import { BlobGarbage } from "../../src/storage/blobs/BlobGarbage.ts"
import { SystemSql } from "../../src/storage/sql/Database.ts"
import { BlobControl, diskFull, eventually, memoryBlobs, platform, quiet, storage } from "../lib/Layers.ts"
import { effectTests } from "../lib/EffectTests.ts"

const runtime = ManagedRuntime.make(Layer.mergeAll(storage, platform, quiet, memoryBlobs))
type Services = ManagedRuntime.ManagedRuntime.Services<typeof runtime>
/** `Blobs` whose first sweep begins together with the test. */
const run = <A, E>(effect: Effect.Effect<A, E, Services | Blobs>) =>
  runtime.runPromise(Effect.scoped(Effect.provide(effect, Layer.fresh(Blobs.layer))))
const it = effectTests(run)
afterAll(() => runtime.dispose())
beforeEach(() =>
  runtime.runPromise(
    Effect.gen(function* () {
      const { blobs, failing } = yield* BlobControl
      blobs.clear()
      failing.clear()
      yield* SystemSql.use((sql) => sql`delete from blob_garbage`)
    }),
  ),
)

const registered = SystemSql.use((sql) =>
  Effect.map(sql<{ key: string }>`select key from blob_garbage order by key`, (rows) => rows.map(({ key }) => key)),
)
const stored = Effect.map(BlobControl, ({ blobs }) => Array.from(blobs.keys()))
const bytes = Stream.succeed(Uint8Array.of(1))

describe("a blob without an owner yet", () => {
  it("is registered before its first byte is read", function* () {
    const seen: Array<string> = []
    const content = Stream.tap(bytes, () => Effect.map(registered, (keys) => void seen.push(...keys)))
    yield* (yield* Blobs).put("documents/new", content)
    expect(seen).toEqual(["documents/new"])
    expect(yield* stored).toEqual(["documents/new"])
  })

  it("stays registered when it cannot be written, because a part of it may exist", function* () {
    ;(yield* BlobControl).failing.add("put")
    expect((yield* Effect.flip((yield* Blobs).put("documents/full", bytes)))._tag).toBe("Unavailable")
    expect(yield* registered).toEqual(["documents/full"])
  })

  it("is not deleted within its first hour", function* () {
    yield* (yield* Blobs).put("documents/fresh", bytes)
    yield* (yield* BlobGarbage).announce(["documents/old"], Duration.zero)
    yield* Effect.promise(() => run(eventually(registered, (keys) => !keys.includes("documents/old"))))
    expect(yield* registered).toEqual(["documents/fresh"])
    expect(yield* stored).toEqual(["documents/fresh"])
  })
})

describe("a blob whose owner is gone", () => {
  const makeGarbage = (...keys: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const [{ blobs }, garbage] = [yield* BlobControl, yield* BlobGarbage]
      for (const key of keys) {
        blobs.set(key, Uint8Array.of(1))
        yield* garbage.announce([key], Duration.zero)
      }
    })

  it("is deleted and no longer registered soon after a nudge", function* () {
    const blobs = yield* Blobs
    // Holds whether or not the first sweep is over, because the next one is a minute away.
    yield* makeGarbage("documents/a", "documents/b")
    yield* eventually(Effect.andThen(blobs.nudge, registered), (keys) => keys.length === 0)
    expect(yield* stored).toEqual([])
  })

  test("stays registered when it cannot be deleted, and is due again later", async () => {
    await run(
      Effect.gen(function* () {
        const control = yield* BlobControl
        control.failing.add("remove")
        yield* makeGarbage("documents/a")
        const due = Effect.flatMap(BlobGarbage, (garbage) => garbage.due(10))
        yield* eventually(Effect.andThen((yield* Blobs).nudge, due), (keys) => keys.length === 0)
        expect(yield* registered).toEqual(["documents/a"])
        control.failing.clear()
      }),
    )
    await runtime.runPromise(SystemSql.use((sql) => sql`update blob_garbage set due_at = now()`))
    await run(eventually(registered, (keys) => keys.length === 0))
    expect(await runtime.runPromise(stored)).toEqual([])
  })

  test("is deleted even when others can never be deleted", async () => {
    const store = await runtime.runPromise(BlobStore)
    const remove = (key: string) => (key.startsWith("documents/stuck") ? Effect.fail(diskFull) : store.remove(key))
    const stuck = Array.from({ length: 120 }, (_, index) => `documents/stuck${index}`)
    await runtime.runPromise(makeGarbage(...stuck, "documents/a", "documents/b"))
    await runtime.runPromise(
      eventually(registered, (keys) => keys.length === stuck.length).pipe(
        Effect.provide(Layer.fresh(Blobs.layer)),
        Effect.provideService(BlobStore, { ...store, remove }),
        Effect.scoped,
      ),
    )
    expect(await runtime.runPromise(stored)).toEqual(stuck)
  })

  test("is deleted even when the process that should have done it was killed", async () => {
    const keys = Array.from({ length: 120 }, (_, index) => `documents/${index}`)
    await runtime.runPromise(makeGarbage(...keys))
    await run(eventually(registered, (left) => left.length <= 20))
    await run(eventually(registered, (left) => left.length === 0))
    expect(await runtime.runPromise(stored)).toEqual([])
  })
})
