import { decodeText } from "./Decode.ts"
import type { Draft } from "./Extraction.ts"
import { headingOf, plainText } from "./Heading.ts"
import { MAX_TITLE_CHARACTERS } from "./Text.ts"

const fence = /^ {0,3}(`{3,}|~{3,})/
const setextRule = /^ {0,3}(=+|-+)[ \t]*$/
/** Lines that cannot be the text of a heading that the next line underlines. */
const notHeadingText = /^(?: {4}|\t| {0,3}(?:[-*+>|#]|\d+[.)]\s))|^\s*$/

/** Splits off the YAML front matter, of which only `title` is understood. */
const splitFrontMatter = (text: string): { readonly matter: string; readonly body: string } => {
  const match = /^---[ \t]*\n([\s\S]*?)\n(?:---|\.\.\.)[ \t]*(?:\n|$)/.exec(text)
  if (match?.[1] === undefined) return { matter: "", body: text }
  return { matter: match[1], body: text.slice(match[0].length) }
}

const matterTitle = (matter: string): string | undefined =>
  /^title:(.*)$/m
    .exec(matter)?.[1]
    ?.trim()
    .replace(/^(["'])(.*)\1$/, "$2")

const indentedCode = /^(?: {4}|\t)/
/** Code, which is left as it stands, or a character that is written in another way. */
const written = /`+[^`]*`+|&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});|(?<=[\p{L}\p{N}])\\_(?=[\p{L}\p{N}])/giu
const mayBeWritten = /&[#a-z]|\\_/i

/**
 * Words as they are read, `Caf&eacute;` and `snake\_case` among them. Characters of ASCII stay as they are written:
 * they could be taken for marks.
 */
const readable = async (body: string): Promise<(line: string) => string> => {
  if (!mayBeWritten.test(body)) return (line) => line
  const { decodeHTMLStrict } = await import("entities/decode")
  const character = (reference: string) => {
    const decoded = decodeHTMLStrict(reference)
    return /^[\0-\x7f]/.test(decoded) ? reference : decoded
  }
  const readMatch = (match: string) => {
    if (match.startsWith("`")) return match
    return match.startsWith("&") ? character(match) : "_"
  }
  return (line) => (indentedCode.test(line) ? line : line.replace(written, readMatch))
}

/** Outside of code, characters are written as they are read and underlined headings become `#` headings: one form is left. */
const simplify = async (
  body: string,
): Promise<{ readonly text: string; readonly firstHeading: string | undefined }> => {
  const read = await readable(body)
  const out: Array<string> = []
  let open: string | undefined
  let firstHeading: string | undefined
  for (const source of body.split("\n")) {
    const line = open === undefined ? read(source) : source
    const marker = fence.exec(line)?.[1]
    if (open !== undefined) {
      if (marker !== undefined && marker.startsWith(open) && line.trim() === marker) open = undefined
      out.push(line)
      continue
    }
    if (marker !== undefined) open = marker
    const rule = setextRule.exec(line)?.[1]
    const above = out.at(-1)
    // Only a paragraph of one line: a rule below several lines is more often a rule than a heading.
    const underlines = rule !== undefined && above !== undefined && !notHeadingText.test(above)
    if (underlines && (out.at(-2) ?? "").trim() === "") {
      out[out.length - 1] = `${rule.startsWith("=") ? "#" : "##"} ${above.trim()}`
    } else {
      out.push(line)
    }
    firstHeading ??= headingOf(out.at(-1) ?? "")?.text
  }
  return { text: out.join("\n"), firstHeading }
}

/** Markdown is passed on as it is, but for the fences of its front matter and what has a simpler form. */
export const markdown = async (bytes: Uint8Array): Promise<Draft> => {
  const source = decodeText(bytes)
    .replace(/^\ufeff/, "")
    .replace(/\r\n?/g, "\n")
  const { matter, body } = splitFrontMatter(source)
  const { text, firstHeading } = await simplify(body)
  return {
    title:
      matterTitle(matter) ??
      (firstHeading === undefined ? undefined : plainText(firstHeading.slice(0, MAX_TITLE_CHARACTERS))),
    text: matter === "" ? text : `${matter}\n\n${text}`,
  }
}
