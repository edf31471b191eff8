import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Fiber, FileSystem, Layer, Logger, ManagedRuntime, PlatformError, References, Stream } from "effect"
import * as fc from "fast-check"
import { BlobStore } from "../../src/blobs/BlobStore.ts"
import * as LocalBlobStore from "../../src/blobs/LocalBlobStore.ts"
import { eventually, platform, quiet } from "../lib/Layers.ts"
import { sharedRun } from "../lib/Scoped.ts"
import { temporaryDirectory } from "../lib/TemporaryDirectory.ts"
import { effectTests } from "../lib/EffectTests.ts"

const root = await sharedRun()(temporaryDirectory("blobs"))
const directory = join(root, "files")
const layerAt = (path: string) => Layer.provide(LocalBlobStore.layer({ directory: path }), platform)
const runtime = ManagedRuntime.make(layerAt(directory))
const run = runtime.runPromise
const it = effectTests(run)
beforeAll(() => run(Effect.void))
afterAll(() => runtime.dispose())

const put = (key: string, content: Stream.Stream<Uint8Array, string>) =>
  BlobStore.use((store) => store.put(key, content))
const get = (key: string) => BlobStore.use((store) => store.get(key))
const remove = (key: string) => BlobStore.use((store) => store.remove(key))
const textOf = (key: string) => Effect.map(get(key), (bytes) => Buffer.from(bytes).toString())
const bytesOf = (text: string) => new TextEncoder().encode(text)
const drafts = () => readdirSync(join(directory, "tmp"))

describe("a blob", () => {
  test("is read back byte for byte, whatever the chunks in which it was written", () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 50 }), { maxLength: 5 }), async (parts) => {
        await run(put("documents/any", Stream.fromIterable(parts)))
        const content = Buffer.concat(parts)
        expect(Buffer.from(await run(get("documents/any")))).toEqual(content)
        const streamed = BlobStore.use((store) => Stream.runCollect(store.read("documents/any")))
        expect(Buffer.concat(await run(streamed))).toEqual(content)
        const opened = BlobStore.use((store) =>
          Effect.scoped(
            Effect.flatMap(store.open("documents/any"), (blob) => Effect.promise(() => blob.slice(-3).bytes())),
          ),
        )
        expect(Buffer.from(await run(opened))).toEqual(content.subarray(-3))
      }),
      { numRuns: 20 },
    ))

  it("whose key says another length than it has is damaged, however it is read", function* () {
    const store = yield* BlobStore
    for (const key of ["attachments/a.5", "avatars/b.5.png"]) {
      yield* put(key, Stream.succeed(bytesOf("whole")))
      expect(yield* textOf(key)).toBe("whole")
      writeFileSync(join(directory, key), "who")
      const damaged = { _tag: "BlobDamaged", key }
      expect(yield* Effect.flip(get(key))).toMatchObject(damaged)
      expect(yield* Effect.flip(Stream.runDrain(store.read(key)))).toMatchObject(damaged)
      expect(yield* Effect.flip(Effect.scoped(store.open(key)))).toMatchObject(damaged)
    }
  })

  it("is replaced as a whole, and is gone once removed, which may be repeated", function* () {
    yield* put("a/b/c", Stream.succeed(bytesOf("a longer first content")))
    yield* put("a/b/c", Stream.succeed(bytesOf("second")))
    expect(yield* textOf("a/b/c")).toBe("second")
    yield* remove("a/b/c")
    yield* remove("a/b/c")
    const missing = { _tag: "BlobNotFound", key: "a/b/c" }
    const store = yield* BlobStore
    expect(yield* Effect.flip(get("a/b/c"))).toMatchObject(missing)
    expect(yield* Effect.flip(Stream.runDrain(store.read("a/b/c")))).toMatchObject(missing)
    expect(yield* Effect.flip(Effect.scoped(store.open("a/b/c")))).toMatchObject(missing)
  })

  it("whose content fails is not stored, leaves nothing behind, and keeps its predecessor", function* () {
    yield* put("kept", Stream.succeed(bytesOf("before")))
    const broken = Stream.concat(Stream.succeed(bytesOf("half")), Stream.fail("cut off"))
    expect(yield* Effect.flip(put("kept", broken))).toBe("cut off")
    expect(yield* Effect.flip(put("never", broken))).toBe("cut off")
    expect(yield* textOf("kept")).toBe("before")
    expect((yield* Effect.flip(get("never")))._tag).toBe("BlobNotFound")
    expect(drafts()).toEqual([])
  })

  it("whose writing is interrupted never becomes visible", function* () {
    const endless = Stream.concat(Stream.succeed(bytesOf("half")), Stream.never)
    const writing = yield* Effect.forkChild(put("endless", endless))
    yield* eventually(Effect.sync(drafts), (names) => names.length > 0)
    expect((yield* Effect.flip(get("endless")))._tag).toBe("BlobNotFound")
    yield* Fiber.interrupt(writing)
    expect((yield* Effect.flip(get("endless")))._tag).toBe("BlobNotFound")
    expect(drafts()).toEqual([])
  })

  it("that is written by many at once is exactly what one of them wrote", function* () {
    const contents = Array.from({ length: 10 }, (_, index) => `${index}`.repeat(10_000))
    yield* Effect.forEach(contents, (content) => put("raced", Stream.succeed(bytesOf(content))), {
      concurrency: "unbounded",
    })
    expect(contents).toContain(yield* textOf("raced"))
  })

  test("cannot be read by other users of the machine", async () => {
    await run(put("x/private", Stream.succeed(bytesOf("secret"))))
    const mode = (path: string) => (statSync(path).mode & 0o777).toString(8)
    expect([mode(directory), mode(join(directory, "x")), mode(join(directory, "x/private"))]).toEqual([
      "700",
      "700",
      "600",
    ])
  })
})

