import { beforeAll, describe, expect, test } from "bun:test"
import { Context, Effect } from "effect"
import type { Format } from "../../../src/domain/knowledge/Formats.ts"
import { Extract, type ExtractSettings } from "../../../src/knowledge/Extract.ts"
import { WallClockFactor } from "../../../src/knowledge/process/Watch.ts"
import { defaults } from "../../lib/Defaults.ts"
import { bilevel, blank, draw, imagePdf, jpegImage, type Picture, strips, tiffOf } from "../../lib/files/Scans.ts"
import { sampleOf } from "../../lib/Sample.ts"
import { arabic, chinese, english, german, htmlOf, wordsFound } from "../../lib/files/ScanTexts.ts"

/*
 * Scans of known text in four languages, made by a browser and read by tesseract. Where one of them is
 * missing, `verify` leaves this file out, but in CI.
 */

interface Scan {
  readonly format: Format
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Other texts of the chatbot. */
  readonly texts?: ReadonlyArray<string>
}

const split = ({ bytes, format, texts = [] }: Scan, settings: Partial<ExtractSettings> = {}) => {
  const shares: Array<number> = []
  const scans = { texts: Effect.succeed(texts), onProgress: (share: number) => void shares.push(share) }
  const source = { format, name: `scan.${format}`, content: new Blob([bytes]) }
  return Effect.runPromise(
    Extract.use((extract) => extract.split(source, scans)).pipe(
      Effect.map(({ passages }) => ({ passages, shares, text: passages.map(({ text }) => text).join("\n\n") })),
      Effect.result,
      // On a busy machine the programs, which have the lowest priority, may wait much longer than they work.
      Effect.provideContext(Context.make(WallClockFactor, 1_000)),
      Effect.provide(Extract.layer({ ...defaults.extract, ...settings })),
    ),
  )
}

const read = async (scan: Scan) => {
  const result = await split(scan)
  if (result._tag === "Failure") throw new Error(JSON.stringify(result.failure))
  return result.success
}

const MINUTES = 5 * 60_000

describe("a scan", () => {
  let pictures: Readonly<Record<"english" | "german" | "skewed" | "arabic" | "chinese" | "clouds", Picture>>

  beforeAll(async () => {
    const clouds = `<svg width="660" height="900"><filter id="f"><feTurbulence baseFrequency="0.05" numOctaves="5"/></filter><rect width="100%" height="100%" filter="url(#f)"/></svg>`
    const [one, two, three, four, five, six] = await draw([
      { body: htmlOf(english) },
      { body: htmlOf(german) },
      { body: htmlOf(german), turn: 0.7 },
      { body: htmlOf(arabic), isRightToLeft: true },
      { body: htmlOf(chinese) },
      { body: clouds },
    ])
    if (!one || !two || !three || !four || !five || !six) throw new Error("A picture is missing.")
    pictures = { english: one, german: two, skewed: three, arabic: four, chinese: five, clouds: six }
  }, MINUTES)

  type Case = readonly [name: string, make: () => Scan, text: string, least: number]

  const forms: ReadonlyArray<Case> = [
    ["in English, as PNG", () => ({ format: "png", bytes: pictures.english.png }), english, 0.97],
    [
      "in German that lies askew, as JPEG",
      () => ({ format: "jpeg", bytes: pictures.skewed.jpeg, texts: [german] }),
      german,
      0.97,
    ],
    ["in Arabic, as WebP", () => ({ format: "webp", bytes: pictures.arabic.webp, texts: [arabic] }), arabic, 0.85],
    [
      "in Chinese, as TIFF",
      () => ({ format: "tiff", bytes: tiffOf([pictures.chinese]), texts: [chinese] }),
      chinese,
      0.95,
    ],
    [
      "in two languages, as a TIFF of two pages",
      () => ({ format: "tiff", bytes: tiffOf([pictures.english, pictures.german]), texts: [english, german] }),
      `${english}\n${german}`,
      0.95,
    ],
    [
      "of a scanner that packs strips, as PDF",
      () => ({ format: "pdf", bytes: imagePdf([{ images: strips(pictures.english, 5) }]) }),
      english,
      0.97,
    ],
    [
      "that lies on its side on a turned page, as PDF",
      () => ({
        format: "pdf",
        bytes: imagePdf([{ images: [jpegImage(pictures.german, "0 842 -595 0 595 0")], rotate: 90 }]),
        texts: [german],
      }),
      german,
      0.95,
    ],
    [
      "in black and white, as an image and as a mask in a PDF",
      () => ({
        format: "pdf",
        bytes: imagePdf([{ images: [bilevel(pictures.english, false)] }, { images: [bilevel(pictures.german, true)] }]),
        texts: [english, german],
      }),
      `${english}\n${german}`,
      0.95,
    ],
  ]
  test.each(sampleOf(forms, 2))(
    "%s becomes text",
    async (_, make, text, least) => {
      const { text: found } = await read(make())
      expect(wordsFound(text, found)).toBeGreaterThanOrEqual(least)
    },
    MINUTES,
  )

  const languages: ReadonlyArray<Case> = [
    ["German", () => ({ format: "png", bytes: pictures.german.png }), german, 0.97],
    ["Arabic", () => ({ format: "png", bytes: pictures.arabic.png, texts: [english] }), arabic, 0.85],
    ["Chinese", () => ({ format: "png", bytes: pictures.chinese.png, texts: [german] }), chinese, 0.95],
  ]
  test.each(sampleOf(languages, 3))(
    "in %s is read in its language, which no other document of the chatbot has",
    async (_, make, text, least) => {
      expect(wordsFound(text, (await read(make())).text)).toBeGreaterThanOrEqual(least)
    },
    MINUTES,
  )

  test(
    "keeps its sentences whole and its paragraphs apart",
    async () => {
      const { text } = await read({ format: "png", bytes: pictures.english.png })
      expect(text).toContain("Everyone who uses the workshop signs the list beside the door before the first machine")
      expect(text).toContain("ten minutes after the last cut.\n\nTools return")
    },
    MINUTES,
  )

  test(
    "shows its progress page by page",
    async () => {
      const bytes = imagePdf([{ images: [jpegImage(pictures.english)] }, { images: [jpegImage(pictures.german)] }])
      expect((await read({ format: "pdf", bytes, texts: [english, german] })).shares).toEqual([0.5, 1])
    },
    MINUTES,
  )

  test(
    "that is a picture without text fails, and its noise does not become knowledge",
    async () => {
      const result = await split({ format: "png", bytes: pictures.clouds.png, texts: [arabic] })
      expect(result).toMatchObject({ failure: { code: "no_text", message: expect.stringContaining("recognized") } })
    },
    MINUTES,
  )

  test(
    "that is damaged or a bomb fails, and says why",
    async () => {
      const cut = await split({ format: "png", bytes: pictures.english.png.slice(0, 5_000) })
      expect(cut).toMatchObject({ failure: { _tag: "ExtractionFailed" } })
      const wide = await split({ format: "png", bytes: blank(6_000) }, { memory: 128 * 1024 * 1024 })
      expect(wide).toMatchObject({ failure: { code: "extraction_out_of_memory" } })
    },
    MINUTES,
  )
})
