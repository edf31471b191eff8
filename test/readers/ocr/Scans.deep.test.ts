import { beforeAll, describe, expect, test } from "bun:test"
import { Context, Duration, Effect, Layer } from "effect"
import type { Format } from "../../../src/domain/knowledge/Formats.ts"
import { Extract, type ExtractSettings } from "../../../src/readers/Extract.ts"
import { FindTesseract } from "../../../src/readers/ocr/Tesseract.ts"
import { WallClockFactor } from "../../../src/readers/process/Watch.ts"
import { defaults } from "../../lib/Defaults.ts"
import { bilevel, blank, draw, imagePdf, jpegImage, type Picture, strips, tiffOf } from "../../lib/files/Scans.ts"
import { sampleOf } from "../../lib/Sample.ts"
import { arabic, chinese, english, german, htmlOf, russian, wordsFound } from "../../lib/files/ScanTexts.ts"
import { wideFont } from "../../lib/Programs.ts"

/*
 * Scans of known text in five languages, made by a browser and read by tesseract: by the one among the packages, and by the
 * one that is installed, where it is there, in the languages that it has.
 */

type Find = () => string | null

const installed = Bun.which("tesseract")
const listed = () =>
  Bun.spawnSync([installed ?? "", "--list-langs"])
    .stdout.toString()
    .split("\n")
const engines: ReadonlyArray<readonly [name: string, find: Find, languages: ReadonlyArray<string>]> = [
  ["among the packages", () => null, ["eng", "deu", "osd"]],
  ...(installed === null ? [] : [["that is installed", () => installed, listed()] as const]),
]

interface Scan {
  readonly format: Format
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Other texts of the chatbot. */
  readonly texts?: ReadonlyArray<string>
}

const splitBy = (find: Find, { bytes, format, texts = [] }: Scan, settings: Partial<ExtractSettings> = {}) => {
  const shares: Array<number> = []
  const scans = { texts: Effect.succeed(texts), onProgress: (share: number) => void shares.push(share) }
  const source = { format, name: `scan.${format}`, content: new Blob([bytes]) }
  return Effect.runPromise(
    Extract.use((extract) => extract.split(source, scans)).pipe(
      Effect.map(({ passages }) => ({ passages, shares, text: passages.map(({ text }) => text).join("\n\n") })),
      Effect.result,
      // On a busy machine the programs, which have a low priority, may wait much longer than they work.
      Effect.provideContext(Context.make(WallClockFactor, 1_000)),
      Effect.provide(
        Extract.layer({ ...defaults.extract, deadline: Duration.minutes(2), ...settings }).pipe(
          Layer.provide(Layer.succeed(FindTesseract, find)),
        ),
      ),
    ),
  )
}

type Case = readonly [name: string, make: () => Scan, text: string, least: number]

const MINUTES = 5 * 60_000

let pictures: Readonly<
  Record<"english" | "german" | "skewed" | "arabic" | "chinese" | "clouds" | "russian" | "both" | "turned", Picture>
>

beforeAll(async () => {
  const clouds = `<svg width="660" height="900"><filter id="f"><feTurbulence baseFrequency="0.05" numOctaves="5"/></filter><rect width="100%" height="100%" filter="url(#f)"/></svg>`
  const drawn = await draw([
    { body: htmlOf(english) },
    { body: htmlOf(german) },
    { body: htmlOf(german), turn: 0.7 },
    { body: htmlOf(arabic), isRightToLeft: true },
    { body: htmlOf(chinese) },
    { body: clouds },
    { body: htmlOf(russian) },
    { body: htmlOf(english) + htmlOf(german) },
    { body: htmlOf(german), turn: 180 },
  ])
  const [one, two, three, four, five, six, seven, eight, nine] = drawn
  if (!one || !two || !three || !four || !five || !six || !seven || !eight || !nine) {
    throw new Error("A picture is missing.")
  }
  pictures = {
    english: one,
    german: two,
    skewed: three,
    arabic: four,
    chinese: five,
    clouds: six,
    russian: seven,
    both: eight,
    turned: nine,
  }
}, MINUTES)

describe.each(engines)("a scan, by the tesseract %s,", (_engine, find, has) => {
  const split = (scan: Scan, settings?: Partial<ExtractSettings>) => splitBy(find, scan, settings)
  const read = async (scan: Scan) => {
    const result = await split(scan)
    if (result._tag === "Failure") throw new Error(JSON.stringify(result.failure))
    return result.success
  }
  const languageOf = new Map([
    [arabic, "ara"],
    [chinese, wideFont === undefined ? "no font" : "chi_sim"],
  ])
  const readable = (cases: ReadonlyArray<Case>) =>
    cases.filter(([, , text]) => has.includes(languageOf.get(text) ?? "eng"))

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
  test.each(sampleOf(readable(forms), 2))(
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
  test.each(sampleOf(readable(languages), 3))(
    "in %s is read in its language, which no other document of the chatbot has",
    async (_, make, text, least) => {
      expect(wordsFound(text, (await read(make())).text)).toBeGreaterThanOrEqual(least)
    },
    MINUTES,
  )

  test.each([
    ["in two languages on a page", "both"],
    ["that lies upside down", "turned"],
  ] as const)(
    "%s becomes text",
    async (_, name) => {
      const { text } = await read({ format: "png", bytes: pictures[name].png, texts: [english, german] })
      expect(wordsFound(name === "both" ? `${english}\n${german}` : german, text)).toBeGreaterThanOrEqual(0.95)
    },
    MINUTES,
  )

  test.skipIf(has.includes("rus"))(
    "in a script whose data is missing fails, and says what to install",
    async () => {
      const expected: unknown = expect.stringMatching(/recognized.* Cyrillic, for which .*rus has to be installed/)
      const result = await split({ format: "png", bytes: pictures.russian.png, texts: [english] })
      expect(result).toMatchObject({ failure: { code: "no_text", message: expected } })
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
      expect(result).toMatchObject({ failure: { code: "no_text", message: expect.stringMatching(/recognized.*\.$/) } })
      expect(result).not.toMatchObject({ failure: { message: expect.stringContaining("letters look like") } })
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
      const lying = blank(10)
      new DataView(lying.buffer).setUint32(16, 0x7fffffff)
      expect(await split({ format: "png", bytes: lying })).toMatchObject({ failure: { _tag: "ExtractionFailed" } })
    },
    MINUTES,
  )
})
