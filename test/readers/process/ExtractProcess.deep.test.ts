import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "bun:test"
import { Duration, Effect, Fiber, Layer } from "effect"
import * as fc from "fast-check"
import { chunk } from "../../../src/readers/chunk/Chunker.ts"
import { Extract, TextLimit, type ExtractSettings } from "../../../src/readers/Extract.ts"
import type { StoredSource } from "../../../src/readers/extract/Extraction.ts"
import { ExtractProcess } from "../../../src/readers/process/ExtractProcess.ts"
import { framePieces, FrameReader } from "../../../src/readers/process/Frames.ts"
import { ReaderSandbox } from "../../../src/readers/process/ReaderSandbox.ts"
import { noSandbox } from "../../../src/readers/process/Sandbox.ts"
import { until } from "../../lib/Client.ts"
import { onePage, packed } from "../../lib/files/PdfFile.ts"
import { defaults, readDocument } from "../../lib/Defaults.ts"
import { watchedFile } from "../../lib/WatchedFile.ts"

const MEGABYTE = 1024 * 1024
const time = Duration.seconds(30)

/** No sandbox, and the one of this machine. */
const sandboxes = [
  noSandbox,
  await Effect.runPromise(
    Effect.provide(
      ReaderSandbox.use(({ chosen }) => chosen),
      ReaderSandbox.layer("auto"),
    ),
  ),
]

const page = (text: string): StoredSource => ({ format: "html", name: "a.html", content: new Blob([text]) })

const bomb = (): StoredSource => ({
  format: "pdf",
  name: "bomb.pdf",
  content: new Blob([new Uint8Array(onePage(packed(Buffer.alloc(400 * MEGABYTE, "0 0 m "))))]),
})

const run = <A, E>(
  effect: Effect.Effect<A, E, Extract>,
  {
    textLimit = TextLimit.defaultValue(),
    ...settings
  }: Partial<ExtractSettings> & { readonly textLimit?: number } = {},
) => {
  const layer = Extract.layer({ ...defaults.extract, concurrency: 1, ...settings })
  return Effect.runPromise(Effect.provide(effect, Layer.provide(layer, Layer.succeed(TextLimit, textLimit))))
}

const extract = (source: StoredSource) => Extract.use((service) => service.split(source))

describe("frames", () => {
  const pieces = (bytes: Uint8Array, size: number) =>
    Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) => bytes.slice(index * size, (index + 1) * size))

  async function* sourceOf(parts: ReadonlyArray<Uint8Array>) {
    yield* parts
  }

  test("arrive as they were sent, in whatever pieces the pipe delivers them", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ head: fc.json(), body: fc.uint8Array() })),
        fc.integer({ min: 1, max: 20 }),
        async (frames, size) => {
          const bytes = Buffer.concat(frames.flatMap(({ head, body }) => framePieces(JSON.parse(head), body)))
          const reader = new FrameReader(sourceOf(pieces(new Uint8Array(bytes), size)), { head: 10_000, body: 10_000 })
          for (const { head, body } of frames) {
            const frame = await reader.next()
            expect(frame?.head).toBe(JSON.stringify(JSON.parse(head)))
            expect(frame?.body).toEqual(body)
          }
          expect(await reader.next()).toBeUndefined()
        },
      ),
    ))

  test("are rejected when they are too large or incomplete", async () => {
    const bytes = Buffer.concat(framePieces({}, new Uint8Array(100)))
    const limited = new FrameReader(sourceOf([bytes]), { head: 10, body: 99 })
    await expect(limited.next()).rejects.toThrow("larger")
    const cut = new FrameReader(sourceOf([bytes.subarray(0, 50)]), { head: 10, body: 100 })
    await expect(cut.next()).rejects.toThrow("ended within")
  })
})

describe("a process that a file has taken over is given up when it", () => {
  const frames = new URL("../../../src/readers/process/Frames.ts", import.meta.url).pathname

  /** A process that sends frames with these heads, in JavaScript, and then the last of them for ever. */
  const answering = (...heads: ReadonlyArray<string>) => {
    const script = `
      import { framePieces } from ${JSON.stringify(frames)}
      const frames = [${heads.join()}].map((head) => Buffer.concat(framePieces(head, new Uint8Array())))
      for (let index = 0; ; index++) await Bun.write(Bun.stdout, frames[Math.min(index, frames.length - 1)])
    `
    return { ...noSandbox, wrap: () => [process.execPath, "-e", script] }
  }
  const split = (count: number, omissions = "[]") =>
    `{ kind: "split", title: "a", frames: ${count}, omissions: ${omissions} }`
  const omissions = (count: number, name: number) =>
    `Array(${count}).fill({ kind: "images", count: 1, where: ["a".repeat(${name})] })`
  const passages = (count: number, length: number) =>
    `Array(${count}).fill({ ordinal: 0, headings: [], text: "a".repeat(${length}), page: null })`

  test.each([
    ["announces frames without end", answering(split(Number.MAX_SAFE_INTEGER), "[]"), "announced more"],
    ["sends more omissions than a reader does", answering(split(0, omissions(21, 1)), "[]"), "no reply"],
    ["sends longer names than a reader does", answering(split(0, omissions(1, 101)), "[]"), "no reply"],
    ["sends more passages in a frame than a reader does", answering(split(1), passages(200, 1)), "no reply"],
    ["sends more text than a document has", answering(split(8), passages(1, 2 ** 20)), "answered more"],
    [
      "sends more blocks in a frame than a reader does",
      answering(
        `{ kind: "page", page: { title: "", noindex: false, nofollow: false, needsBrowser: false, needsLogin: false }, blocks: 1, frames: 1 }`,
        `Array(200).fill("a")`,
      ),
      "no reply",
    ],
    ["sends what is no reply", answering(`{ kind: "obeyed" }`), "no reply"],
  ])("%s", async (_, sandbox, how) => {
    const outcome = Effect.gen(function* () {
      const child = yield* ExtractProcess.start(1_000, sandbox)
      return yield* Effect.flip(child.read(page("<p>Hi"), { memory: 2_048 * MEGABYTE, time }))
    })
    const failure = await Effect.runPromise(Effect.scoped(outcome))
    expect(failure).toMatchObject({ _tag: "ProcessEnded", how: expect.stringContaining(how) })
  })
})

