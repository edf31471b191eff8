import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { brotliDecompressSync } from "node:zlib"
import { expect, test } from "bun:test"
import { NodeFileSystem } from "@effect/platform-node-shared"
import { Duration, Effect, Exit, Layer, Logger, Option, References } from "effect"
import { TestClock } from "effect/testing"
import { MANIFEST } from "../../../src/http/web/Manifest.ts"
import { root } from "../../../src/http/web/SourceHash.ts"
import { WebFiles } from "../../../src/http/web/WebFiles.ts"
import { sharedRun } from "../../lib/Scoped.ts"
import { temporaryDirectory } from "../../lib/TemporaryDirectory.ts"

const directory = await sharedRun()(temporaryDirectory("web"))

/** Writes sources of a page that says this, and returns their directory. */
const sourcesOf = (name: string, content: string): string => {
  const sources = join(directory, name)
  mkdirSync(join(sources, "widget"), { recursive: true })
  mkdirSync(join(sources, "console"), { recursive: true })
  writeFileSync(join(sources, "icon.svg"), '<svg xmlns="http://www.w3.org/2000/svg" />')
  writeFileSync(join(sources, "widget/loader.ts"), "export {}")
  writeFileSync(join(sources, "widget/frame.tsx"), content)
  mkdirSync(join(sources, "docs"), { recursive: true })
  writeFileSync(join(sources, "docs/docs.ts"), "export {}")
  mkdirSync(join(sources, "voice"), { recursive: true })
  writeFileSync(join(sources, "voice/CallView.tsx"), "export {}")
  writeFileSync(join(sources, "voice/worklet.ts"), "export {}")
  writeFileSync(join(sources, "console/main.tsx"), 'import "./main.css"\nvoid import("./later.ts")')
  writeFileSync(join(sources, "console/main.css"), "a { color: red }")
  writeFileSync(join(sources, "console/later.ts"), 'document.title = "later"')
  return sources
}

const testClock: Layer.Layer<never> = TestClock.layer()

/** Runs an effect with the builds of some sources, and returns what was logged. */
const run = async <A, E>(
  name: string,
  sources: string,
  effect: Effect.Effect<A, E, WebFiles>,
  { ahead = join(directory, "nowhere"), buildTimeout = Duration.minutes(1), clock = testClock } = {},
) => {
  const logged: Array<string> = []
  const logger = Logger.layer([Logger.make(({ message }) => void logged.push(JSON.stringify(message)))])
  const layer = Layer.provide(
    WebFiles.layer({ cache: join(directory, name) }, sources, ahead, buildTimeout),
    NodeFileSystem.layer,
  )
  const context = Layer.mergeAll(layer, logger, clock, Layer.succeed(References.MinimumLogLevel, "All"))
  const exit = await Effect.runPromiseExit(Effect.provide(effect, context))
  if (Exit.isFailure(exit)) throw new Error(String(exit.cause))
  return { value: exit.value, logged, builds: logged.filter((line) => line.includes("being built")).length }
}

const current = WebFiles.use((files) => files.current)
const reasonOf = Effect.map(Effect.flip(current), ({ reason }) => reason)

test("requests at the same time share one build, which the next server finds", async () => {
  const sources = sourcesOf("shared", 'document.title = "shared"')
  const first = await run(
    "shared-cache",
    sources,
    Effect.all(
      Array.from({ length: 20 }, () => current),
      { concurrency: "unbounded" },
    ),
  )
  expect(first.builds).toBe(1)
  expect(new Set(first.value.map(({ hash }) => hash)).size).toBe(1)
  const second = await run("shared-cache", sources, current)
  expect(second.builds).toBe(0)
  expect(second.value).toEqual(first.value[0] ?? second.value)
})

test("a build has every file in three forms, and those of each document by its name", async () => {
  const sources = sourcesOf("forms", 'document.title = "forms"')
  const { value: texts } = await run(
    "forms-cache",
    sources,
    Effect.gen(function* () {
      const files = yield* WebFiles
      const build = yield* files.current
      const names = Object.keys(build.files).toSorted()
      expect(names).toEqual(expect.arrayContaining(["docs/guide.html", "docs/api-chatbots.html", "docs/search.json"]))
      expect(names.filter((name) => !name.startsWith("docs/"))).toEqual([
        "console.css",
        "console.js",
        "docs.html",
        "docs.js",
        "frame.js",
        "icon.svg",
        expect.stringMatching(/^later-\w+\.js$/),
        "voice-worklet.js",
        "voice.js",
        "widget.js",
      ])
      const read = (encoding: "identity" | "br" | "gzip") => files.read(build, "frame.js", encoding)
      return [
        yield* read("identity"),
        Bun.gunzipSync(yield* read("gzip")),
        brotliDecompressSync(yield* read("br")),
      ].map((bytes) => new TextDecoder().decode(bytes))
    }),
  )
  expect(texts[0]).toContain('"forms"')
  expect(new Set(texts).size).toBe(1)
})

