import { type Heading, headingOf } from "../extract/Heading.ts"

/** A block of Markdown together with the empty lines after it. Blocks follow one another without a gap. */
export interface Block {
  readonly kind: "heading" | "code" | "table" | "text"
  readonly start: number
  readonly end: number
  readonly heading?: Heading
}

interface Line {
  readonly text: string
  readonly start: number
  /** The offset after the line break. */
  readonly end: number
}

/** A line longer than this is text, even if it begins like a heading. */
const MAX_HEADING_CHARACTERS = 300

export const linesOf = (text: string, start: number, end: number): ReadonlyArray<Line> => {
  const lines: Array<Line> = []
  for (let at = start; at < end;) {
    const found = text.indexOf("\n", at)
    const next = found < 0 || found >= end ? end : found + 1
    lines.push({ text: text.slice(at, found < 0 || found >= end ? end : found), start: at, end: next })
    at = next
  }
  return lines
}

const isBlank = (line: Line | undefined) => line !== undefined && line.text.trim() === ""

const fenceOf = (line: Line): string | undefined => /^[ \t]*(`{3,}|~{3,})/.exec(line.text)?.[1]

const isTableRule = (line: Line | undefined) =>
  line !== undefined && /^[\s|:-]+$/.test(line.text) && line.text.includes("-") && line.text.includes("|")

const headingAt = (line: Line) => (line.text.length <= MAX_HEADING_CHARACTERS ? headingOf(line.text) : undefined)

const startsTable = (lines: ReadonlyArray<Line>, at: number) =>
  lines[at]?.text.includes("|") === true && isTableRule(lines[at + 1])

/** The kind of the block that begins with the line at index `at`, and the index of the line after the block. */
const blockAt = (
  lines: ReadonlyArray<Line>,
  at: number,
  line: Line,
): { readonly kind: Block["kind"]; readonly to: number } => {
  if (headingAt(line) !== undefined) return { kind: "heading", to: at + 1 }
  const fence = fenceOf(line)
  if (fence !== undefined) {
    const closes = (each: Line) => fenceOf(each)?.startsWith(fence) === true && /^[`~\s]+$/.test(each.text)
    let close = at + 1
    for (let each = lines[close]; each !== undefined && !closes(each); each = lines[close]) close++
    return { kind: "code", to: Math.min(close + 1, lines.length) }
  }
  const isTable = startsTable(lines, at)
  const ends = (each: Line, index: number) =>
    isBlank(each) ||
    (isTable
      ? !each.text.includes("|")
      : fenceOf(each) !== undefined || headingAt(each) !== undefined || startsTable(lines, index))
  let to = isTable ? at + 2 : at + 1
  for (let each = lines[to]; each !== undefined && !ends(each, to); each = lines[to]) to++
  return { kind: isTable ? "table" : "text", to }
}

/** The blocks of a Markdown-like text. */
export const blocksOf = (text: string): ReadonlyArray<Block> => {
  const lines = linesOf(text, 0, text.length)
  const blocks: Array<Block> = []
  let at = 0
  while (isBlank(lines[at])) at++
  for (let line = lines[at]; line !== undefined; line = lines[at]) {
    const { kind, to } = blockAt(lines, at, line)
    at = to
    while (isBlank(lines[at])) at++
    const heading = kind === "heading" ? headingAt(line) : undefined
    const end = lines[at]?.start ?? text.length
    blocks.push({ kind, start: line.start, end, ...(heading === undefined ? {} : { heading }) })
  }
  return blocks
}