describe("blobs", () => {
  const list = (prefix: string) =>
    BlobStore.use((store) =>
      Effect.map(Stream.runCollect(store.list(prefix)), (pages) => pages.flat().map(({ key }) => key)),
    )

  it("are listed by the prefix of their keys, in pages, without temporary files", function* () {
    const keys = Array.from({ length: 1_200 }, (_, index) => `listed/${index}`)
    yield* put("listed/0", Stream.succeed(bytesOf("x")))
    yield* Effect.sync(() => {
      for (const key of keys) writeFileSync(join(directory, key), "")
    })
    const pages = yield* BlobStore.use((store) => Stream.runCollect(store.list("listed/")))
    expect(pages.map((page) => page.length)).toEqual([500, 500, 200])
    expect(
      pages
        .flat()
        .map(({ key }) => key)
        .toSorted(),
    ).toEqual(keys.toSorted())
    expect(yield* list("never/")).toEqual([])
  })

  it("are described by their length and the time when they were written", function* () {
    const store = yield* BlobStore
    yield* put("dated", Stream.succeed(bytesOf("x")))
    const then = new Date("2020-01-01")
    yield* Effect.sync(() => utimesSync(join(directory, "dated"), then, then))
    expect(yield* store.info("dated")).toEqual({ key: "dated", bytes: 1, writtenAt: then })
    expect(yield* store.info("undated")).toBeUndefined()
  })
})

