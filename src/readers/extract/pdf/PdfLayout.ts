import { continuesLine } from "../../../text/Sentences.ts"
import { isValue, titledTable } from "../Table.ts"
import { least, type Line, most, mostCommon } from "./PdfLines.ts"
import { type Head, headOf, statementOf, withHeadsOnOneLine } from "./PdfStatement.ts"

/** A page of a PDF as lines of text. */
export interface Page {
  /** The height in points. */
  readonly height: number
  readonly lines: ReadonlyArray<Line>
}

/** The usual type of a document, against which headings and paragraphs are recognised. */
export interface Style {
  readonly bodySize: number
  readonly bodyFont: string
  /** The distance between the lines of a paragraph, in font sizes. */
  readonly leading: number
  /** The usual font sizes of headings, largest first. */
  readonly headingSizes: ReadonlyArray<number>
  /** Whether most of the text is in fixed-pitch fonts, as on a typewriter, so that the font does not mark code. */
  readonly isTypewritten: boolean
}

type Kind = "paragraph" | "item" | "row" | "code"

/** The largest distance between two rows of a table, in font sizes. */
const MAX_ROW_DISTANCE = 3

/** Consecutive lines that form one paragraph, item, table or piece of code. */
interface Block {
  readonly kind: Kind
  readonly lines: Array<Line>
}

/** The smallest ratio of a heading's font size to the body's. */
const HEADING_SCALE = 1.12
/** The longest heading, in UTF-16 code units. */
const MAX_HEADING_CHARACTERS = 200
/** The number of heading levels recognised by font size. A heading that is only bold is one level below them. */
const MAX_HEADING_SIZES = 4

/** The share of the page's height, at its top and at its bottom, in which running heads and page numbers stand. */
const EDGE_SHARE = 0.1

const pageNumber = /^(?:page |seite |p\. ?)?[-–— ]*(?:\d{1,4}|[ivxlc]{1,6})[-–— ]*(?:(?:of|von|de|\/)\s*\d{1,4})?$/i

const withoutNumbers = (text: string) => text.replace(/\d+|\b[ivxlc]+$/gi, "#").replace(/\s+/g, " ")

const isAtEdge = (line: Line, page: Page) =>
  line.y < page.height * EDGE_SHARE || line.y > page.height * (1 - EDGE_SHARE)

/** Removes running heads, running feet and page numbers, which are recognised by being repeated. */
export const withoutRunningHeads = (pages: ReadonlyArray<Page>): ReadonlyArray<Page> => {
  const pagesWith = new Map<string, number>()
  for (const page of pages) {
    const keys = new Set(page.lines.filter((line) => isAtEdge(line, page)).map((line) => withoutNumbers(line.text)))
    for (const key of keys) pagesWith.set(key, (pagesWith.get(key) ?? 0) + 1)
  }
  const enough = Math.max(3, pages.length * 0.2)
  const isRunning = (line: Line) =>
    (pagesWith.get(withoutNumbers(line.text)) ?? 0) >= enough || (pages.length > 1 && pageNumber.test(line.text))
  return pages.map((page) => ({
    ...page,
    lines: page.lines.filter((line) => !(isAtEdge(line, page) && isRunning(line))),
  }))
}

/** The lower tercile of the distances between lines, because larger distances separate paragraphs. */
const usualLeading = (pages: ReadonlyArray<Page>): number => {
  const distances = pages
    .flatMap(({ lines }) => lines.slice(1).map((line, index) => (line.y - (lines[index]?.y ?? line.y)) / line.size))
    .filter((distance) => distance > 0.5 && distance < 4)
    .sort((a, b) => a - b)
  return distances[Math.floor(distances.length / 3)] ?? 1.2
}

/** The most frequent sizes above the body's, so that the unusual sizes of a cover page do not shift all levels. */
const usualHeadingSizes = (lines: ReadonlyArray<Line>, bodySize: number): ReadonlyArray<number> => {
  const counts = new Map<number, number>()
  for (const { size, text } of lines) {
    const isLarger = size >= bodySize * HEADING_SCALE && text.length <= MAX_HEADING_CHARACTERS
    if (isLarger) counts.set(size, (counts.get(size) ?? 0) + 1)
  }
  const usual = [...counts].sort((a, b) => b[1] - a[1] || b[0] - a[0]).slice(0, MAX_HEADING_SIZES)
  return usual.map(([size]) => size).sort((a, b) => b - a)
}

