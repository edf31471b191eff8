import { markdownLink } from "./Link.ts"
import { oneLine } from "./Text.ts"

/* What Markdown shows of HTML: nothing of comments, and of elements what a browser shows of them, outside of code. */

/** A line of Markdown. Lines of code are kept as they are; those of HTML are of an element that has no Markdown within. */
export interface Line {
  readonly text: string
  readonly kind: "code" | "html" | "text"
}

const fenceMark = /^ *(`{3,}(?!.*`)|~{3,})/
const quoteMark = /^(?: {0,3}> ?)+/
const itemMark = /^ *(?:[-*+]|\d{1,9}[.)]) +/
const codeSpan = "(?<![`\\\\])(?<ticks>`+)(?!`)(?:[^\\n]|\\n(?![ \\t]*\\n))*?(?<!`)\\k<ticks>(?!`)"
/** Matches the start of an element whose content is no Markdown, up to its end. */
const rawElement = /^[ \t]*<(table|pre|script|style|textarea|svg)(?=[\s>])/i
/** Matches definitions of links that lead nowhere, in which authors write comments. */
const commentDefinition = /^ {0,3}\[(?:(?:\/\/|comment)\]:.*|[^\]\n]+\]:[ \t]*(?:#|<#?>)[ \t]*(?:["'(].*)?)$/i

/** Where the first comment of a line begins, outside of code spans; -1 without one. */
const commentStart = (line: string): number => {
  if (!line.includes("<!--")) return -1
  const found = line.matchAll(commentOrCode).find(([match]) => match === "<!--")
  return found?.index ?? -1
}
const commentOrCode = new RegExp(`${codeSpan}|<!--`, "g")

/** Removes the blanks at the end of a text in pieces, without a look at all of them. */
const trimEndOf = (pieces: Array<string>): void => {
  for (let last = pieces.pop(); last !== undefined; last = pieces.pop()) {
    if (last.trim() !== "") return void pieces.push(last.trimEnd())
  }
}

/** Divides Markdown into lines without comments. One that is not closed ends with the document if it begins a line. */
export const linesWithoutComments = (body: string): ReadonlyArray<Line> => {
  const lines: Array<Line> = []
  const lastClose = body.lastIndexOf("-->")
  const closes = new Map<string, number>()
  /** The element that begins with a line, if it ends somewhere. */
  const rawIn = (line: string, at: number): string | undefined => {
    const name = rawElement.exec(line)?.[1]?.toLowerCase()
    if (name === undefined) return undefined
    const close = closes.get(name) ?? body.toLowerCase().lastIndexOf(`</${name}`)
    closes.set(name, close)
    return close > at ? name : undefined
  }
  const endOfLine = (at: number) => {
    const found = body.indexOf("\n", at)
    return found < 0 ? body.length : found
  }
  /** The columns at which the texts of the list items around a line begin. */
  const items: Array<number> = []
  let fence: string | undefined
  let raw: string | undefined
  let wasBlank = true
  for (let [at, end] = [0, 0]; at <= body.length; at = end + 1) {
    end = endOfLine(at)
    let rest = body.slice(at, end)
    const inner = rest.replace(quoteMark, "").replaceAll("\t", "    ")
    const column = inner.search(/\S/)
    const item = fence === undefined ? itemMark.exec(inner)?.[0] : undefined
    if (fence === undefined && column >= 0 && (wasBlank || item !== undefined)) {
      while ((items.at(-1) ?? 0) > column) items.pop()
    }
    const isIndented: boolean =
      fence === undefined && raw === undefined && wasBlank && column >= (items.at(-1) ?? 0) + 4
    const mark = isIndented || raw !== undefined ? undefined : fenceMark.exec(inner.slice(item?.length ?? 0))?.[1]
    if (item !== undefined && !isIndented) items.push(item.length)
    if (isIndented || fence !== undefined || mark !== undefined) {
      const isClose = fence !== undefined && mark?.startsWith(fence) === true && inner.trim() === mark
      fence = isClose ? undefined : (fence ?? mark)
      lines.push({ text: rest, kind: "code" })
      wasBlank = isIndented
      continue
    }
    const shown: Array<string> = []
    let isBlank = true
    for (let start = commentStart(rest); start >= 0; start = commentStart(rest)) {
      const from = end - rest.length + start
      const before = rest.slice(0, start)
      const isBlock: boolean = isBlank && before.trim() === ""
      if (from > lastClose && !isBlock) break
      const close = from > lastClose ? body.length : body.indexOf("-->", from + 2) + 3
      shown.push(before)
      isBlank = isBlock
      if (close > end) end = endOfLine(close)
      rest = body.slice(close, end)
      if (!isBlock && !/^\S/.test(rest)) trimEndOf(shown)
    }
    const text = shown.join("") + rest
    raw ??= rawIn(text, at)
    if (raw === undefined) lines.push({ text: text.replace(commentDefinition, ""), kind: "text" })
    else lines.push({ text, kind: "html" })
    if (raw !== undefined && text.toLowerCase().includes(`</${raw}`)) raw = undefined
    wasBlank = text.trim() === ""
  }
  return lines
}

/** Elements that begin a block where a line begins with one of their tags. */
const blocks =
  "article|aside|blockquote|center|dd|details|dialog|div|dl|dt|fieldset|figcaption|figure|footer|form|h[1-6]|header|hr|legend|li|main|nav|ol|p|pre|script|section|style|summary|svg|table|tbody|td|textarea|tfoot|th|thead|tr|ul"
/** Tags within lines. Others, such as `<source>` and `<name>`, are more often places to fill in. */
const tags =
  "a|abbr|b|big|br|center|cite|code|dd|del|details|div|dl|dt|em|font|h[1-6]|hr|i|img|ins|kbd|li|mark|ol|p|picture|pre|q|s|samp|small|source(?=\\s)|span|strike|strong|sub|summary|sup|table|tbody|td|th|thead|tr|tt|u|ul|var|wbr"
const separate = /^(?:br|center|d[dlt]|details|div|h[1-6]|hr|li|ol|p|pre|summary|table|tbody|t[dhr]|thead|ul)$/i
const attributes = `(?:[^"'<>]|"[^"]{0,2000}"|'[^']{0,2000}')*`

const parts = new RegExp(
  [
    codeSpan,
    `^(?<indent>[ \\t]*)(?<block></?(?:${blocks})(?=[\\s/>]).*(?:\\n[ \\t]*\\S.*)*)`,
    `<a\\s(?<link>${attributes})>(?<words>[^<\\n]*)</a>`,
    `<(?<quote>code|kbd|samp|tt)>(?<code>[^<\`\\n]+)</\\k<quote>>`,
    `(?<!\\\\)</?(?<tag>${tags})(?<attributes>(?:[\\s/]${attributes})?)>`,
    `(?<reference>&(?:#\\d{1,7}|#x[\\da-f]{1,6}|[a-z][a-z\\d]{1,31});)`,
    `(?<=[\\p{L}\\p{N}])\\\\_(?=[\\p{L}\\p{N}])`,
  ].join("|"),
  "gimu",
)
const mayHaveParts = /<[/a-z]|&[#a-z]|\\_/i

/** A line break within a line, which is a space in headings and rows of tables. */
export const BREAK = "\v"

const attributeOf = (attributes: string, name: string): string => {
  const match = new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, "i").exec(attributes)
  return match?.[1] ?? match?.[2] ?? match?.[3] ?? ""
}

/**
 * Returns a function that writes text outside of code blocks as it is shown: HTML as text, and references to characters
 * and `snake\_case` decoded, so that searches find the words. Characters that would be marks of Markdown are escaped.
 */
export const showing = async (body: string): Promise<(text: string, isHtml: boolean) => string> => {
  if (!mayHaveParts.test(body)) return (text) => text
  const [{ decodeHTMLStrict }, { htmlText }] = await Promise.all([import("entities/decode"), import("./html/Html.ts")])
  const character = (reference: string) => {
    const decoded = decodeHTMLStrict(reference)
    return /^[*_`#|[\]~\\]$/.test(decoded) ? `\\${decoded}` : decoded.replace(/^\s$/, " ")
  }
  const written = (block: string, indent: string) => `\n${htmlText(block).text}\n`.replaceAll("\n", `\n${indent}`)
  const show = (match: string, ...rest: ReadonlyArray<unknown>): string => {
    const groups = rest.at(-1) as Readonly<Record<string, string | undefined>>
    const { block, code, indent = "", link, reference, tag, words } = groups
    if (groups["ticks"] !== undefined) return match
    if (block !== undefined) return written(block, indent)
    if (reference !== undefined) return character(reference)
    if (link !== undefined)
      return markdownLink(decodeHTMLStrict(words ?? ""), decodeHTMLStrict(attributeOf(link, "href")))
    if (code !== undefined) return `\`${decodeHTMLStrict(code)}\``
    if (tag === undefined) return "_"
    if (/^img$/i.test(tag)) return oneLine(decodeHTMLStrict(attributeOf(groups["attributes"] ?? "", "alt")))
    if (/^br$/i.test(tag)) return BREAK
    return separate.test(tag) ? " " : ""
  }
  return (text, isHtml) =>
    isHtml ? written(text, /^[ \t]*/.exec(text)?.[0] ?? "") : text.replace(parts, show).replace(/\v[ \t]*\n/g, "\n")
}
