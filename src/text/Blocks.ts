import { bounded, type BoundedText } from "./BoundedText.ts"
import { continuesLine } from "./Sentences.ts"

/*
 * Takes Markdown apart into blocks: headings, paragraphs, items of lists, and rows of tables, without fenced code.
 */

/** A block of a text on one line, with its marks inside of the line. */
export interface Block {
  readonly kind: "heading" | "paragraph" | "item" | "row"
  readonly text: BoundedText
  /** The level of a heading from 1, or the depth of an item in its list from 0; 0 for other blocks. */
  readonly level: number
  /** The number of an item with its sign, such as `3.`; empty for other blocks. */
  readonly number: string
}

const HEADING = /^(#{1,6})\s+/
/** A heading of a wiki, whose marks may be apart: `== Title ==`. */
const WIKI_HEADING = /^(=(?: ?=){0,5}) ([^=]{1,200}) =(?: ?=){0,5}$/
/** The mark of an item; no abbreviation such as `z. B.`. */
const ITEM = /^([-*+•‣◦·]|(?:\d{1,3}\.){0,5}\d{1,3}[.)]|(?:[a-z]|[ivx]{2,6})(?:\)|\.(?!\s+\p{L}{1,3}\.)))\s+/u
const FENCE = /^(`{3,}|~{3,})/
/** Spaces at the beginning of a line for each level of a list. */
const INDENT = 2

export const blocksOf = (content: BoundedText): ReadonlyArray<Block> => {
  const blocks: Array<Block> = []
  let open: { block: Omit<Block, "text">; lines: Array<string> } | undefined
  let fence: string | undefined
  const close = () => {
    if (open !== undefined) blocks.push({ ...open.block, text: bounded(open.lines.join(" ").replaceAll(/\s+/g, " ")) })
    open = undefined
  }
  for (const source of content.split("\n")) {
    const line = source.trim().replace(/^(?:>\s?)+/, "")
    const mark = FENCE.exec(line)?.[1]
    if (fence !== undefined) {
      if (mark?.startsWith(fence) === true) fence = undefined
      continue
    }
    if (line === "" || mark !== undefined) {
      close()
      fence = mark
      continue
    }
    const begun = blockOf(source, line)
    const isWrapped = begun?.kind === "item" && continuesLine(open?.lines.at(-1) ?? "", line)
    const block = isWrapped ? undefined : begun
    if (block === undefined && open !== undefined) open.lines.push(line)
    else {
      close()
      open = { block: block ?? { kind: "paragraph", level: 0, number: "" }, lines: [contentOf(line, block)] }
    }
    if (block?.kind === "heading" || block?.kind === "row") close()
  }
  close()
  return blocks
}

/** Block that a line begins; undefined for text, which continues what is open. */
const blockOf = (source: string, line: string): Omit<Block, "text"> | undefined => {
  const heading = HEADING.exec(line)?.[1]
  if (heading !== undefined) return { kind: "heading", level: heading.length, number: "" }
  const marks = WIKI_HEADING.exec(line)?.[1]
  if (marks !== undefined) return { kind: "heading", level: marks.replaceAll(" ", "").length, number: "" }
  if (line.startsWith("|")) return { kind: "row", level: 0, number: "" }
  const item = ITEM.exec(line)?.[1]
  if (item === undefined) return undefined
  const indent = source.length - source.trimStart().length
  return { kind: "item", level: Math.floor(indent / INDENT), number: /[\da-z]/.test(item) ? item : "" }
}

const contentOf = (line: string, block: Omit<Block, "text"> | undefined): string =>
  block?.kind === "heading"
    ? line.replace(HEADING, "").replace(WIKI_HEADING, "$2")
    : block?.kind === "item"
      ? line.replace(ITEM, "")
      : line