const charactersOf = (lines: ReadonlyArray<Line>): number => lines.reduce((sum, { text }) => sum + text.length, 0)

export const styleOf = (pages: ReadonlyArray<Page>): Style => {
  const lines = pages.flatMap((page) => page.lines)
  const bodySize = mostCommon(lines.map((line) => [line.size, line.text.length])) ?? 10
  return {
    bodySize,
    bodyFont: mostCommon(lines.map((line) => [line.font, line.text.length])) ?? "",
    leading: usualLeading(pages),
    headingSizes: usualHeadingSizes(lines, bodySize),
    isTypewritten: charactersOf(lines.filter((line) => line.monospaced)) > charactersOf(lines) / 2,
  }
}

/** Matches the number of an item, such as `3.`, `2.1.`, `b)`, `(3)` or `(iv)`. */
const itemNumber = /^(?:(?:\d{1,3}\.){0,4}(?:\d{1,3}|[a-z])[.)]|\((?:\d{1,3}|[a-z]|[ivx]{2,5})\))\s+/

const kindOf = (line: Line, style: Style): Kind => {
  const isRow = line.cells.filter(({ text }) => isValue(text)).length > 1
  if (line.bullet || (itemNumber.test(line.text) && !isRow)) return "item"
  if (line.monospaced && !style.isTypewritten) return "code"
  return line.tabbed ? "row" : "paragraph"
}

/** Whether a line that begins with a number or a letter in brackets, or with an ordinal, goes on with the line above. */
const isWithinSentence = (last: Line, line: Line): boolean =>
  !line.bullet &&
  (line.text.startsWith("(")
    ? !/[.!?:;,。]$/.test(last.text) && last.right >= line.right
    : continuesLine(last.text, line.text))

const endsSentence = (text: string) => /[.!?:。！？؟]["'”’)\]]*$/.test(text)

const continues = (block: Block, last: Line, line: Line, style: Style): boolean => {
  const kind = kindOf(line, style)
  const distance = (line.y - last.y) / Math.max(last.size, line.size)
  if (distance <= 0) return false
  if (block.kind === "row" && kind === "row") return distance < MAX_ROW_DISTANCE
  if (distance > style.leading * 1.35) return false
  if (Math.abs(last.size - line.size) > 0.1 * last.size) return false
  if (block.kind === "code" || kind === "code" || block.kind === "row" || kind === "row") return block.kind === kind
  if (kind === "item" && !isWithinSentence(last, line)) return false
  const isHeading = line.font !== last.font && (line.font === style.bodyFont || last.font === style.bodyFont)
  if (isHeading && block.lines.length === 1 && !endsSentence(last.text) && last.text.length < 60) return false
  const width = most(block.lines, (each) => each.right) - least(block.lines, (each) => each.x)
  const short = !line.rightToLeft && last.right < Math.max(last.x + width, line.right) - 0.25 * width
  const indented = line.x > last.x + line.size && block.kind === "paragraph" && endsSentence(last.text)
  return !(short && endsSentence(last.text)) && !indented
}

/** Makes a paragraph code that most likely is a part of a program. Lists in contracts end their lines by `;` as well. */
const listingOrText = (block: Block): Block => {
  const statements = block.lines.filter(({ text }) => /[{};\\]$/.test(text)).length
  const isListing = statements > block.lines.length / 2 && block.lines.some(({ text }) => /[{}=]|\);/.test(text))
  return isListing && block.kind === "paragraph" ? { ...block, kind: "code" } : block
}

const blocksOf = (lines: ReadonlyArray<Line>, style: Style): ReadonlyArray<Block> => {
  const blocks: Array<Block> = []
  let last: Line | undefined
  for (const line of lines) {
    const block = blocks.at(-1)
    if (block !== undefined && last !== undefined && continues(block, last, line, style)) block.lines.push(line)
    else blocks.push({ kind: kindOf(line, style), lines: [line] })
    last = line
  }
  return style.isTypewritten ? blocks.map(listingOrText) : blocks
}

