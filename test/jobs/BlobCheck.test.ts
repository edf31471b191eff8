import { afterAll, beforeEach, describe, expect, test } from "bun:test"
import { Duration, Effect, Layer, ManagedRuntime } from "effect"
import { TestClock } from "effect/testing"
import { OrganizationId } from "../../src/domain/Ids.ts"
import { BlobCheck } from "../../src/jobs/BlobCheck.ts"
import { Blobs } from "../../src/blobs/Blobs.ts"
import { BlobGarbage } from "../../src/storage/blobs/BlobGarbage.ts"
import { BlobOwners } from "../../src/storage/blobs/BlobOwners.ts"
import { Chatbots } from "../../src/storage/chatbots/Chatbots.ts"
import { SystemSql } from "../../src/storage/sql/Database.ts"
import { Documents } from "../../src/storage/documents/Documents.ts"
import { BlobControl, eventually, memoryBlobs, platform, quiet, storage } from "../lib/Layers.ts"
import { as, contentOf, makeTenant, newDocumentId } from "../lib/Tenants.ts"
import { effectTests } from "../lib/EffectTests.ts"

const runtime = ManagedRuntime.make(
  BlobCheck.layer({ orphanAge: Duration.hours(24) }).pipe(
    Layer.provideMerge(Blobs.layer),
    Layer.provideMerge(Layer.mergeAll(storage, platform, quiet, memoryBlobs)),
  ),
)
const run = runtime.runPromise
const it = effectTests(run)
afterAll(() => runtime.dispose())

const operator = OrganizationId.make(crypto.randomUUID())
beforeEach(() =>
  run(
    Effect.gen(function* () {
      const { blobs, times } = yield* BlobControl
      blobs.clear()
      times.clear()
      const sql = yield* SystemSql
      yield* sql`delete from chatbots`
      yield* sql`delete from blob_garbage`
      yield* sql`insert into organizations (id, name, is_operator) values (${operator}, 'Operator', true)
        on conflict do nothing`
    }),
  ),
)

/** Puts a file of this age into the store. */
const lay = (key: string, age: Duration.Duration = Duration.hours(25)) =>
  Effect.gen(function* () {
    const { blobs, times } = yield* BlobControl
    blobs.set(key, Buffer.from("first"))
    times.set(key, new Date(Date.now() - Duration.toMillis(age)))
    return key
  })

const stored = Effect.map(BlobControl, ({ blobs }) =>
  Array.from(blobs.keys()).filter((key) => !key.startsWith("databases/")),
)
const settled = Effect.andThen(
  eventually(
    SystemSql.use((sql) => sql`select from blob_garbage where due_at <= now()`),
    (rows) => rows.length === 0,
  ),
  stored,
)

/** Makes a document, its queued replacement and an avatar. */
const owned = Effect.gen(function* () {
  const { organization, chatbot } = yield* makeTenant
  const [documents, chatbots] = [yield* Documents, yield* Chatbots]
  const contents = [contentOf("first"), contentOf("later")] as const
  const id = yield* newDocumentId
  yield* as(organization)(documents.add(id, chatbot, contents[0]))
  yield* SystemSql.use((sql) => sql`update documents set revision = 1, status = 'ready' where id = ${id}`)
  yield* as(organization)(documents.replace(chatbot, id, contents[1]))
  const avatar_blob = `avatars/${crypto.randomUUID()}.png`
  yield* as(organization)(chatbots.modify(chatbot, () => Effect.succeed({ avatar_blob })))
  return { id, keys: [contents[0].blob_key, contents[1].blob_key, avatar_blob] as const }
})

