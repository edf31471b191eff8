import { isVisible } from "../Text.ts"
import type { Run } from "./PdfRun.ts"
import { asRead, hasRightToLeft, inReadingOrder, isMostlyRightToLeft } from "./PdfDirection.ts"

/** A line of text on a page. Lengths are in points, and `y` grows downwards from the page's top edge. */
export interface Line {
  readonly text: string
  readonly x: number
  readonly right: number
  readonly y: number
  /** The font size of most of its characters. */
  readonly size: number
  /** The font of most of its characters. */
  readonly font: string
  readonly monospaced: boolean
  readonly rightToLeft: boolean
  /** Whether the line begins with a bullet, which `text` does not include. */
  readonly bullet: boolean
  /** Whether the line has wide gaps, which are tabs in `text`. It is likely a row of a table. */
  readonly tabbed: boolean
  /** The texts between the tabs; none where their places are unknown. */
  readonly cells: ReadonlyArray<Cell>
}

/** A text between two wide gaps of a line. */
export interface Cell {
  readonly text: string
  readonly x: number
  readonly right: number
}

/** A gap between two runs that is wider than this, in font sizes, is a space. */
const SPACE_GAP = 0.15
/** A gap between two runs that is wider than this, in font sizes, separates columns of a table. */
const COLUMN_GAP = 1.5

/** Matches bullets, and the characters that symbol fonts without a proper encoding give for them. */
const bulletGlyphs = String.raw`(?:[•‣◦▪▫●○■□◆➢➤✓✔❖∙·*–—\u0001-\u001f\u007f-\u009f\uf000-\uf0ff]|o(?=\s|$))`
const bullet = new RegExp(String.raw`^${bulletGlyphs}\s+(?=\S)`, "u")
const loneBullet = new RegExp(`^${bulletGlyphs}$`, "u")

/** Matches the dots between a title and its page number in a table of contents. */
const leader = /(?:[ \t]?[.…]){4,}[ \t]*/g

/** The value with the largest sum of weights, such as the font of most characters. */
export const mostCommon = <A>(items: Iterable<readonly [value: A, weight: number]>): A | undefined => {
  const weights = new Map<A, number>()
  let best: A | undefined
  for (const [value, weight] of items) {
    const sum = (weights.get(value) ?? 0) + weight
    weights.set(value, sum)
    if (best === undefined || sum > (weights.get(best) ?? 0)) best = value
  }
  return best
}

/** The smallest value of the items. Unlike `Math.min`, it takes lists of any length. */
export const least = <A>(items: ReadonlyArray<A>, of: (item: A) => number): number =>
  items.reduce((best, item) => Math.min(best, of(item)), Number.POSITIVE_INFINITY)

/** The largest value of the items. Unlike `Math.max`, it takes lists of any length. */
export const most = <A>(items: ReadonlyArray<A>, of: (item: A) => number): number =>
  items.reduce((best, item) => Math.max(best, of(item)), Number.NEGATIVE_INFINITY)

/** The distance between two runs on a line, in either order; negative when they overlap. */
const gapBetween = (left: Run, right: Run) =>
  Math.max(right.x - (left.x + left.width), left.x - (right.x + right.width))

const isLoneBullet = (run: Run) => loneBullet.test(run.text.trim())

const isSameLine = (previous: Run, run: Run) =>
  !previous.rotated &&
  !run.rotated &&
  Math.abs(previous.y - run.y) <= 0.5 * Math.max(previous.size, run.size) &&
  !(isLoneBullet(run) && run.x < previous.x)

const separator = (previous: Run | undefined, run: Run): string => {
  if (previous === undefined) return ""
  const gap = gapBetween(previous, run) / Math.max(previous.size, run.size)
  if (gap > COLUMN_GAP && !run.rightToLeft) return "\t"
  // pdf.js omits the space between words of different directions.
  const turns = previous.rightToLeft !== run.rightToLeft && /^[\p{L}\p{N}]/u.test(run.text)
  return gap > SPACE_GAP || (turns && /[\p{L}\p{N}]$/u.test(previous.text)) ? " " : ""
}

const joinRuns = (runs: ReadonlyArray<Run>): string => {
  let text = ""
  let previous: Run | undefined
  for (const run of runs) {
    const words = run.text.trim()
    if (words === "") continue
    const written = /^\s/.test(run.text) || (previous !== undefined && /\s$/.test(previous.text)) ? " " : ""
    text += (previous === undefined ? "" : separator(previous, run) || written) + words
    previous = run
  }
  return text
}

/** The places of the cells of a line, whose texts are known. */
const cellsOf = (runs: ReadonlyArray<Run>, texts: ReadonlyArray<string>): ReadonlyArray<Cell> => {
  const groups: Array<Array<Run>> = []
  for (const [index, run] of runs.entries()) {
    const isNext = index === 0 || separator(runs[index - 1], run) === "\t"
    if (isNext) groups.push([run])
    else groups.at(-1)?.push(run)
  }
  if (groups.length !== texts.length) return []
  return groups.map((group, index) => ({
    text: texts[index] ?? "",
    x: least(group, (run) => run.x),
    right: most(group, (run) => run.x + run.width),
  }))
}