interface Box {
  readonly block: Block
  readonly x: number
  readonly right: number
  readonly top: number
}

const boxOf = (block: Block): Box => ({
  block,
  x: least(block.lines, (line) => line.x),
  right: most(block.lines, (line) => line.right),
  top: least(block.lines, (line) => line.y),
})

/** Pages with more blocks keep the order of the file, because ordering takes quadratic time. */
const MAX_ORDERED_BLOCKS = 600

/**
 * Sorts blocks into reading order. Files mostly have that order, also for columns, except for blocks that were placed
 * separately, such as tables and notes. So the order of the file is kept, except that a block follows all blocks above
 * it in the same columns.
 */
const inReadingOrder = (blocks: ReadonlyArray<Block>): ReadonlyArray<Block> => {
  if (blocks.length > MAX_ORDERED_BLOCKS) return blocks
  const boxes = blocks.map(boxOf)
  const overlaps = (a: Box, b: Box) => Math.min(a.right, b.right) - Math.max(a.x, b.x) > 0
  const above = boxes.map((box) => boxes.filter((other) => other.top < box.top && overlaps(other, box)))
  const done = new Set<Box>()
  while (done.size < boxes.length) {
    const next = boxes.findIndex((box, index) => !done.has(box) && (above[index] ?? []).every((each) => done.has(each)))
    const box = boxes[next]
    if (box === undefined) break
    done.add(box)
  }
  return [...done].map((box) => box.block)
}

/** Matches a character or punctuation of a script without spaces, whose lines may break anywhere. */
const UNSPACED = String.raw`[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}\uff01-\uff60]`
const brokenAnywhere = new RegExp(`${UNSPACED}\n${UNSPACED}`, "u")

/** The separator between two lines of one paragraph: a space, or nothing in a script without spaces. */
const jointOf = (text: string, next: string): string =>
  brokenAnywhere.test(`${text.slice(-2)}\n${next.slice(0, 2)}`) ? "" : " "

const joined = (lines: ReadonlyArray<string>): string =>
  lines.reduce((text, next) => text + jointOf(text, next) + next).replaceAll("\t", " ")

/** Joins two lines of a paragraph. `knows` says whether a word occurs elsewhere in the document. */
const joinLines = (text: string, next: string, knows: (word: string) => boolean): string => {
  const head = /([\p{L}\p{M}]+)[-\u00ad\u2010]$/u.exec(text.slice(-60))?.[1]
  const tail = /^\p{Ll}[\p{L}\p{M}]*/u.exec(next)?.[0]
  if (head === undefined || tail === undefined) return text + jointOf(text, next) + next
  const isCompound = !text.endsWith("\u00ad") && knows(`${head}-${tail}`) && !knows(head + tail)
  return isCompound ? text + next : text.slice(0, -1) + next
}

const codeOf = (lines: ReadonlyArray<Line>): string => {
  const left = least(lines, (line) => line.x)
  const indented = lines.map((line) => {
    const charWidth = Math.max((line.right - line.x) / line.text.length, 1)
    return " ".repeat(Math.min(Math.round((line.x - left) / charWidth), 40)) + line.text
  })
  return `\`\`\`\n${indented.join("\n")}\n\`\`\``
}

/** Writes rows as a table when they have the same number of columns, and as lines otherwise. */
const rowsOf = (lines: ReadonlyArray<string>): string => {
  const cells = lines.map((line) => line.split("\t"))
  return cells.length > 1 && areEven(cells) ? titledTable(cells) : lines.join("\n")
}

const areEven = (rows: ReadonlyArray<ReadonlyArray<unknown>>): boolean =>
  rows.every((row) => row.length === rows[0]?.length)

const headingLevel = (block: Block, style: Style): number | undefined => {
  const [line] = block.lines
  if (line === undefined || block.lines.length > 3 || !/\p{L}/u.test(line.text)) return undefined
  if (charactersOf(block.lines) > MAX_HEADING_CHARACTERS) return undefined
  if (line.size >= style.bodySize * HEADING_SCALE) {
    return Math.min(style.headingSizes.filter((size) => size > line.size).length + 1, MAX_HEADING_SIZES)
  }
  // A short line on its own in another font than the body's is a bold heading.
  const isShortLine = block.kind === "paragraph" && block.lines.length === 1 && line.text.length < 80
  const hasOtherFont =
    line.font !== style.bodyFont && line.size >= style.bodySize * 0.98 && /^[\p{Lu}\d]/u.test(line.text)
  return isShortLine && hasOtherFont && !/[.!?:,;]$/.test(line.text) ? style.headingSizes.length + 1 : undefined
}

