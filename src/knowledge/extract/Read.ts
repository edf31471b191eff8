import type { Format } from "../../domain/Formats.ts"
import { csv } from "./Csv.ts"
import { decodeText } from "./Decode.ts"
import { type Draft, type ExtractedText, maxTextCharacters, type PageStart, type Source } from "./Extraction.ts"
import { tooLarge, Unreadable } from "./Extraction.ts"
import { html } from "./Html.ts"
import { json } from "./Json.ts"
import { markdown } from "./Markdown.ts"
import { pdf } from "./Pdf.ts"
import { resumption } from "./PdfLayout.ts"
import { cleanTitle, normalizeText, titleOfFile } from "./Text.ts"

const readers: Readonly<Record<Format, (bytes: Uint8Array) => Draft | Promise<Draft>>> = {
  md: markdown,
  txt: (bytes) => ({ title: undefined, text: decodeText(bytes) }),
  html,
  csv,
  json,
  pdf,
}

/** The last line of a page, if the next page may go on with it. */
const openEnd = (page: string): string => {
  const lastLine = page.slice(page.lastIndexOf("\n") + 1)
  return /^(?:#|```)/.test(lastLine) ? "" : lastLine
}

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
 * Reads a document of any format: its text normalised, with a title that is safe to show, its own or else its file's.
 * Rejects with `Unreadable`.
 */
export const read = async ({ format, name, bytes }: Source): Promise<ExtractedText> => {
  if (bytes.length === 0) throw new Unreadable("empty_document", "The file is empty.")
  const draft = await readers[format](bytes)
  const body = typeof draft.text === "string" ? { text: normalizeText(draft.text) } : joinPages(draft.text)
  if (!/[\p{L}\p{N}\p{S}]/u.test(body.text)) {
    throw new Unreadable("empty_document", "The document holds no text.")
  }
  if (body.text.length > maxTextCharacters) throw tooLarge()
  return { title: cleanTitle(draft.title) ?? titleOfFile(name), ...body }
}
