import { getDocumentProxy } from "unpdf"
import type { PDFDocumentProxy } from "unpdf/pdfjs"
import { bounded } from "../../../text/BoundedText.ts"
import { type Draft, noText, Omitted, type Recognize, tooLarge, Unreadable } from "../Extraction.ts"
import { markdownOf, type Page, styleOf, titleOn, withoutRunningHeads } from "./PdfLayout.ts"
import { PdfFiles } from "./PdfFiles.ts"
import { fixedPitchFonts, linesOf } from "./PdfLines.ts"
import type { Run } from "./PdfRun.ts"
import { type PageRuns, runsOf } from "./PdfRuns.ts"
import { isPictured } from "./PdfPictured.ts"
import { scanned, STAMP_CHARACTERS } from "./PdfScans.ts"
import { cleanTitle } from "../Text.ts"

/** More pages than these are not damaged by chance. */
const DAMAGED_PAGES_MAX = 100

/** Reads the pages, and which of them a person takes for images, by their indexes. */
const pagesOf = async (document: PDFDocumentProxy, textLimit: number, omitted: Omitted) => {
  const pages: Array<PageRuns> = []
  const pictured: Array<number> = []
  let [characters, damaged] = [0, 0]
  const readPage = async (number: number): Promise<PageRuns> => {
    try {
      return await runsOf(await document.getPage(number), omitted)
    } catch (cause) {
      if (++damaged > DAMAGED_PAGES_MAX) throw cause
      omitted.failure ??= unreadable(cause)
      omitted.add("pages", number)
      return { height: 1, runs: [] }
    }
  }
  for (let number = 1; number <= document.numPages; number++) {
    const page = await readPage(number)
    const own = page.runs.reduce((sum, run) => sum + run.text.length, 0)
    characters += own
    if (characters > textLimit) throw tooLarge(textLimit)
    if (own <= STAMP_CHARACTERS && (await isPictured(document, number, own > 0).catch(() => false)))
      pictured.push(number - 1)
    pages.push(page)
  }
  const fixed = fixedPitchFonts(pages.flatMap(({ runs }) => runs))
  const withPitch = (run: Run): Run => ({ ...run, monospaced: fixed.has(run.font) })
  return { pages: pages.map(({ height, runs }) => ({ height, lines: linesOf(runs.map(withPitch)) })), pictured }
}

/** Matches titles that programs write on their own, such as file names. */
const generatedTitle =
  /^(?:untitled|document\d*$|slide \d+$|microsoft (?:word|powerpoint|excel)\b)|\.(?:docx?|xlsx?|pptx?|pdf|odt|indd|tex|dvi|txt|ps|html?)$/i

/** The title in the metadata. Throws where the document is a form of XFA, whose pages only ask for another program. */
const metadataTitle = async (document: PDFDocumentProxy): Promise<string | undefined> => {
  const { info } = await document.getMetadata()
  if (
    "IsXFAPresent" in info &&
    info.IsXFAPresent === true &&
    !("IsAcroFormPresent" in info && info.IsAcroFormPresent === true)
  ) {
    throw new Unreadable("unsupported_format", "The PDF is a dynamic form (XFA); print it as a PDF, and upload that.")
  }
  return "Title" in info && typeof info.Title === "string" ? cleanTitle(bounded(info.Title)) : undefined
}

/**
 * Whether a title of the metadata is the document's. Many programs write one of their own in its place, in the language
 * of the program that made the file, such as "Enscript Output": most words of a real title occur in the document.
 */
const isOwnTitle = (title: string, pages: ReadonlyArray<Page>): boolean => {
  if (generatedTitle.test(title)) return false
  const text = pages
    .flatMap(({ lines }) => lines.map((line) => line.text))
    .join("\n")
    .toLowerCase()
  const named = title.toLowerCase().match(words) ?? []
  return named.filter((word) => text.includes(word)).length > named.length / 2
}

const words = /[\p{L}\p{M}]+(?:-[\p{L}\p{M}]+)*/gu

const layOut = (all: ReadonlyArray<Page>, title: string | undefined, scans: ReadonlyMap<number, string>): Draft => {
  const own = title !== undefined && isOwnTitle(title, all) ? title : undefined
  const pages = withoutRunningHeads(all)
  const style = styleOf(pages)
  const vocabulary = new Set(pages.flatMap((page) => page.lines.flatMap((line) => line.text.match(words) ?? [])))
  const texts = pages.map((page, index) => scans.get(index) ?? markdownOf(page, style, (word) => vocabulary.has(word)))
  const [first] = pages
  return { title: own ?? (first === undefined ? undefined : titleOn(first, style)), text: texts }
}

/** Turns a failure of pdf.js, which is known by its name only, into `Unreadable`. */
const unreadable = (cause: unknown): Unreadable => {
  if (cause instanceof Unreadable) return cause
  if (cause instanceof Error && cause.name === "PasswordException") {
    return new Unreadable("password_protected", "The PDF is protected by a password.")
  }
  return new Unreadable("corrupt_document", "The PDF is damaged and cannot be read.")
}

const parse = async (bytes: Uint8Array, textLimit: number) => {
  // pdf.js transfers the buffer, so it gets a copy. Images have no text of their own: a size limit of 0 skips them.
  const options = { verbosity: 0, BinaryDataFactory: PdfFiles, maxImageSize: 0 }
  const document = await getDocumentProxy(bytes.slice(), options)
  try {
    const omitted = new Omitted()
    const read = await pagesOf(document, textLimit, omitted)
    for (const { filename } of (await document.getAttachments())?.values() ?? []) omitted.add("files", filename)
    return { ...read, omitted, title: await metadataTitle(document) }
  } finally {
    await document.loadingTask.destroy()
  }
}

const parseAll = async (bytes: Uint8Array, textLimit: number, recognize: Recognize | undefined) => {
  const read = await parse(bytes, textLimit)
  const scans = recognize === undefined ? new Map<number, string>() : await scanned(bytes, read.pages, recognize)
  const hasText = scans.size > 0 || read.pages.some((page) => page.lines.length > 0)
  if (!hasText) throw read.omitted.failure ?? noText(recognize !== undefined)
  for (const index of read.pictured) if (!scans.has(index)) read.omitted.add("scans", index + 1)
  return { ...read, scans }
}

/**
 * Reads a PDF into one Markdown text per page. Lines are joined into paragraphs, headings are recognised by their type,
 * and running heads and page numbers are left out. The text of pages that are images is recognized.
 */
export const pdf = async (bytes: Uint8Array, textLimit: number, recognize?: Recognize): Promise<Draft> => {
  const { omitted, pages, scans, title } = await parseAll(bytes, textLimit, recognize).catch((cause: unknown) => {
    throw unreadable(cause)
  })
  return { ...layOut(pages, title, scans), omitted }
}