/** A table of rows with a head above them, or with their own where that has fewer cells than they have. */
const tableOf = (lines: ReadonlyArray<Line>, above: Head | undefined): string | undefined => {
  const own = headOf(lines)
  if (own !== undefined) return areEven(lines.map(({ cells }) => cells)) ? undefined : statementOf(own.head, own.rows)
  return above === undefined ? undefined : statementOf(above, lines)
}

const write = (block: Block, level: number | undefined, knows: (word: string) => boolean, head?: Head): string => {
  const texts = block.lines.map((line) => line.text)
  if (level !== undefined) return `${"#".repeat(level)} ${joined(texts)}`
  if (block.kind === "code") return codeOf(block.lines)
  if (block.kind === "row") return tableOf(block.lines, head) ?? rowsOf(texts)
  const text = texts.reduce((left, right) => joinLines(left, right, knows)).replace(/^(\S+)\t/, "$1 ")
  return block.lines[0]?.bullet === true ? `- ${text}` : text
}

/**
 * Way to join two texts when `after` continues a sentence of `before` across columns or pages: `drop` characters are
 * removed from the end of `before`, and `joint` is put between. `undefined` when `after` does not continue a sentence.
 */
export const resumption = (
  before: string,
  after: string,
): { readonly drop: number; readonly joint: string } | undefined => {
  if (!/^\p{Ll}/u.test(after)) return undefined
  if (/\p{L}[-\u00ad\u2010]$/u.test(before)) return { drop: 1, joint: "" }
  return /[\p{L}\p{N},]$/u.test(before) ? { drop: 0, joint: " " } : undefined
}

/** Writes a page as Markdown. `knows` says whether a word occurs in the document. */
export const markdownOf = (page: Page, style: Style, knows: (word: string) => boolean): string => {
  let written = ""
  let kindBefore: Kind | "heading" | undefined
  let head: Head | undefined
  for (const block of inReadingOrder(blocksOf(withHeadsOnOneLine(page.lines), style))) {
    const level = headingLevel(block, style)
    const kind = level === undefined ? block.kind : "heading"
    const text = write(block, level, knows, head)
    // A bold line between groups of rows names the next group of the same statement.
    if (level !== undefined && level <= style.headingSizes.length) head = undefined
    else if (kind === "row") head = headOf(block.lines)?.head ?? head
    const isProse = kind === "paragraph" && (kindBefore === "paragraph" || kindBefore === "item")
    const resumed = isProse ? resumption(written.slice(-2), text) : undefined
    const isList = kind === kindBefore && (kind === "item" || (kind === "row" && !text.startsWith("|")))
    const joint = kindBefore === undefined ? "" : (resumed?.joint ?? (isList ? "\n" : "\n\n"))
    written = (resumed === undefined ? written : written.slice(0, written.length - resumed.drop)) + joint + text
    kindBefore = resumed === undefined ? kind : kindBefore
  }
  return written
}

/** The smallest ratio of a title's font size to the body's. */
const TITLE_SCALE = 1.4

/** The title on a first page: its largest heading if that has a title's size, else a heading at its start. */
export const titleOn = (page: Page, style: Style): string | undefined => {
  const blocks = inReadingOrder(blocksOf(page.lines, style))
  const headings = blocks.filter((block) => headingLevel(block, style) !== undefined)
  const sizeOf = (block: Block) => block.lines[0]?.size ?? 0
  const largest = headings.toSorted((a, b) => sizeOf(b) - sizeOf(a))[0]
  const isTitle = largest !== undefined && sizeOf(largest) >= style.bodySize * TITLE_SCALE
  const title = isTitle ? largest : headings.find((block) => block === blocks[0])
  return title === undefined ? undefined : joined(title.lines.map((line) => line.text))
}
