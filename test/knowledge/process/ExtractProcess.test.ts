import { join } from "node:path"
import { describe, expect, test } from "bun:test"
import { Duration, Effect, Fiber } from "effect"
import * as fc from "fast-check"
import { chunk } from "../../../src/knowledge/chunk/Chunker.ts"
import { Extract, type ExtractSettings } from "../../../src/knowledge/Extract.ts"
import type { Source } from "../../../src/knowledge/extract/Extraction.ts"
import { ExtractProcess } from "../../../src/knowledge/process/ExtractProcess.ts"
import { framePieces, FrameReader } from "../../../src/knowledge/process/Frames.ts"
import { until } from "../../lib/Client.ts"
import { onePage, packed } from "../../lib/files/PdfFile.ts"
import { defaults } from "../../lib/Defaults.ts"

const MEGABYTE = 1024 * 1024
const time = Duration.seconds(30)

const page = (text: string): Source => ({ format: "html", name: "a.html", bytes: new TextEncoder().encode(text) })

const bomb = (): Source => ({
  format: "pdf",
  name: "bomb.pdf",
  bytes: onePage(packed(Buffer.alloc(400 * MEGABYTE, "0 0 m "))),
})

const run = <A, E>(effect: Effect.Effect<A, E, Extract>, settings: Partial<ExtractSettings> = {}) =>
  Effect.runPromise(Effect.provide(effect, Extract.layer({ ...defaults.extract, concurrency: 1, ...settings })))

const extract = (source: Source) => Extract.use((service) => service.extract(source))

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

describe("a process that reads documents", () => {
  test("is killed when a document takes too much memory, and another process reads the next document", async () => {
    const both = Effect.all([Effect.flip(extract(bomb())), extract(page("<p>Still here."))])
    const [failure, document] = await run(both, { memory: 200 * MEGABYTE })
    expect(failure).toMatchObject({ _tag: "ExtractionFailed", code: "extraction_out_of_memory" })
    expect(failure.message).toContain("200 MiB")
    expect(document.text).toBe("Still here.")
  })

  test("splits a text of any length into the same passages as the server itself would", async () => {
    const paragraphs = Array.from(
      { length: 700 },
      (_, number) => `<h2>Part ${number}</h2><p>${'Some "words". '.repeat(80)}</p>`,
    )
    const source = page(paragraphs.join(""))
    const [text, split] = await run(
      Extract.use((service) => Effect.all([service.extract(source), service.split(source)])),
    )
    const expected = chunk(text).map(({ ordinal, headings, text, page }) => ({ ordinal, headings, text, page }))
    expect(expected.length).toBeGreaterThan(300)
    expect(split).toEqual({ title: text.title, passages: expected })
  })

  test("refuses a document whose text exceeds the limit", async () => {
    const failure = await run(Effect.flip(extract(page(`<p>${"word ".repeat(1000)}`))), { textLimit: 1000 })
    expect(failure.code).toBe("too_large_when_extracted")
  })

  test("fails only the document that it reads when it is killed", async () => {
    const outcome = Effect.gen(function* () {
      const process = yield* ExtractProcess.start(1000)
      yield* process.read(page("warm"), { memory: 512 * MEGABYTE, time }, false)
      const reading = yield* Effect.forkChild(
        Effect.flip(process.read(bomb(), { memory: 8_000 * MEGABYTE, time }, false)),
      )
      yield* Effect.sleep("50 millis")
      yield* process.kill
      return yield* Fiber.join(reading)
    })
    expect(await Effect.runPromise(Effect.scoped(outcome))).toMatchObject({ _tag: "ProcessEnded" })
  })

  test("ignores the stop signals that a terminal sends to all processes of the server", async () => {
    const outcome = Effect.gen(function* () {
      const child = yield* ExtractProcess.start(1000)
      const limits = { memory: 512 * MEGABYTE, time }
      yield* child.read(page("warm"), limits, false)
      for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.kill(child.pid, signal)
      return yield* child.read(page("<p>Still here."), limits, false)
    })
    expect(await Effect.runPromise(Effect.scoped(outcome))).toMatchObject({ document: { text: "Still here." } })
  })

  test("does not get the server's environment", async () => {
    process.env["PARLEY_TEST_SECRET"] = "a secret"
    const environment = await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const child = yield* ExtractProcess.start(1000)
          yield* child.read(page("warm"), { memory: 512 * MEGABYTE, time }, false)
          return yield* Effect.promise(() => Bun.file(`/proc/${child.pid}/environ`).text())
        }),
      ),
    )
    delete process.env["PARLEY_TEST_SECRET"]
    expect(environment).not.toContain("a secret")
  }, 60_000)

  test("ends when the server is killed, even in the middle of a document", async () => {
    if (process.platform !== "linux") return
    const script = join(import.meta.dir, "..", "..", "lib", "ReadingServer.ts")
    await using server = Bun.spawn([process.execPath, script], { stdout: "pipe" })
    const { value } = await server.stdout.getReader().read()
    const pid = Number(new TextDecoder().decode(value))
    const state = () =>
      Bun.file(`/proc/${pid}/stat`)
        .text()
        .then(
          (stat) => stat.split(") ").at(-1)?.slice(0, 1) ?? "",
          () => "gone",
        )
    expect(["R", "S", "D"]).toContain(await state())
    server.kill("SIGKILL")
    expect(["Z", "X", "gone"]).toContain(await until(state, (now) => now === "gone" || now === "Z" || now === "X"))
  })

  test("is not started for a small text file", async () => {
    const small: Source = { format: "md", name: "a.md", bytes: new TextEncoder().encode("# A") }
    // No process could start within this deadline.
    expect((await run(extract(small), { deadline: Duration.nanos(1n) })).title).toBe("A")
  })
})
