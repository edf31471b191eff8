import type { Format } from "../../domain/knowledge/Formats.ts"
import { bounded } from "../../text/BoundedText.ts"
import { withAttachments } from "./Attachments.ts"
import { decodeText } from "./Decode.ts"
import { embeddedText } from "./Embedded.ts"
import {
  type ExtractedText,
  Omitted,
  type PageStart,
  type Reader,
  type Recognize,
  type Source,
  tooLarge,
  Unreadable,
} from "./Extraction.ts"
import { image, tiff } from "./Image.ts"
import { markdown } from "./Markdown.ts"
import { resumption } from "./pdf/PdfLayout.ts"
import { cleanTitle, isVisible, normalizeText, titleOfFile } from "./Text.ts"

/** Readers with large dependencies load on first use, because not every process that imports this needs them. */
const readers: Readonly<Record<Format, Reader>> = {
  md: markdown,
  txt: (bytes) => ({ title: undefined, text: decodeText(bytes) }),
  html: async (bytes) => (await import("./html/Html.ts")).html(bytes),
  csv: async (bytes, textLimit) => (await import("./Csv.ts")).csv(bytes, textLimit),
  json: async (bytes, textLimit) => (await import("./Json.ts")).json(bytes, textLimit),
  pdf: async (bytes, textLimit, recognize) => (await import("./pdf/Pdf.ts")).pdf(bytes, textLimit, recognize),
  docx: async (bytes, textLimit) => (await import("./office/Docx.ts")).docx(bytes, textLimit, embeddedText),
  pptx: async (bytes, textLimit) => (await import("./office/Pptx.ts")).pptx(bytes, textLimit),
  xlsx: async (bytes, textLimit) => (await import("./office/Xlsx.ts")).xlsx(bytes, textLimit),
  epub: async (bytes, textLimit) => (await import("./Epub.ts")).epub(bytes, textLimit),
  odt: async (bytes, textLimit) => (await import("./office/OpenDocument.ts")).odt(bytes, textLimit),
  ods: async (bytes, textLimit) => (await import("./office/OpenDocument.ts")).ods(bytes, textLimit),
  odp: async (bytes, textLimit) => (await import("./office/OpenDocument.ts")).odp(bytes, textLimit),
  rtf: async (bytes, textLimit) => (await import("./rtf/Rtf.ts")).rtf(bytes, textLimit),
  xls: async (bytes, textLimit) => (await import("./office/Xls.ts")).xls(bytes, textLimit),
  eml: async (bytes, textLimit) => (await import("./mail/Eml.ts")).eml(bytes, textLimit),
  msg: async (bytes, textLimit) => (await import("./mail/Msg.ts")).msg(bytes, textLimit),
  ipynb: async (bytes, textLimit) => (await import("./Notebook.ts")).ipynb(bytes, textLimit),
  xml: async (bytes, textLimit) => (await import("./XmlText.ts")).xml(bytes, textLimit),
  srt: async (bytes, textLimit) => (await import("./Subtitles.ts")).subtitles(bytes, textLimit),
  vtt: async (bytes, textLimit) => (await import("./Subtitles.ts")).subtitles(bytes, textLimit),
  png: image,
  jpeg: image,
  tiff,
  webp: image,
}

/** The last line of a page, which a sentence may continue on the next page; empty for a heading and for code. */
const openEnd = (page: string): string => {
  const lastLine = page.slice(page.lastIndexOf("\n") + 1)
  return /^(?:#|```)/.test(lastLine) ? "" : lastLine
}

/** Joins the texts of pages, and the halves of a sentence that continues on the next page. */
const joinPages = (
  texts: ReadonlyArray<string>,
): { readonly text: string; readonly pages: ReadonlyArray<PageStart> } => {
  const pages: Array<PageStart> = []
  const parts: Array<string> = []
  let length = 0
  for (const [index, raw] of texts.entries()) {
    const text = normalizeText(raw)
    if (text === "") continue
    const before = parts.at(-1)
    if (before !== undefined) {
      const { drop, joint } = resumption(openEnd(before), text) ?? { drop: 0, joint: "\n\n" }
      parts.splice(-1, 1, before.slice(0, before.length - drop), joint)
      length += joint.length - drop
    }
    pages.push({ page: index + 1, start: length })
    parts.push(text)
    length += text.length
  }
  return { text: parts.join(""), pages }
}

/**
 * Reads a document of any format into normalised text. The title is the document's own or else made of the file's name,
 * and is safe to show. Rejects with `Unreadable`.
 */
export const read = async (
  { format, name, bytes }: Source,
  textLimit: number,
  recognize?: Recognize,
): Promise<ExtractedText> => {
  if (bytes.length === 0) throw new Unreadable("empty_document", "The file is empty.")
  const draft = await withAttachments(await readers[format](bytes, textLimit, recognize), readers, textLimit)
  const { omitted = new Omitted() } = draft
  const body = typeof draft.text === "string" ? { text: normalizeText(draft.text) } : joinPages(draft.text)
  if (!isVisible(body.text)) {
    throw omitted.failure ?? new Unreadable("empty_document", "The document holds no text.")
  }
  if (body.text.length > textLimit) throw tooLarge(textLimit)
  return {
    title: cleanTitle(bounded(draft.title ?? "")) ?? titleOfFile(bounded(name)),
    omissions: omitted.list,
    ...body,
  }
}
