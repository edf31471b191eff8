import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { inflateSync } from "node:zlib"
import { describe, expect, setDefaultTimeout, test } from "bun:test"
import { Context, Duration, Effect, Fiber, type Scope } from "effect"
import type { Format } from "../../../src/domain/knowledge/Formats.ts"
import { Extract, type ExtractSettings, type Scans } from "../../../src/readers/Extract.ts"
import type { Recognize } from "../../../src/readers/extract/Extraction.ts"
import { read } from "../../../src/readers/extract/Read.ts"
import { WallClockFactor } from "../../../src/readers/process/Watch.ts"
import { until } from "../../lib/Client.ts"
import { defaults } from "../../lib/Defaults.ts"
import { A4, blank, imagePdf, strips, tiffOf } from "../../lib/files/Scans.ts"
import { german } from "../../lib/files/ScanTexts.ts"
import { temporaryDirectory } from "../../lib/TemporaryDirectory.ts"

setDefaultTimeout(180_000)

/** The settings of a server, with which no program runs out of time on a busy machine. */
const patient = { ...defaults.extract, deadline: Duration.minutes(1) }

const run = <A, E>(effect: Effect.Effect<A, E, Extract | Scope.Scope>, settings: Partial<ExtractSettings>) =>
  Effect.runPromise(Effect.provide(Effect.scoped(effect), Extract.layer({ ...patient, ...settings })))

const split = (format: Format, bytes: Uint8Array<ArrayBuffer>, texts: ReadonlyArray<string> = []) => {
  const scans: Scans = { texts: Effect.succeed(texts), onProgress: () => {} }
  const source = { format, name: `scan.${format}`, content: new Blob([bytes]) }
  return Effect.map(
    Extract.use((extract) => extract.split(source, scans)),
    ({ passages }) => passages.map(({ text }) => text).join("\n\n"),
  )
}

const failureOf = (
  ocr: string,
  format: Format = "png",
  bytes = blank(10),
  settings: Partial<ExtractSettings> & { readonly factor?: number } = {},
) => {
  const { factor = WallClockFactor.defaultValue(), ...rest } = settings
  const failing = Effect.provideContext(Effect.flip(split(format, bytes)), Context.make(WallClockFactor, factor))
  return run(failing, { ocr, ...rest })
}

describe("a command that recognizes text", () => {
  test("gets the image and the languages of the chatbot, and prints lines that become sentences", async () => {
    const ocr = `printf 'Ein Satz geht in der nächs-\\nten Zeile weiter.\\n\\n%s %s\\n' "$OCR_LANGUAGES" "$(wc -c)"`
    const image = blank(10)
    expect(await run(split("png", image, [german]), { ocr })).toBe(
      `Ein Satz geht in der nächsten Zeile weiter.\n\nde ${image.length}`,
    )
  })

  test("gets no secrets of the server", async () => {
    process.env["PARLEY_TEST_SECRET"] = "a secret"
    expect(await run(split("png", blank(10)), { ocr: "cat >/dev/null; env" })).not.toContain("a secret")
    delete process.env["PARLEY_TEST_SECRET"]
  })

  test.each([
    // By its processor time: a busy machine would give it 100 seconds for one.
    ["works", "cat >/dev/null; while :; do :; done", { deadline: Duration.seconds(1), factor: 100 }],
    // By the clock: it takes no processor time.
    ["waits", "sleep 1000", { deadline: Duration.seconds(1), factor: 2 }],
  ])("fails the document when it %s for ever", async (_, ocr, limits) => {
    expect(await failureOf(ocr, "png", blank(10), limits)).toMatchObject({ code: "extraction_timed_out" })
  })

  test.each([
    ["prints for ever", "yes", "extraction_crashed"],
    ["fails", "exit 1", "extraction_crashed"],
    ["is missing", "no-such-program", "extraction_crashed"],
    ["prints nothing", "cat >/dev/null", "no_text"],
  ])("fails the document when it %s", async (_, ocr, code) => {
    expect(await failureOf(ocr)).toMatchObject({ code })
  })

  test("is off when it is named so, and then the document's failure says how to get it", async () => {
    const failures = [await failureOf("off"), await failureOf("off", "pdf", imagePdf([{ images: [] }]))]
    const expected: unknown = { code: "no_text", message: expect.stringContaining("OCR_COMMAND") }
    for (const failure of failures) expect(failure).toMatchObject(expected as object)
  })

  test("is killed with the server", async () => {
    if (process.platform !== "linux") return
    await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const file = join(yield* temporaryDirectory("ocr"), "pid")
          const script = join(import.meta.dir, "..", "..", "lib", "RecognizingServer.ts")
          const server = Bun.spawn([process.execPath, script, file])
          const pid = yield* Effect.promise(() =>
            until(
              () => (existsSync(file) ? readFileSync(file, "utf8").trim() : ""),
              (text) => text !== "",
            ),
          )
          expect(existsSync(`/proc/${pid}`)).toBe(true)
          server.kill("SIGKILL")
          yield* Effect.promise(() =>
            until(
              () => existsSync(`/proc/${pid}`) && !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z "),
              false,
            ),
          )
        }),
      ),
    )
  })
})

