import { cut } from "./Cut.ts"
import { plain } from "./Markup.ts"
import { cellsOf, isRow, isRule, rowText, type Table } from "./Tables.ts"

/*
 * Takes Markdown apart into sentences, headings and rows of tables, without its marks.
 */

/** Longest sentence, in UTF-16 code units: a longer one is mostly a listing that lost its form. */
const SENTENCE_MAX_LENGTH = 600
const SENTENCE_MIN_LENGTH = 2

const sentenceSegmenter = new Intl.Segmenter(undefined, { granularity: "sentence" })

export interface Line {
  readonly text: string
  /**
   * Whether the line is a heading, a question or the announcement of a list: it says what follows, and answers nothing
   * itself.
   */
  readonly isLead: boolean
  /** The text of the line itself: for a row, its cells without the names of their columns. */
  readonly own: string
  /** For a row, the table that holds it. The text of a row names the columns of this table. */
  readonly table?: Pick<Table, "header">
}

/** The sentences and headings of a text, without the rows of its tables. */
export const linesOf = (content: string): ReadonlyArray<Line> =>
  blocksOf(content).flatMap((block) => (isRow(block) ? [] : linesIn(block)))

/** The sentences, headings and rows of a text. */
export const linesAndRowsOf = (content: string): ReadonlyArray<Line> => {
  const lines: Array<Line> = []
  let table: Pick<Table, "header"> | undefined
  const blocks = blocksOf(content)
  for (const [index, block] of blocks.entries()) {
    if (!isRow(block)) {
      table = undefined
      lines.push(...linesIn(block))
    } else if (isRule(blocks[index + 1])) table = { header: cellsOf(block) }
    else if (!isRule(block)) {
      table ??= { header: [] }
      const cells = cellsOf(block)
      const text = rowText(table.header, cells)
      if (text !== "") lines.push({ text, own: cells.join("; "), isLead: false, table })
    }
  }
  return lines
}

const linesIn = (block: string): ReadonlyArray<Line> => {
  const heading = /^#{1,6}\s+/.exec(block)
  if (heading !== null) {
    const text = plain(block.slice(heading[0].length))
    return [{ text, own: text, isLead: true }]
  }
  return Array.from(sentenceSegmenter.segment(plain(block)), ({ segment }) => segment.trim())
    .filter((text) => text.length >= SENTENCE_MIN_LENGTH && text.length <= SENTENCE_MAX_LENGTH)
    .map((text) => ({ text, own: text, isLead: /[?？؟;:：]$/u.test(text) }))
}

/** The paragraphs, headings, list items and rows of a text, each on one line and without fenced code. */
const blocksOf = (content: string): ReadonlyArray<string> =>
  content
    .replaceAll(/^(```|~~~)[^]*?(^\1|$(?![^]))/gm, "\n\n")
    .split(/\n\s*\n|\n(?=\s*(?:#{1,6}\s|[-*+•]\s|\d{1,3}[.)]\s|\|))|(?<=^#{1,6}\s.*)\n/m)
    .map((block) => block.replaceAll(/\s+/g, " ").trim())
    .filter((block) => block !== "")

/** The beginning of a text without sentences, on one line and without marks that could be taken for formatting. */
export const excerptOf = (content: string): string => {
  const line = content.replaceAll(/[#*`|~<>[\]\s]+/g, " ").trim()
  if (line.length <= SENTENCE_MAX_LENGTH) return line
  const start = cut(line, SENTENCE_MAX_LENGTH - 1)
  const space = start.lastIndexOf(" ")
  return `${space > SENTENCE_MAX_LENGTH / 2 ? start.slice(0, space) : start}…`
}