describe("a full disk", () => {
  const full = PlatformError.systemError({
    _tag: "Unknown",
    module: "FileSystem",
    method: "write",
    cause: Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" }),
  })

  /** A file system whose files can be opened, but not written to. */
  const fullFiles = Layer.effect(
    FileSystem.FileSystem,
    Effect.map(FileSystem.FileSystem, (files) => ({
      ...files,
      open: (...given: Parameters<typeof files.open>) =>
        Effect.map(files.open(...given), (file) => ({ ...file, writeAll: () => Effect.fail(full) })),
    })),
  )

  test("makes the store unavailable, leaves nothing half written, and is logged with the directory and its free space", async () => {
    const path = join(root, "full")
    const lines: Array<string> = []
    const logger = Logger.make(({ message, fiber }) => {
      lines.push(`${String(message)} ${JSON.stringify(fiber.getRef(References.CurrentLogAnnotations))}`)
    })
    const error = await put("x", Stream.succeed(bytesOf("x"))).pipe(
      Effect.flip,
      Effect.provide(
        LocalBlobStore.layer({ directory: path }).pipe(
          Layer.provide(fullFiles),
          Layer.provide(platform),
          Layer.merge(Logger.layer([logger])),
        ),
      ),
      Effect.runPromise,
    )
    expect(error).toMatchObject({ _tag: "Unavailable", detail: "The server's disk is full." })
    expect(readdirSync(join(path, "tmp"))).toEqual([])
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain("The disk is full")
    expect(lines[0]).toContain(`"directory":"${path}"`)
    expect(lines[0]).toMatch(/"free":"\d+ MiB"/)
  })
})

describe("the directory", () => {
  test("is cleared of the temporary files of dead processes, and keeps those that may still be written", async () => {
    const path = join(root, "crashed")
    mkdirSync(join(path, "tmp"), { recursive: true })
    writeFileSync(join(path, "tmp", "old"), "half")
    utimesSync(join(path, "tmp", "old"), new Date("2020-01-01"), new Date("2020-01-01"))
    writeFileSync(join(path, "tmp", "young"), "half")
    await Effect.runPromise(Effect.scoped(Layer.build(layerAt(path))))
    expect(readdirSync(join(path, "tmp"))).toEqual(["young"])
  })

  test("that cannot be made stops the start with advice", async () => {
    const file = join(root, "file")
    writeFileSync(file, "")
    const error = await Effect.runPromise(Effect.flip(Effect.scoped(Layer.build(layerAt(join(file, "files"))))))
    expect(error._tag).toBe("StartupError")
    expect(error.message).toContain(`${file}/files, cannot be written: a part of the path is a file.`)
    expect(error.message).toContain("DATA_DIR")
  })

  test.each(["", "tmp", "documents"])(
    "that is not writable, in %p, stops the start with the reason in words",
    async (name) => {
      const path = join(root, "refused")
      mkdirSync(join(path, "documents"), { recursive: true })
      // Simulated, because the user who runs the tests may have the right to write everywhere.
      const refusing = Layer.effect(
        FileSystem.FileSystem,
        Effect.map(FileSystem.FileSystem, (files) =>
          FileSystem.FileSystem.of({
            ...files,
            access: (asked, options) =>
              asked === join(path, name)
                ? Effect.fail(
                    PlatformError.systemError({
                      _tag: "PermissionDenied",
                      module: "FileSystem",
                      method: "access",
                      cause: Object.assign(new Error("EACCES: no"), { code: "EACCES" }),
                    }),
                  )
                : files.access(asked, options),
          }),
        ),
      )
      const layer = LocalBlobStore.layer({ directory: path }).pipe(Layer.provide(refusing), Layer.provide(platform))
      const error = await Effect.runPromise(Effect.flip(Effect.scoped(Layer.build(layer))))
      expect(error.message).toStartWith(`The directory for files, ${path}, cannot be written: permission denied.`)
      expect(error.message).toContain("DATA_DIR")
    },
  )

  test("that stops being writable makes the store unavailable, without revealing its path", async () => {
    const path = join(root, "lost")
    const error = await Effect.runPromise(
      Effect.gen(function* () {
        yield* Effect.sync(() => rmSync(path, { recursive: true }))
        return yield* Effect.flip(put("x", Stream.succeed(bytesOf("x"))))
      }).pipe(Effect.provide(Layer.merge(layerAt(path), quiet))),
    )
    expect(error).toMatchObject({ _tag: "Unavailable", retry_after_seconds: 10 })
    expect(JSON.stringify(error)).not.toContain(path)
    expect(existsSync(path)).toBe(false)
  })
})
