import { afterAll, beforeEach, describe, expect, test } from "bun:test"
import { readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { Effect, Fiber, Layer, Logger, Redacted, Stream } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { BlobStore } from "../../src/blobs/BlobStore.ts"
import { S3Bounds } from "../../src/blobs/s3/S3Settings.ts"
import * as ChosenBlobStore from "../../src/blobs/ChosenBlobStore.ts"
import { cutOff, settingsOf, s3Error, startFakeS3 } from "../lib/FakeS3.ts"
import { eventually, platform, quiet } from "../lib/Layers.ts"
import { effectTests } from "../lib/EffectTests.ts"

const fake = await startFakeS3()
const { directory, ...where } = settingsOf(fake)
afterAll(async () => {
  await fake.stop()
  rmSync(directory, { recursive: true, force: true })
})

const s3: ChosenBlobStore.BlobStoreSettings["s3"] = {
  ...where,
  region: "us-east-1",
  style: "path",
  accessKeyId: fake.accessKeyId,
  secretAccessKey: Redacted.make(fake.secretAccessKey),
}
/** Bounds that a busy machine does not reach. */
const longBounds: S3Bounds = { timeout: "50 seconds", patience: "50 seconds" }

const layerOf = (changes: Partial<typeof s3> = {}, bounds: Partial<S3Bounds> = {}) =>
  ChosenBlobStore.layer({ kind: "s3", directory, s3: { ...s3, ...changes } }).pipe(
    Layer.provide([platform, Layer.succeed(S3Bounds, { ...longBounds, ...bounds })]),
  )

const run = <A, E>(
  work: Effect.Effect<A, E, BlobStore>,
  changes: Partial<typeof s3> = {},
  bounds: Partial<S3Bounds> = {},
) => Effect.runPromise(Effect.provide(work, Layer.provideMerge(layerOf(changes, bounds), quiet)))
const it = effectTests(run)

const put = (key: string, content: string | Uint8Array) =>
  BlobStore.use((store) => store.put(key, Stream.succeed(bytesOf(content))))
const bytesOf = (content: string | Uint8Array) =>
  typeof content === "string" ? new TextEncoder().encode(content) : content
const text = (key: string) =>
  BlobStore.use((store) => Effect.map(store.get(key), (bytes) => Buffer.from(bytes).toString()))
const streamed = (key: string) =>
  BlobStore.use((store) => Effect.map(Stream.runCollect(store.read(key)), (parts) => Buffer.concat(parts).toString()))
const drafts = () => readdirSync(join(directory, "tmp"))
const list = (prefix: string) =>
  BlobStore.use((store) =>
    Effect.map(Stream.runCollect(store.list(prefix)), (pages) => pages.flat().map(({ key }) => key)),
  )

const document = () => `documents/${crypto.randomUUID()}`
const long = "0123456789".repeat(350)

/** Makes the next requests that meet a condition fail so often, and then succeed. */
const fails = (times: number, answer: () => Response | Promise<Response>, method = "") => {
  let left = times
  fake.misbehave = (request) => (request.method.includes(method) && left-- > 0 ? answer() : undefined)
}

beforeEach(() => {
  Object.assign(fake, {
    region: "us-east-1",
    sessionToken: undefined,
    clockMillis: 0,
    pageSize: 1_000,
    misbehave: undefined,
  })
  fake.objects.clear()
  fake.requests.length = 0
})

describe("a file in S3", () => {
  test("is read back byte for byte, whatever its length and its chunks", () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 2_500 }), { maxLength: 4 }), async (parts) => {
        const content = Buffer.concat(parts)
        const key = document()
        const read = Effect.gen(function* () {
          const store = yield* BlobStore
          yield* store.put(key, Stream.fromIterable(parts))
          const opened = yield* Effect.scoped(
            Effect.flatMap(store.open(key), (blob) => Effect.promise(() => blob.slice(-10).bytes())),
          )
          expect(Buffer.from(opened)).toEqual(content.subarray(-10))
          expect(yield* store.info(key)).toMatchObject({ key, bytes: content.length })
          return [yield* store.get(key), Buffer.concat(yield* Stream.runCollect(store.read(key)))] as const
        })
        for (const bytes of await run(read)) expect(Buffer.from(bytes)).toEqual(content)
        expect(drafts()).toEqual([])
      }),
      { numRuns: 15 },
    ))

  it("that is not there is reported as such, and may be deleted again", function* () {
    const store = yield* BlobStore
    const missing = { _tag: "BlobNotFound", key: "documents/none" }
    expect(yield* Effect.flip(store.get("documents/none"))).toMatchObject(missing)
    expect(yield* Effect.flip(Stream.runDrain(store.read("documents/none")))).toMatchObject(missing)
    expect(yield* Effect.flip(Effect.scoped(store.open("documents/none")))).toMatchObject(missing)
    expect(yield* store.info("documents/none")).toBeUndefined()
    yield* put("documents/some", "x")
    yield* store.remove("documents/some")
    yield* store.remove("documents/some")
    expect(fake.objects.size).toBe(0)
  })

  it("whose content fails, or whose upload is interrupted, leaves nothing behind", function* () {
    const store = yield* BlobStore
    const broken = Stream.concat(Stream.succeed(bytesOf(long)), Stream.fail("cut off"))
    expect(yield* Effect.flip(store.put(document(), broken))).toBe("cut off")
    fake.misbehave = ({ method }, proper) => (method === "PUT" ? new Promise(() => {}) : proper())
    const sending = yield* Effect.forkChild(put(document(), long))
    yield* eventually(
      Effect.sync(() => fake.requests.some((line) => line.startsWith("PUT"))),
      (isSent) => isSent,
    )
    yield* Fiber.interrupt(sending)
    expect([fake.objects.size, drafts()]).toEqual([0, []])
  })

  test("is found by a bucket in the host's name", async () => {
    const virtual = await startFakeS3({ style: "virtual" })
    try {
      const settings = { endpoint: virtual.url, style: "virtual", region: "eu-west-1" } as const
      virtual.region = "eu-west-1"
      expect(await run(Effect.andThen(put("a/b-c.d", "x"), text("a/b-c.d")), settings)).toBe("x")
    } finally {
      await virtual.stop()
    }
  })
})

