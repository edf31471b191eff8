import { getDocumentProxy } from "unpdf"
import { type Draft, tooLarge, Unreadable } from "./Extraction.ts"
import { markdownOf, type Page, styleOf, titleOn, withoutRunningHeads } from "./PdfLayout.ts"
import { fixedPitchFonts, linesOf, type Run } from "./PdfLines.ts"
import { cleanTitle } from "./Text.ts"

type Document = Awaited<ReturnType<typeof getDocumentProxy>>
type DocumentPage = Awaited<ReturnType<Document["getPage"]>>
type Matrix = readonly [number, number, number, number, number, number]

const asMatrix = (values: ReadonlyArray<unknown>): Matrix => {
  const at = (index: number) => Number(values[index] ?? 0)
  return [at(0), at(1), at(2), at(3), at(4), at(5)]
}

/** `inner` is applied first. */
const multiply = (outer: Matrix, inner: Matrix): Matrix => [
  outer[0] * inner[0] + outer[2] * inner[1],
  outer[1] * inner[0] + outer[3] * inner[1],
  outer[0] * inner[2] + outer[2] * inner[3],
  outer[1] * inner[2] + outer[3] * inner[3],
  outer[0] * inner[4] + outer[2] * inner[5] + outer[4],
  outer[1] * inner[4] + outer[3] * inner[5] + outer[5],
]

interface PageRuns {
  readonly height: number
  readonly runs: ReadonlyArray<Run>
}

/**
 * Ligatures and the shapes of Arabic letters as the letters they stand for. pdf.js would do so before it turns text from
 * right to left around, and the letters of a ligature with it.
 */
const withLetters = (text: string) =>
  text.replace(/[\ufb00-\ufdfb\ufe70-\ufefc]+/g, (shapes) => shapes.normalize("NFKC"))

const runsOf = async (page: DocumentPage): Promise<PageRuns> => {
  // The viewport turns a rotated page upright and lets y grow downwards.
  const viewport = page.getViewport({ scale: 1 })
  const upright = asMatrix(viewport.transform)
  const { items, styles } = await page.getTextContent({ disableNormalization: true })
  const runs = items.flatMap((item): ReadonlyArray<Run> => {
    if (!("str" in item)) return []
    const [a, b, c, d, x, y] = multiply(upright, asMatrix(item.transform))
    return [
      {
        text: withLetters(item.str),
        x,
        y,
        width: item.width,
        size: Math.round(Math.hypot(c, d) * 2) / 2 || 1,
        font: item.fontName,
        monospaced: styles[item.fontName]?.fontFamily === "monospace",
        rightToLeft: item.dir === "rtl",
        rotated: Math.abs(b) > Math.abs(a),
      },
    ]
  })
  page.cleanup()
  return { height: viewport.height, runs }
}

const pagesOf = async (document: Document, textLimit: number): Promise<ReadonlyArray<Page>> => {
  const pages: Array<PageRuns> = []
  let characters = 0
  for (let number = 1; number <= document.numPages; number++) {
    const page = await runsOf(await document.getPage(number))
    characters += page.runs.reduce((sum, run) => sum + run.text.length, 0)
    if (characters > textLimit) throw tooLarge(textLimit)
    pages.push(page)
  }
  const fixed = fixedPitchFonts(pages.flatMap(({ runs }) => runs))
  const withPitch = (run: Run): Run => (fixed.has(run.font) ? { ...run, monospaced: true } : run)
  return pages.map(({ height, runs }) => ({ height, lines: linesOf(runs.map(withPitch)) }))
}

/** Titles that programs write by themselves. */
const noTitle =
  /^(?:untitled|document\d*$|microsoft (?:word|powerpoint|excel)\b)|\.(?:docx?|xlsx?|pptx?|pdf|odt|indd|tex|dvi)$/i

const metadataTitle = async (document: Document): Promise<string | undefined> => {
  const { info } = await document.getMetadata()
  const title = "Title" in info && typeof info.Title === "string" ? cleanTitle(info.Title) : undefined
  return title === undefined || noTitle.test(title) ? undefined : title
}

const words = /[\p{L}\p{M}]+(?:-[\p{L}\p{M}]+)*/gu

const layOut = (all: ReadonlyArray<Page>, title: string | undefined): Draft => {
  if (!all.some((page) => page.lines.length > 0)) {
    throw new Unreadable(
      "no_text",
      "The PDF holds no text: its pages are images, as those of a scan. Make it searchable first (OCR).",
    )
  }
  const pages = withoutRunningHeads(all)
  const style = styleOf(pages)
  const vocabulary = new Set(pages.flatMap((page) => page.lines.flatMap((line) => line.text.match(words) ?? [])))
  const texts = pages.map((page) => markdownOf(page, style, (word) => vocabulary.has(word)))
  const [first] = pages
  return { title: title ?? (first === undefined ? undefined : titleOn(first, style)), text: texts }
}

/** pdf.js gives its failures names but no types. */
const unreadable = (cause: unknown): Unreadable => {
  if (cause instanceof Unreadable) return cause
  if (cause instanceof Error && cause.name === "PasswordException") {
    return new Unreadable("password_protected", "The PDF is protected by a password.")
  }
  return new Unreadable("corrupt_document", "The PDF is damaged and cannot be read.")
}

const parse = async (bytes: Uint8Array, textLimit: number) => {
  // pdf.js takes the buffer over, so it gets one of its own.
  const document = await getDocumentProxy(bytes.slice(), { verbosity: 0 })
  try {
    return { pages: await pagesOf(document, textLimit), title: await metadataTitle(document) }
  } finally {
    await document.loadingTask.destroy()
  }
}

/** PDF as Markdown, page by page: paragraphs joined, headings by their type, running heads and page numbers left out. */
export const pdf = async (bytes: Uint8Array, textLimit: number): Promise<Draft> => {
  const { pages, title } = await parse(bytes, textLimit).catch((cause: unknown) => {
    throw unreadable(cause)
  })
  return layOut(pages, title)
}