test("changed sources are built anew, and the files of the earlier build are still there", async () => {
  const sources = sourcesOf("changed", 'document.title = "before"')
  const { builds, value } = await run(
    "changed-cache",
    sources,
    Effect.gen(function* () {
      const files = yield* WebFiles
      const before = yield* files.current
      writeFileSync(join(sources, "widget/frame.tsx"), 'document.title = "afterwards"')
      const meanwhile = yield* files.current
      yield* TestClock.adjust("2 seconds")
      const after = yield* files.current
      return { before, meanwhile, after, earlier: yield* files.byHash(before.hash) }
    }),
  )
  expect(builds).toBe(2)
  expect(value.meanwhile).toBe(value.before)
  expect(value.after.hash).not.toBe(value.before.hash)
  expect(Option.getOrThrow(value.earlier)).toEqual(value.before)
})

test("a build that fails says in the log which file is wrong, and is tried again when it is mended", async () => {
  const sources = sourcesOf("broken", "const = 1")
  const { builds, logged, value } = await run(
    "broken-cache",
    sources,
    Effect.gen(function* () {
      const reasons = yield* Effect.all(
        Array.from({ length: 5 }, () => reasonOf),
        { concurrency: "unbounded" },
      )
      writeFileSync(join(sources, "widget/frame.tsx"), "document.title = ''")
      yield* TestClock.adjust("2 seconds")
      return { reasons, mended: yield* current }
    }),
  )
  expect(builds).toBe(2)
  expect(new Set(value.reasons).size).toBe(1)
  expect(value.reasons[0]).toContain("frame.tsx")
  expect(logged.filter((line) => line.includes("could not be built"))).toHaveLength(1)
  expect(existsSync(value.mended.directory)).toBe(true)
  expect(readdirSync(join(directory, "broken-cache"))).toEqual([value.mended.hash])
})

test("a build that takes too long is killed, and leaves no build", async () => {
  const sources = sourcesOf("slow", "document.title = ''")
  const cache = join(directory, "slow-cache")
  mkdirSync(cache)
  const { value } = await run("slow-cache", sources, reasonOf, { buildTimeout: Duration.millis(1), clock: Layer.empty })
  expect(value).toContain("longer than 1ms")
  expect(readdirSync(cache).filter((name) => !name.includes("unfinished"))).toEqual([])
})

test("a cache that cannot be written is a reason in words", async () => {
  writeFileSync(join(directory, "file"), "")
  const { value } = await run("file/cache", sourcesOf("unwritable", "document.title = ''"), reasonOf)
  expect(value).toContain("ENOTDIR")
})

test("what was built in advance is used if it is of the same sources", async () => {
  const sources = sourcesOf("ahead", "document.title = 'ahead'")
  const { value: build } = await run("ahead-cache", sources, current)
  const used = await run("other-cache", sources, current, { ahead: build.directory })
  expect(used.builds).toBe(0)
  expect(used.value.directory).toBe(build.directory)
  writeFileSync(join(sources, "widget/frame.tsx"), "document.title = 'newer'")
  const unused = await run("other-cache", sources, current, { ahead: build.directory })
  expect(unused.builds).toBe(1)
})

test("a module that does not exist is named with the file that imports it", async () => {
  const sources = sourcesOf("missing", 'import { one } from "./missing.ts"\ndocument.title = one')
  const { value } = await run("missing-cache", sources, reasonOf)
  expect(value).toContain("missing.ts")
  expect(value).toContain("frame.tsx:1:")
})

test("an installation without some Markdown files has a build without their pages", async () => {
  const copy = join(directory, "copy")
  for (const path of ["src", "bun.lock", "tsconfig.json", "docs/guide.md"])
    cpSync(join(root, path), join(copy, path), { recursive: true })
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"))
  const { exitCode } = Bun.spawnSync([process.execPath, "src/http/web/BuildMain.ts", "web"], { cwd: copy })
  expect(exitCode).toBe(0)
  const { files } = JSON.parse(readFileSync(join(copy, "web", MANIFEST), "utf8"))
  const pages = Object.keys(files).filter((name) => /^docs.*html$/.test(name) && !name.includes("/api-"))
  expect(pages.toSorted()).toEqual(["docs.html", "docs/guide.html"])
  const guide = readFileSync(join(copy, "web/docs/guide.html"), "utf8")
  expect(guide).toContain('href="../docs/guide"')
  expect(guide).not.toContain('<li><a href="../docs/settings">')
})