describe("files in S3", () => {
  test("are listed by prefix in pages, without those of other prefixes and of other programs", async () => {
    fake.pageSize = 7
    const keys = Array.from({ length: 30 }, document)
    const others = ["documents-old/a", "documents/deep/a", "documents/Somebody's file.pdf", "avatars/x.png"]
    const all = Effect.forEach([...keys, ...others.slice(0, 2), others[3] ?? ""], (key) => put(key, "x"))
    await run(all)
    fake.objects.set(others[2] ?? "", { bytes: new Uint8Array(), meta: {}, etag: "", writtenAt: new Date() })
    expect((await run(list("documents/"))).toSorted()).toEqual(keys.toSorted())
    expect(fake.requests.filter((line) => line.includes("continuation-token"))).toHaveLength(4)
    expect(await run(list("nothing/"))).toEqual([])
  })
})

describe("an S3 server that misbehaves", () => {
  const answers: ReadonlyArray<readonly [string, () => Response]> = [
    ["500", () => s3Error(500, "InternalError")],
    ["503 SlowDown", () => s3Error(503, "SlowDown")],
    ["429 without a body", () => new Response(null, { status: 429 })],
    ["400 because a body arrived damaged", () => s3Error(400, "XAmzContentSHA256Mismatch")],
  ]

  test.each(answers)("by %s is asked again, and nothing is lost", async (_, answer) => {
    const key = document()
    const story = Effect.gen(function* () {
      fails(1, answer, "PUT")
      yield* put(key, "content")
      fails(1, answer, "GET")
      expect(yield* text(key)).toBe("content")
      fails(1, answer, "P")
      yield* put(key, long)
      expect(yield* streamed(key)).toBe(long)
    })
    await run(story)
  })

  test("by errors without end makes the store unavailable, which then is not asked for a while", async () => {
    const story = Effect.gen(function* () {
      const store = yield* BlobStore
      // The server compares the clocks.
      yield* TestClock.setTime(Date.now())
      fails(Infinity, () => s3Error(503, "SlowDown"))
      yield* store.ready
      const pass = Effect.andThen(TestClock.adjust("1 second"), TestClock.withLive(Effect.sleep("2 millis")))
      const passing = yield* Effect.forkChild(Effect.forever(pass))
      const errors = yield* Effect.forEach([1, 2, 3], () => Effect.flip(text("documents/any")))
      expect(errors.map(({ _tag }) => _tag)).toEqual(["Unavailable", "Unavailable", "Unavailable"])
      yield* Fiber.interrupt(passing)
      expect(yield* Effect.flip(store.ready)).toMatchObject({ _tag: "Unavailable", retry_after_seconds: 3 })
      const sent = fake.requests.length
      expect((yield* Effect.flip(put(document(), "x")))._tag).toBe("Unavailable")
      expect(fake.requests).toHaveLength(sent)
      expect(drafts()).toEqual([])
      fake.misbehave = undefined
      yield* TestClock.adjust("3 seconds")
      yield* store.ready
      yield* put("documents/any", "back")
      expect(yield* text("documents/any")).toBe("back")
    })
    await run(Effect.provide(story, TestClock.layer()), {}, { patience: "100 millis" })
  })

  test("by waiting longer than it asked for is waited for no longer than the patience", async () => {
    const story = Effect.gen(function* () {
      fails(1, () => s3Error(503, "SlowDown", "", { "retry-after": "60" }), "GET")
      return yield* Effect.flip(text("documents/any"))
    })
    expect(await run(story)).toMatchObject({ _tag: "Unavailable" })
    expect(fake.requests.filter((line) => line.startsWith("GET documents"))).toHaveLength(1)
  })

  test("by silence is given up after the time limit", async () => {
    const story = Effect.gen(function* () {
      fake.misbehave = () => new Promise(() => {})
      return yield* Effect.flip(put(document(), "x"))
    })
    const short: S3Bounds = { timeout: "100 millis", patience: "200 millis" }
    expect(await run(story, {}, short)).toMatchObject({ _tag: "Unavailable" })
  })

  test.each(["cut", "stall"] as const)("by a download that ends early (%s) is asked for the rest", async (end) => {
    const key = document()
    await run(put(key, long))
    fake.requests.length = 0
    const story = Effect.gen(function* () {
      const store = yield* BlobStore
      let left = 3
      fake.misbehave = (request, proper) =>
        request.key === key && left-- > 0 ? proper().then((response) => cutOff(response, 100, end)) : undefined
      expect(yield* streamed(key)).toBe(long)
      // An answer that is slow counts as stalled, too.
      const asked = fake.requests.filter((line) => line.startsWith("GET documents")).length
      expect(end === "cut" ? asked : Math.min(asked, 4)).toBe(4)
      left = 3
      const opened = Effect.flatMap(store.open(key), (blob) => Effect.promise(() => blob.text()))
      expect(yield* Effect.scoped(opened)).toBe(long)
    })
    await run(story, {}, end === "cut" ? {} : { timeout: "200 millis" })
    expect(drafts()).toEqual([])
  })

  it("by content that is not what was stored fails, unless it is right the next time", function* () {
    const key = document()
    yield* put(key, "content")
    const wrong = () =>
      new Response("CONTENT", { headers: { ...fake.objects.get(key)?.meta, etag: fake.objects.get(key)?.etag ?? "" } })
    fails(1, wrong, "GET")
    expect(yield* text(key)).toBe("content")
    fails(Infinity, wrong, "GET")
    expect((yield* Effect.flip(text(key)))._tag).toBe("BlobDamaged")
    expect((yield* Effect.flip(streamed(key)))._tag).toBe("BlobDamaged")
    fails(Infinity, () => new Response("conte", { headers: fake.objects.get(key)?.meta ?? {} }), "GET")
    expect((yield* Effect.flip(text(key)))._tag).toBe("BlobDamaged")
  })
})

