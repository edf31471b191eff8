import { decodeText } from "./Decode.ts"
import type { Draft } from "./Extraction.ts"
import { headingOf, plainText } from "./Heading.ts"
import { BREAK, type Line, linesWithoutComments, showing } from "./MarkdownHtml.ts"
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

/** Matches the line below the names of a table's columns. */
const tableRule = /^\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?$/

/** A row of a table with its outer bars. */
const barred = (row: string): string => {
  const text = row.trim()
  const [begins, ends] = [text.startsWith("|"), /(?<!\\)\|$/.test(text)]
  if (begins && ends) return row
  const indent = row.slice(0, row.length - row.trimStart().length)
  return `${indent}| ${text.slice(begins ? 1 : 0, ends ? -1 : undefined).trim()} |`
}

const cellCount = (row: string) => barred(row).split(/(?<!\\)\|/).length

/** Gives rows of tables their outer bars, without which Markdown may have them, and keeps each on one line. */
const withBars = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  let isTable = false
  return lines.map((line, index) => {
    const next = lines[index + 1] ?? ""
    const isRule = line.includes("|") && next.includes("|") && tableRule.test(next.trim())
    isTable = line.includes("|") && (isTable || (isRule && cellCount(line) === cellCount(next)))
    return isTable ? barred(line.replaceAll(BREAK, " ")) : line
  })
}

/** The lines of Markdown as it is shown, without comments and HTML. */
const shownLines = async (body: string): Promise<ReadonlyArray<Line>> => {
  const show = await showing(body)
  const lines: Array<Line> = []
  let run: Array<Line> = []
  const end = () => {
    const [first] = run
    const text = run.map((line) => line.text).join("\n")
    if (first?.kind === "code") for (const line of run) lines.push(line)
    else if (first !== undefined) {
      for (const line of withBars(show(text, first.kind === "html").split("\n")))
        lines.push({ text: line, kind: "text" })
    }
    run = []
  }
  for (const line of linesWithoutComments(body)) {
    if (run[0]?.kind !== line.kind) end()
    run.push(line)
  }
  end()
  return lines
}

/** Writes HTML as Markdown, counts items, and turns underlined headings into `#` headings, outside of code. Also returns the first heading. */
const simplify = async (
  body: string,
): Promise<{ readonly text: string; readonly firstHeading: string | undefined }> => {
  const count = counter()
  const out: Array<string> = []
  let open: string | undefined
  let firstHeading: string | undefined
  let wasCode = false
  for (const { kind, text } of await shownLines(body)) {
    const isCode = kind === "code"
    const line = open === undefined && !(isCode && wasCode) ? count(text) : text
    const marker = isCode ? undefined : fence.exec(line)?.[1]
    if (isCode || open !== undefined) {
      if (marker !== undefined && marker.startsWith(open ?? "") && line.trim() === marker) open = undefined
      out.push(isCode ? text : line)
      wasCode = isCode
      continue
    }
    if (marker !== undefined) open = marker
    const rule = setextRule.exec(line)?.[1]
    const above = wasCode ? undefined : out.at(-1)
    wasCode = false
    // Only below a paragraph of one line, because below several lines it is more often a rule than a heading.
    const underlines = rule !== undefined && above !== undefined && !notHeadingText.test(above)
    if (underlines && (out.at(-2) ?? "").trim() === "") {
      out[out.length - 1] = `${rule.startsWith("=") ? "#" : "##"} ${above.trim()}`
    } else {
      out.push(line)
    }
    const heading = headingOf(out.at(-1) ?? "")
    if (heading !== undefined) out[out.length - 1] = (out.at(-1) ?? "").replaceAll(BREAK, " ")
    firstHeading ??= heading?.text.replaceAll(BREAK, " ")
  }
  return { text: out.join("\n"), firstHeading }
}

/**
 * Reads Markdown, and keeps it except for the fences of its front matter, comments, HTML, underlined headings, the outer
 * bars of tables, and escapes.
 */
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