describe("comparing the store with the database", () => {
  it("deletes files without an owner, and none that is owned, being written, or young", function* () {
    const { keys } = yield* owned
    const announced = `documents/${crypto.randomUUID()}`
    yield* (yield* BlobGarbage).announce([announced], Duration.hours(1))
    const young = yield* lay("documents/young", Duration.hours(23))
    const kept = yield* Effect.forEach([...keys, announced], (key) => lay(key))
    yield* Effect.forEach(["documents/a", "documents/b", "documents/c", "avatars/d.png", "doctor/e"], (key) => lay(key))
    const check = yield* BlobCheck
    expect((yield* check.compare).orphans.count).toBe(6)
    expect(yield* stored).toHaveLength(10)
    expect((yield* check.tidy).orphans.count).toBe(6)
    expect((yield* settled).toSorted()).toEqual([young, ...kept].toSorted())
    expect(yield* check.compare).toMatchObject({ owned: 2, missing: { count: 0 }, isShared: false })
  })

  it("reports owners whose file is missing or cut off, and does not change them", function* () {
    const { id, keys } = yield* owned
    const check = yield* BlobCheck
    const { blobs } = yield* BlobControl
    blobs.set(keys[0], Buffer.from("fir"))
    const { missing } = yield* check.tidy
    expect(missing.count).toBe(2)
    expect(missing.examples.map(({ key }) => key).toSorted()).toEqual([keys[0], keys[2]].toSorted())
    expect(missing.examples.map(({ owner }) => owner)).toContain(id)
  })

  it("deletes nothing once another database has used the store", function* () {
    const { blobs } = yield* BlobControl
    const check = yield* BlobCheck
    yield* check.tidy
    expect(Array.from(blobs.keys())).toEqual([`databases/${operator}`])
    blobs.set(`databases/${crypto.randomUUID()}`, new Uint8Array())
    const theirs = yield* lay("documents/theirs")
    expect(yield* check.tidy).toMatchObject({ orphans: { count: 1 }, isShared: true })
    expect(yield* settled).toEqual([theirs])
  })

  it("deletes no file of uploads that happen at the same time", function* () {
    const { organization, chatbot } = yield* makeTenant
    const [blobs, documents, check] = [yield* Blobs, yield* Documents, yield* BlobCheck]
    const upload = (index: number) =>
      Effect.gen(function* () {
        const content = contentOf(`text ${index}`)
        yield* Effect.andThen(
          (yield* BlobGarbage).announce([content.blob_key], Duration.hours(1)),
          lay(content.blob_key),
        )
        yield* as(organization)(documents.add(yield* newDocumentId, chatbot, content))
        return content.blob_key
      })
    const uploads = Effect.forEach(Array.from({ length: 100 }).keys(), upload, { concurrency: 4 })
    const keys = yield* Effect.raceFirst(uploads, Effect.forever(check.tidy))
    yield* blobs.nudge
    expect((yield* settled).toSorted()).toEqual(keys.toSorted())
  })
})

describe("servers that start together", () => {
  it("make a single comparison", function* () {
    yield* SystemSql.use((sql) => sql`delete from blob_checks`)
    const owners = yield* BlobOwners
    const began = Effect.replicateEffect(owners.beginCheck(Duration.minutes(10)), 5)
    expect((yield* began).filter(Boolean)).toHaveLength(1)
    yield* SystemSql.use((sql) => sql`update blob_checks set began_at = now() - interval '11 minutes'`)
    expect((yield* began).filter(Boolean)).toHaveLength(1)
  })

  test("make one comparison soon after the start, and then further ones regularly", async () => {
    let checks = 0
    const comparison = { owned: 0, missing: { count: 0, examples: [] }, orphans: { count: 0, examples: [] } }
    const counted = { ...comparison, isShared: false }
    const stub = BlobCheck.of({
      compare: Effect.succeed(counted),
      tidy: Effect.sync(() => {
        checks++
        return counted
      }),
    })
    const begin = { beginCheck: () => Effect.succeed(true) }
    await Effect.gen(function* () {
      const owners = { ...(yield* BlobOwners), ...begin }
      yield* Layer.build(
        BlobCheck.layerRegularly().pipe(
          Layer.provide([Layer.succeed(BlobCheck, stub), Layer.succeed(BlobOwners, owners)]),
        ),
      )
      expect(checks).toBe(0)
      yield* TestClock.adjust("1 minute")
      expect(checks).toBe(1)
      yield* TestClock.adjust("25 hours")
      expect(checks).toBe(2)
    }).pipe(
      Effect.scoped,
      Effect.provide(TestClock.layer()),
      Effect.provide(await runtime.context()),
      Effect.runPromise,
    )
  })
})
