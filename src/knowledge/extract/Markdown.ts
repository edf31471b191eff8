import { decodeText } from "./Decode.ts"
import type { Draft } from "./Extraction.ts"
import { headingOf, plainText } from "./Heading.ts"
import { MAX_TITLE_CHARACTERS } from "./Text.ts"

const fence = /^ {0,3}(`{3,}|~{3,})/
const setextRule = /^ {0,3}(=+|-+)[ \t]*$/
/** Matches lines that cannot be the text of a heading that the next line underlines. */
const notHeadingText = /^(?: {4}|\t| {0,3}(?:[-*+>|#]|\d+[.)]\s))|^\s*$/

/** Splits off the YAML front matter. */
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
/** Matches inline code, character references such as `&eacute;`, and escaped underscores within words. */
const codeOrEscape =
  /`+[^`]*`+|&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});|(?<=[\p{L}\p{N}])\\_(?=[\p{L}\p{N}])/giu
const mayHaveEscape = /&[#a-z]|\\_/i

/**
 * Returns a function that decodes the escapes of a line, such as `Caf&eacute;` and `snake\_case`, so that searches find
 * the words. References to ASCII characters stay, because the decoded characters could be taken for Markdown marks.
 */
const unescaperFor = async (body: string): Promise<(line: string) => string> => {
  if (!mayHaveEscape.test(body)) return (line) => line
  const { decodeHTMLStrict } = await import("entities/decode")
  const character = (reference: string) => {
    const decoded = decodeHTMLStrict(reference)
    return /^[\0-\x7f]/.test(decoded) ? reference : decoded
  }
  const unescapeMatch = (match: string) => {
    if (match.startsWith("`")) return match
    return match.startsWith("&") ? character(match) : "_"
  }
  return (line) => (indentedCode.test(line) ? line : line.replace(codeOrEscape, unescapeMatch))
}

/** Matches the indentation, the number and the sign of a numbered item. */
const numberedItem = /^([ \t]*)(\d{1,9})([.)])(?=[ \t])/

/** Returns a function that counts the items of lists in which each has the number 1, as Markdown shows them. */
const counter = () => {
  const counts = new Map<number, number>()
  let wasBlank = true
  return (line: string): string => {
    const isBlank = line.trim() === ""
    const [mark, space = "", number = "", sign = ""] = numberedItem.exec(line) ?? []
    const indent = mark === undefined ? line.length - line.trimStart().length : space.length
    // A list goes on below an empty line where its next item or text of an item follows.
    const ends = mark !== undefined ? indent + 1 : wasBlank || /^[ \t]*(?:#|[-*+][ \t])/.test(line) ? indent : Infinity
    if (!isBlank && ends < Infinity) for (const each of counts.keys()) if (each >= ends) counts.delete(each)
    wasBlank = isBlank
    if (mark === undefined) return line
    const before = counts.get(indent)
    const count = Number(number) === 1 && before !== undefined ? before + 1 : Number(number)
    counts.set(indent, count)
    return `${space}${count}${sign}${line.slice(mark.length)}`
  }
}

/** Decodes escapes, counts items, and turns underlined headings into `#` headings, outside of code. Also returns the first heading. */
const simplify = async (
  body: string,
): Promise<{ readonly text: string; readonly firstHeading: string | undefined }> => {
  const unescape = await unescaperFor(body)
  const count = counter()
  const out: Array<string> = []
  let open: string | undefined
  let firstHeading: string | undefined
  for (const source of body.split("\n")) {
    const line = open === undefined ? count(unescape(source)) : source
    const marker = fence.exec(line)?.[1]
    if (open !== undefined) {
      if (marker !== undefined && marker.startsWith(open) && line.trim() === marker) open = undefined
      out.push(line)
      continue
    }
    if (marker !== undefined) open = marker
    const rule = setextRule.exec(line)?.[1]
    const above = out.at(-1)
    // Only below a paragraph of one line, because below several lines it is more often a rule than a heading.
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

/** Reads Markdown, and keeps it except for the fences of its front matter, underlined headings and escapes. */
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