test("while a scan is read, other documents are, and another scan waits for its turn", () => {
  const program = Effect.gen(function* () {
    const directory = yield* temporaryDirectory("ocr")
    const [begun, gate] = [join(directory, "begun"), join(directory, "gate")]
    const ocr = `cat >/dev/null; touch ${begun}; while [ ! -e ${gate} ]; do sleep 0.05; done; echo Recognized.`
    return yield* Effect.gen(function* () {
      const first = yield* Effect.forkChild(split("png", blank(10)))
      yield* Effect.promise(() => until(() => existsSync(begun), true))
      const second = yield* Effect.flip(split("png", blank(20)))
      expect(second).toMatchObject({ _tag: "ScanWaits" })
      expect(yield* split("html", new Uint8Array(Buffer.from("<p>Text")))).toBe("Text")
      yield* Effect.promise(() => Bun.write(gate, ""))
      expect(yield* Fiber.join(first)).toBe("Recognized.")
      expect(yield* split("png", blank(20))).toBe("Recognized.")
    }).pipe(Effect.provide(Extract.layer({ ...patient, concurrency: 2, ocr })))
  })
  return Effect.runPromise(Effect.scoped(program))
})

const page = { width: 10, height: 10, gray: new Uint8Array(100), png: blank(1), jpeg: blank(1), webp: blank(1) }

describe("a TIFF", () => {
  const pages = (count: number) => tiffOf(Array.from({ length: count }, () => page))
  const ocr = "cat >/dev/null; echo Page."

  test("whose directories lead in a circle has each page once", async () => {
    expect(await run(split("tiff", tiffOf([page, page], 8 + 100)), { ocr })).toBe("Page.\n\nPage.")
  })

  test("of ten thousand pages is refused before the first is recognized", async () => {
    expect(await failureOf("exit 1", "tiff", pages(10_000))).toMatchObject({ code: "too_large_when_extracted" })
  })

  test("without a page is corrupt", async () => {
    expect(await failureOf(ocr, "tiff", new Uint8Array(Buffer.from("II*\0\0\0\0\0")))).toMatchObject({
      code: "corrupt_document",
    })
  })
})

test("of a PDF, pages that are images are recognized, with or without a stamp, and those with text are kept", async () => {
  const image = strips(page, 2)
  const kept = "This page has text of its own, and an image besides. ".repeat(3)
  const bytes = imagePdf([
    { images: image, text: "Received 3 May" },
    { images: image, text: kept },
    { images: [] },
    { images: image },
  ])
  const recognized: Array<number> = []
  const recognize: Recognize = (png, place) => {
    expect(Buffer.from(png).toString("latin1", 1, 4)).toBe("PNG")
    recognized.push(place.page / place.of)
    return Promise.resolve(`Recognized ${recognized.length}.`)
  }
  const { pages = [], text } = await read({ format: "pdf", name: "a.pdf", bytes }, 1_000_000, recognize)
  const texts = pages.map((one, index) => [one.page, text.slice(one.start, pages[index + 1]?.start).trim()])
  expect(texts).toEqual([
    [1, "Recognized 1."],
    [2, kept.trim()],
    [4, "Recognized 2."],
  ])
  expect(recognized).toEqual([1 / 3, 1])
})

test("of a PDF, images that are packed as for a fax are unpacked", async () => {
  // The first row has 4 white, 8 black and 4 white pixels, and the others are like it (ITU-T T.6).
  const bits = `001${"1011"}${"000101"}1${"111".repeat(15)}${"000000000001".repeat(2)}`.padEnd(96, "0")
  const stream = Uint8Array.from(bits.match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2))
  const packing = "/Filter /CCITTFaxDecode /DecodeParms << /K -1 /Columns 16 /Rows 16 >>"
  const value = `<< /Type /XObject /Subtype /Image /Width 16 /Height 16 /ColorSpace /DeviceGray /BitsPerComponent 1 ${packing} >>`
  const bytes = imagePdf([{ images: [{ object: { value, stream }, place: `${A4.width} 0 0 ${A4.height} 0 0` }] }])
  let rows = new Uint8Array()
  const recognize: Recognize = (png) => {
    const at = Buffer.from(png).indexOf("IDAT")
    rows = new Uint8Array(inflateSync(png.subarray(at + 4)))
    return Promise.resolve("Recognized.")
  }
  await read({ format: "pdf", name: "a.pdf", bytes }, 1_000, recognize)
  const middle = rows.subarray(400 * (A4.width + 1) + 1)
  expect([middle[50], middle[300], middle[550]]).toEqual([255, 0, 255])
})

test("a PDF of 600 scanned pages is refused before the first is recognized", async () => {
  const pages = imagePdf(Array.from({ length: 600 }, () => ({ images: [] })))
  expect(await failureOf("exit 1", "pdf", pages)).toMatchObject({
    code: "too_large_when_extracted",
  })
})
