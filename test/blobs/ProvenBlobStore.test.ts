import { afterAll, beforeEach, describe, expect, setDefaultTimeout } from "bun:test"
import { Context, Effect, Layer, ManagedRuntime, type Scope, Stream } from "effect"
import { Unavailable } from "../../src/domain/Errors.ts"
import { BlobStore } from "../../src/blobs/BlobStore.ts"
import * as ProvenBlobStore from "../../src/blobs/ProvenBlobStore.ts"
import { Documents } from "../../src/storage/documents/Documents.ts"
import { FileStores } from "../../src/storage/blobs/FileStores.ts"
import { SystemSql } from "../../src/storage/sql/Database.ts"
import { BlobControl, memoryBlobs, platform, quiet, storage } from "../lib/Layers.ts"
import { testTimeout } from "../lib/TestServer.ts"
import { as, contentOf, makeTenant, newDocumentId } from "../lib/Tenants.ts"
import { effectTests } from "../lib/EffectTests.ts"

setDefaultTimeout(testTimeout)

const runtime = ManagedRuntime.make(Layer.mergeAll(storage, platform, quiet))
const run = <A, E>(work: Effect.Effect<A, E, Layer.Success<typeof storage | typeof platform> | Scope.Scope>) =>
  runtime.runPromise(Effect.scoped(work))
const it = effectTests(run)
afterAll(() => runtime.dispose())

beforeEach(() =>
  run(
    SystemSql.use((sql) =>
      Effect.all([sql`delete from chatbots`, sql`delete from blob_garbage`, sql`delete from file_stores`]),
    ),
  ),
)

/** An empty store, as another directory is one. */
const anotherStore = Effect.map(Layer.build(Layer.fresh(memoryBlobs)), (context) => ({
  ...Context.get(context, BlobControl),
  store: Context.get(context, BlobStore),
}))
type Store = Effect.Success<typeof anotherStore>

/** Starts what a server starts: the store that is compared with the database. */
const start = ({ store }: Pick<Store, "store">) =>
  Effect.map(
    Layer.build(Layer.fresh(Layer.provide(ProvenBlobStore.layer, Layer.succeed(BlobStore, store)))),
    Context.get(BlobStore),
  )

/** The first line of why a server does not start with the store. */
const refusal = (store: Pick<Store, "store">) => Effect.map(Effect.flip(start(store)), ({ message }) => message)
const STRANGER =
  /^The store of files is not the one that belongs to the database: it lacks the file stores\/[\da-f-]{36}\. Let /

/** Makes documents whose files are in the store. */
const makeDocuments = Effect.fnUntraced(function* (blobs: Map<string, Uint8Array>, count: number) {
  const { organization, chatbot } = yield* makeTenant
  for (let made = 0; made < count; made++) {
    const content = contentOf(crypto.randomUUID())
    yield* as(organization)((yield* Documents).add(yield* newDocumentId, chatbot, content))
    blobs.set(content.blob_key, Uint8Array.of(1))
  }
})

const marks = ({ blobs }: Store) => Array.from(blobs.keys()).filter((key) => key.startsWith("stores/"))

describe("the store of files of a database", () => {
  it("is the one that the first server uses, and no other one", function* () {
    const [first, second] = [yield* anotherStore, yield* anotherStore]
    yield* start(first)
    expect(marks(first)).toHaveLength(1)
    expect(yield* refusal(second)).toMatch(STRANGER)
    expect(second.blobs.size).toBe(0)
    const again = yield* start(first)
    yield* again.put("documents/one", Stream.succeed(Uint8Array.of(1)))
    expect(first.blobs.has("documents/one")).toBe(true)
  })

  it("may be moved with its mark, or be given one by hand", function* () {
    const [first, moved] = [yield* anotherStore, yield* anotherStore]
    yield* start(first)
    for (const [key, bytes] of first.blobs) moved.blobs.set(key, bytes)
    yield* start(moved)
    const empty = yield* anotherStore
    const [key = ""] = /stores\/[\da-f-]+/.exec(yield* refusal(empty)) ?? []
    empty.blobs.set(key, new Uint8Array())
    yield* start(empty)
  })

  it("may have been that of another database", function* () {
    const store = yield* anotherStore
    store.blobs.set("databases/another", new Uint8Array()).set("stores/another", new Uint8Array())
    yield* start(store)
    expect(marks(store)).toHaveLength(2)
  })

  it("is known by its files where the database is older than the mark", function* () {
    const [used, fresh] = [yield* anotherStore, yield* anotherStore]
    yield* makeDocuments(used.blobs, 4)
    expect(yield* refusal(fresh)).toMatch(STRANGER)
    // A quarter of the files went into another directory.
    const [, ...most] = used.blobs
    const [some = ["", new Uint8Array()]] = used.blobs
    used.blobs.clear()
    for (const [key, bytes] of most) used.blobs.set(key, bytes)
    fresh.blobs.set(...some)
    expect(yield* refusal(fresh)).toMatch(STRANGER)
    yield* start(used)
    expect(yield* refusal(fresh)).toMatch(STRANGER)
  })

  it("is one, where two servers start at the same time", function* () {
    const [one, other] = [yield* anotherStore, yield* anotherStore]
    const exits = yield* Effect.forEach([one, other, one, other], (store) => Effect.exit(start(store)), {
      concurrency: "unbounded",
    })
    expect(exits.filter(({ _tag }) => _tag === "Success")).toHaveLength(2)
    expect([...marks(one), ...marks(other)]).toHaveLength(1)
    expect(exits.map(({ _tag }) => _tag)).toEqual(
      marks(one).length === 1
        ? ["Success", "Failure", "Success", "Failure"]
        : ["Failure", "Success", "Failure", "Success"],
    )
  })

  it("is nobody's while the one that would mark it cannot, and is claimed by the next", function* () {
    const [full, next] = [yield* anotherStore, yield* anotherStore]
    full.failing.add("put")
    yield* start(full)
    expect(yield* FileStores.use(({ found }) => found)).toMatchObject({ is_marked: false })
    yield* start(next)
    expect(marks(next)).toHaveLength(1)
    full.failing.clear()
    expect(yield* refusal(full)).toMatch(STRANGER)
  })

  it("is compared before its first use where it cannot be reached at the start", function* () {
    const [own, wrong] = [yield* anotherStore, yield* anotherStore]
    yield* start(own)
    let isDown = true
    const unreachable = ({ store }: Store) => ({
      store: BlobStore.of({
        ...store,
        info: (key) =>
          isDown ? Effect.fail(new Unavailable({ detail: "It is down.", retry_after_seconds: 1 })) : store.info(key),
      }),
    })
    const [used, stranger] = [yield* start(unreachable(own)), yield* start(unreachable(wrong))]
    const put = (store: BlobStore["Service"]) => store.put("documents/one", Stream.succeed(Uint8Array.of(1)))
    expect((yield* Effect.flip(put(used))).detail).toBe("It is down.")
    isDown = false
    yield* put(used)
    expect((yield* Effect.flip(put(stranger))).detail).toBe("Files cannot be stored or read.")
    expect((yield* Effect.flip(stranger.ready)).detail).toBe("Files cannot be stored or read.")
    expect(yield* Effect.flip(stranger.get("documents/one"))).toBeInstanceOf(Unavailable)
    expect([own.blobs.has("documents/one"), wrong.blobs.size]).toEqual([true, 0])
  })
})