describe("the start with S3", () => {
  const failure = (changes: Partial<typeof s3> = {}) =>
    Effect.runPromise(Effect.flip(Effect.scoped(Layer.build(layerOf(changes))))).then(({ message }) => message)

  test("says what is wrong with the settings, the clock and the bucket, and what to do", async () => {
    expect(await failure({ bucket: undefined })).toBe(
      "Files are kept in S3, but S3_BUCKET is not set. Set it, or set BLOBS to local.",
    )
    expect(await failure({ accessKeyId: undefined })).toContain("S3_ACCESS_KEY_ID is not set")
    expect(await failure({ accessKeyId: "nobody" })).toContain("does not know the access key. Set S3_ACCESS_KEY_ID")
    expect(await failure({ secretAccessKey: Redacted.make("wrong") })).toContain("refuses the signature")
    expect(await failure({ bucket: "none" })).toBe(
      `There is no bucket none at ${s3.endpoint}. Create it, or set S3_BUCKET to one that exists.`,
    )
    expect(await failure({ region: "eu-central-1" })).toBe(
      "The bucket parley is in the region us-east-1, and not in eu-central-1. Set S3_REGION and S3_ENDPOINT to those of the bucket.",
    )
    fake.sessionToken = "token"
    expect(await failure()).toContain("takes the access key for a temporary one")
    fake.sessionToken = undefined
    fake.clockMillis = -3_600_000
    expect(await failure()).toMatch(/clocks of this machine and of the S3 server at .* differ by 3[56]\d\d s/)
    fake.clockMillis = 0
    fake.misbehave = () => s3Error(403, "AccessDenied")
    expect(await failure()).toContain("The access key may not use the bucket parley")
    fake.misbehave = () => new Response("<html>", { status: 404 })
    expect(await failure()).toContain("Set S3_ENDPOINT to the address of an S3 server.")
  })

  test("goes on with a warning while the server cannot be reached", async () => {
    const lines: Array<string> = []
    const logger = Logger.layer([Logger.make(({ message }) => void lines.push(JSON.stringify(message)))])
    await Effect.runPromise(
      Effect.provide(
        Effect.void,
        Layer.provideMerge(layerOf({ endpoint: "http://127.0.0.1:9" }, { patience: "100 millis" }), logger),
      ),
    )
    expect(lines.join()).toContain("until the S3 server answers")
    expect(lines.join()).toContain("nothing listens there")
  })
})

describe("the doctor", () => {
  const examined = (bounds: Partial<S3Bounds> = {}) =>
    run(
      BlobStore.use(({ examine }) => examine),
      {},
      bounds,
    )

  test("says whether the bucket answers, and whether the clocks differ", async () => {
    const ok = { state: "ok" as const, text: `the bucket parley at ${s3.endpoint} answers` }
    expect(await examined()).toEqual([ok])
    fake.clockMillis = 120_000
    expect(await examined()).toMatchObject([ok, { state: "note", text: expect.stringMatching(/differ by 1[12]\d s/) }])
    fake.misbehave = () => s3Error(503, "SlowDown")
    expect(await examined({ patience: "100 millis" })).toMatchObject([
      { state: "wrong", text: expect.stringContaining("503 SlowDown") },
    ])
  })
})