/** @param isPageRightToLeft whether most of the page is written from right to left, and so a line with any such text */
const lineOf = (runs: ReadonlyArray<Run>, isPageRightToLeft: boolean): Line | undefined => {
  const visible = runs.filter((run) => run.text.trim() !== "")
  const [first] = visible
  if (first === undefined) return undefined
  const rightToLeft = visible.some((run) => run.rightToLeft)
  const isReadFromRight = isMostlyRightToLeft(visible) || (isPageRightToLeft && hasRightToLeft(visible))
  const joined = joinRuns(isReadFromRight ? inReadingOrder(visible) : visible).replace(leader, "\t")
  if (!isVisible(joined)) return undefined
  const marker = bullet.exec(joined)
  const rest = marker === null ? joined : joined.slice(marker[0].length)
  const main = marker !== null && visible.length > 1 ? visible.slice(1) : visible
  return {
    text: isReadFromRight ? asRead(rest) : rest,
    x: least(visible, (run) => run.x),
    right: most(visible, (run) => run.x + run.width),
    y: first.y,
    size: mostCommon(main.map((run) => [run.size, run.text.length])) ?? first.size,
    font: mostCommon(main.map((run) => [run.font, run.text.length])) ?? first.font,
    monospaced: main.every((run) => run.monospaced),
    rightToLeft,
    bullet: marker !== null,
    tabbed: rest.includes("\t"),
    cells: isReadFromRight || !rest.includes("\t") ? [] : cellsOf(visible, rest.split("\t")),
  }
}

/** Assigns bullets that a program draws after the page's text to the nearest line on their right. */
const withLoneBullets = (lines: ReadonlyArray<Line>, bullets: ReadonlyArray<Run>): ReadonlyArray<Line> => {
  const marked = new Set<Line>()
  for (const { x, y, size } of bullets) {
    const beside = lines.filter((line) => line.x > x && Math.abs(line.y - y) <= 0.5 * size)
    const nearest = beside.reduce<Line | undefined>((best, line) => (best && best.x <= line.x ? best : line), undefined)
    if (nearest !== undefined) marked.add(nearest)
  }
  return marked.size === 0 ? lines : lines.map((line) => (marked.has(line) ? { ...line, bullet: true } : line))
}

/** Groups the runs of a page, in the order of the file, into lines. White space is a run of its own. */
export const linesOf = (runs: ReadonlyArray<Run>): ReadonlyArray<Line> => {
  const groups: Array<Array<Run>> = []
  let previous: Run | undefined
  for (const run of runs) {
    if (run.text === "") continue
    const group = groups.at(-1)
    if (group !== undefined && previous !== undefined && isSameLine(previous, run)) group.push(run)
    else groups.push([run])
    previous = run
  }
  const isRightToLeft = isMostlyRightToLeft(runs)
  const isOnlyBullet = (group: ReadonlyArray<Run>) =>
    group.every((run, index) => (index === 0 ? isLoneBullet(run) : run.text.trim() === ""))
  const bullets = groups.filter(isOnlyBullet).flatMap((group) => group.slice(0, 1))
  const lines = groups.filter((group) => !isOnlyBullet(group)).flatMap((group) => lineOf(group, isRightToLeft) ?? [])
  return withLoneBullets(lines, bullets)
}

/** The largest relative difference between the character widths of a fixed-pitch font. */
const PITCH_TOLERANCE = 0.01
/** A font needs this many different words before its pitch is judged. */
const MIN_PITCH_WORDS = 4

/** Matches characters of scripts that have one width in any font. */
const square = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu
/** A font with at least this share of such characters is a font for such scripts. */
const SQUARE_SHARE = 0.2

const hasOnePitch = (values: ReadonlyArray<number>) =>
  values.length >= MIN_PITCH_WORDS &&
  values.every((value) => Math.abs(value - (values[0] ?? 0)) <= PITCH_TOLERANCE * value)

/** The fonts whose characters all have one width, except fonts for scripts that always have one width. */
export const fixedPitchFonts = (runs: ReadonlyArray<Run>): ReadonlySet<string> => {
  const fixed: Array<string> = []
  for (const [font, of] of Map.groupBy(runs, (run) => run.font)) {
    const words = new Map(
      of
        .filter(({ text }) => /^[\w-]{3,}$/.test(text))
        .map(({ text, width, size }) => [text, width / text.length / size]),
    )
    if (!of.some((run) => run.monospaced) && !hasOnePitch([...words.values()])) continue
    const all = of.reduce((sum, { text }) => sum + text.length, 0)
    const squares = of.reduce((sum, { text }) => sum + (text.match(square)?.length ?? 0), 0)
    if (squares < all * SQUARE_SHARE) fixed.push(font)
  }
  return new Set(fixed)
}