describe("a process that reads documents", () => {
  test("is killed when a document takes too much memory, and another process reads the next document", async () => {
    const both = Effect.all([Effect.flip(extract(bomb())), extract(page("<p>Still here."))])
    const [failure, document] = await run(both, { memory: 200 * MEGABYTE })
    expect(failure).toMatchObject({ _tag: "ExtractionFailed", code: "extraction_out_of_memory" })
    expect(failure.message).toContain("200 MiB")
    expect(document.passages).toMatchObject([{ text: "Still here." }])
  })

  test("splits a text of any length into the same passages as the server itself would", async () => {
    const paragraphs = Array.from(
      { length: 700 },
      (_, number) => `<h2>Part ${number}</h2><p>${'Some "words". '.repeat(80)}</p>`,
    )
    const source = page(paragraphs.join(""))
    const text = await readDocument({ ...source, bytes: await source.content.bytes() })
    const split = await run(extract(source))
    const expected = chunk(text).map(({ ordinal, headings, text, page }) => ({ ordinal, headings, text, page }))
    expect(expected.length).toBeGreaterThan(300)
    expect(split).toEqual({ title: text.title, omissions: [], passages: expected })
  })

  test("refuses a document whose text exceeds the limit", async () => {
    const failure = await run(Effect.flip(extract(page(`<p>${"word ".repeat(1000)}`))), { textLimit: 1000 })
    expect(failure).toMatchObject({ code: "too_large_when_extracted" })
  })

  test("fails only the document that it reads when it is killed", async () => {
    const outcome = Effect.gen(function* () {
      const process = yield* ExtractProcess.start(1000)
      yield* process.read(page("warm"), { memory: 512 * MEGABYTE, time })
      const source = bomb()
      const { file, taken } = watchedFile(source.content)
      const limits = { memory: 8_000 * MEGABYTE, time }
      const reading = yield* Effect.forkChild(Effect.flip(process.read({ ...source, content: file }, limits)))
      yield* Effect.promise(() => taken)
      yield* process.kill
      return yield* Fiber.join(reading)
    })
    expect(await Effect.runPromise(Effect.scoped(outcome))).toMatchObject({ _tag: "ProcessEnded" })
  })

  test.each(sandboxes)("ignores the stop signals that all processes of the server get, in $name", async (sandbox) => {
    const outcome = Effect.gen(function* () {
      const child = yield* ExtractProcess.start(1000, sandbox)
      const limits = { memory: 512 * MEGABYTE, time }
      yield* child.read(page("warm"), limits)
      for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
        for (const pid of child.pids) process.kill(pid, signal)
      return yield* child.read(page("<p>Still here."), limits)
    })
    expect(await Effect.runPromise(Effect.scoped(outcome))).toMatchObject({
      document: { passages: [{ text: "Still here." }] },
    })
  })

  test.each(sandboxes)(
    "does not get the server's environment, in $name",
    async (sandbox) => {
      process.env["PARLEY_TEST_SECRET"] = "a secret"
      const environment = await Effect.runPromise(
        Effect.scoped(
          Effect.gen(function* () {
            const child = yield* ExtractProcess.start(1000, sandbox)
            yield* child.read(page("warm"), { memory: 512 * MEGABYTE, time })
            return child.pids.map((pid) => readFileSync(`/proc/${pid}/environ`, "utf8")).join()
          }),
        ),
      )
      delete process.env["PARLEY_TEST_SECRET"]
      expect(environment).not.toContain("a secret")
    },
    60_000,
  )

  test("ends when the server is killed, even in the middle of a document", async () => {
    if (process.platform !== "linux") return
    const script = join(import.meta.dir, "..", "..", "lib", "ReadingServer.ts")
    await using server = Bun.spawn([process.execPath, script], { stdout: "pipe" })
    const { value } = await server.stdout.getReader().read()
    const pids = new TextDecoder().decode(value).split(" ")
    const states = () =>
      pids.map((pid) => {
        try {
          return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.slice(0, 1) ?? ""
        } catch {
          return "gone"
        }
      })
    expect(states().every((state) => ["R", "S", "D"].includes(state))).toBe(true)
    server.kill("SIGKILL")
    await until(states, (all) => all.every((state) => ["Z", "X", "gone"].includes(state)))
  })

  test("is not started for a small text file", async () => {
    const small: StoredSource = { format: "md", name: "a.md", content: new Blob(["# A"]) }
    // No process could start within this deadline.
    expect((await run(extract(small), { deadline: Duration.nanos(1n) })).title).toBe("A")
  })
})
