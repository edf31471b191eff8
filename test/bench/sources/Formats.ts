import { Effect } from "effect"
import type { Format } from "../../../src/domain/knowledge/Formats.ts"
import { Extract } from "../../../src/knowledge/Extract.ts"
import { defaults } from "../../lib/Defaults.ts"
import { bilevel, draw, imagePdf, jpegImage, strips, tiffOf } from "../../lib/files/Scans.ts"
import { missingForScans } from "../../lib/Programs.ts"
import { arabic, chinese, english, german, htmlOf, wordsFound } from "../../lib/files/ScanTexts.ts"
import type { Finding, Part } from "../lib/Parts.ts"
import { type MadeFile, madeFiles } from "./MadeFiles.ts"

/** Words of a scan that have to be found, by the language of its text. */
const SCANNED = 0.95
const SCANNED_ARABIC = 0.85

/** Reads a file as servers do, in a process of its own. */
const read = ({ bytes, format, texts = [] }: Omit<MadeFile, "expected" | "name">) =>
  Effect.runPromise(
    Extract.use((extract) =>
      extract.split(
        { format, name: `file.${format}`, content: new Blob([bytes]) },
        { texts: Effect.succeed(texts), onProgress: () => {} },
      ),
    ).pipe(
      Effect.map(({ passages }) => passages.map(({ text }) => text).join("\n\n")),
      Effect.catch((failure) => Effect.succeed(`${JSON.stringify(failure)}`)),
      Effect.provide(Extract.layer(defaults.extract)),
    ),
  )

const measure = async (file: MadeFile, least: number): Promise<Finding> => {
  const started = performance.now()
  const share = wordsFound(file.expected, await read(file))
  const time = ((performance.now() - started) / 1_000).toFixed(1)
  return { name: `${file.format}, ${file.name}`, value: `${share.toFixed(3)}  ${time} s`, isKept: share >= least }
}

/** Scans of known texts, as scanners and cameras pack them. */
const scans = async (): Promise<ReadonlyArray<MadeFile>> => {
  const [one, two, three, four, five] = await draw([
    { body: htmlOf(english) },
    { body: htmlOf(german) },
    { body: htmlOf(german), turn: 0.7 },
    { body: htmlOf(arabic), isRightToLeft: true },
    { body: htmlOf(chinese) },
  ])
  if (!one || !two || !three || !four || !five) throw new Error("A picture is missing.")
  const both = `${english}\n${german}`
  const pdf = (name: string, pages: Parameters<typeof imagePdf>[0], expected: string): MadeFile => ({
    format: "pdf",
    name,
    bytes: imagePdf(pages),
    expected,
    texts: [expected],
  })
  const picture = (format: Format, name: string, bytes: Uint8Array<ArrayBuffer>, expected: string): MadeFile => ({
    format,
    name,
    bytes,
    expected,
    texts: [expected],
  })
  return [
    picture("png", "English", one.png, english),
    picture("png", "German", two.png, german),
    picture("jpeg", "German, askew", three.jpeg, german),
    picture("webp", "Arabic", four.webp, arabic),
    picture("tiff", "Chinese", tiffOf([five]), chinese),
    picture("tiff", "two pages, English and German", tiffOf([one, two]), both),
    pdf("English, in strips", [{ images: strips(one, 5) }], english),
    pdf("German, on its side", [{ images: [jpegImage(two, "0 842 -595 0 595 0")], rotate: 90 }], german),
    pdf("black and white", [{ images: [bilevel(one, false)] }, { images: [bilevel(two, true)] }], both),
  ]
}

/**
 * Words found in files of the formats that have no samples elsewhere, and in scans. The files are made here from known
 * text, so that a word that is not found is the reader's fault; files of other programs are measured by `bench extract`.
 * Scans need a browser, tesseract and a font with Chinese characters.
 */
export const part: Part = async () => {
  const findings: Array<Finding> = []
  for (const file of madeFiles()) findings.push(await measure(file, 1))
  if (missingForScans !== undefined) return [...findings, { name: "scans", value: `left out: ${missingForScans}` }]
  for (const scan of await scans())
    findings.push(
      await measure({ ...scan, name: `scan: ${scan.name}` }, scan.expected === arabic ? SCANNED_ARABIC : SCANNED),
    )
  return findings
}
