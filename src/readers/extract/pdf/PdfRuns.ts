import type { Omitted } from "../Extraction.ts"
import type { PDFPageProxy } from "unpdf/pdfjs"
import { normalize } from "../../../text/Normalization.ts"
import { withFields } from "./PdfFields.ts"
import { ligatureCorrection } from "./PdfLigatures.ts"
import { asMatrix, type Matrix, multiply } from "./PdfMatrix.ts"
import type { Run } from "./PdfRun.ts"

type Content = Awaited<ReturnType<PDFPageProxy["getTextContent"]>>
type TextItem = Extract<Content["items"][number], { readonly str: string }>

/** The runs of a page. A page whose text is vertical or turned is turned, so that its columns become lines. */
export interface PageRuns {
  /** The height in points, or the width of a turned page. */
  readonly height: number
  readonly runs: ReadonlyArray<Run>
}

/**
 * Replaces ligatures, Arabic presentation forms, vertical punctuation and radicals by the characters they stand for.
 * This is disabled in pdf.js, which does it before it reverses text from right to left, and so reverses the letters of
 * a ligature.
 */
const withLetters = (text: string) =>
  text.replace(/[\u2f00-\u2fd5\ufb00-\ufdfb\ufe10-\ufe19\ufe30-\ufe4f\ufe70-\ufefc]+/g, (shapes) =>
    normalize(shapes, "NFKC"),
  )

const runOf = (item: TextItem, { styles }: Content, upright: Matrix): Run => {
  const [a, b, c, d, x, y] = multiply(upright, asMatrix(item.transform))
  return {
    text: withLetters(item.str),
    x,
    y,
    width: item.width,
    size: Math.round(Math.hypot(c, d) * 2) / 2 || 1,
    font: item.fontName,
    monospaced: styles[item.fontName]?.fontFamily === "monospace",
    rightToLeft: item.dir === "rtl",
    rotated: Math.abs(b) > Math.abs(a),
  }
}

/** Turns a run of a page of vertical text: the columns from the right become lines from the top. */
const turned = (run: Run, item: TextItem, isVertical: boolean, pageWidth: number): Run =>
  isVertical
    ? { ...run, x: run.y, y: pageWidth - run.x, width: item.height }
    : // Numbers and Latin words stand upright, centred on their column.
      { ...run, x: run.y - run.size, y: pageWidth - (run.x + run.width / 2), width: run.size }

/** The runs before a run, and those of the same text anywhere, with which its place is compared. */
const COMPARED = 6
/** The largest distance between the lines of words that are drawn twice, in font sizes, as those of a shadow. */
const SHADOW = 0.3
/** How far the place of a character may be from where it would be if all were equally wide, in characters. */
const UNEVENNESS = 3

/** How many of a run's first characters are drawn already, at the same place, in another run. */
const doubled = (run: Run, other: Run): number => {
  const isApart = Math.abs(other.y - run.y) > SHADOW * run.size || other.rotated || run.rotated
  if (isApart || other.width <= 0 || other.x + other.width <= run.x) return 0
  const place = Math.round(((run.x - other.x) / other.width) * other.text.length)
  let most = 0
  for (let at = Math.max(0, place - UNEVENNESS); at <= place + UNEVENNESS; at++) {
    const same = other.text.slice(at, at + run.text.length)
    const isNear = Math.abs(at - place) <= same.length / 2
    if (isNear && same.trim() !== "" && run.text.startsWith(same)) most = Math.max(most, same.length)
  }
  return most
}

/** Leaves out what is drawn twice at one place, as programs do without a bold font, or for a shadow. */
const withoutDoubles = (runs: ReadonlyArray<Run>): ReadonlyArray<Run> => {
  const seen = new Map<string, ReadonlyArray<Run>>()
  const kept: Array<Run> = []
  for (const run of runs) {
    const same = run.text.trim() === "" ? [] : (seen.get(run.text) ?? [])
    const others = run.text.trim() === "" ? [] : [...kept.slice(-COMPARED), ...same]
    const count = others.reduce((most, other) => Math.max(most, doubled(run, other)), 0)
    const rest = run.text.slice(count)
    if (count > 0 && rest.trim() === "") continue
    const width = (run.width * rest.length) / run.text.length
    kept.push(count === 0 ? run : { ...run, text: rest, x: run.x + run.width - width, width })
    if (run.text.trim() !== "") seen.set(run.text, [...same.slice(-COMPARED), run])
  }
  return kept
}

const charactersOf = (items: ReadonlyArray<TextItem>): number => items.reduce((sum, { str }) => sum + str.length, 0)

/** Turns a page on which most of the text runs up or down, as that of a wide table, so that it runs to the right. */
const turnedUpright = (upright: Matrix, items: ReadonlyArray<TextItem>, width: number, height: number) => {
  const sideOf = ({ transform }: TextItem): number => {
    const [a, b] = multiply(upright, asMatrix(transform))
    return Math.abs(b) > Math.abs(a) ? Math.sign(b) : 0
  }
  const share = (side: number) => charactersOf(items.filter((item) => sideOf(item) === side)) / charactersOf(items)
  if (share(-1) > 0.5) return { upright: multiply([0, 1, -1, 0, height, 0], upright), height: width }
  if (share(1) > 0.5) return { upright: multiply([0, -1, 1, 0, 0, width], upright), height: width }
  return { upright, height }
}

export const runsOf = async (page: PDFPageProxy, omitted: Omitted): Promise<PageRuns> => {
  // The viewport turns a rotated page upright and lets y grow downwards.
  const viewport = page.getViewport({ scale: 1 })
  const content = await page.getTextContent({ disableNormalization: true })
  const read = content.items.filter((item) => "str" in item)
  const correct = read.some((item) => item.dir === "rtl") ? await ligatureCorrection(page) : undefined
  page.cleanup()
  const items = correct === undefined ? read : read.map((item) => ({ ...item, str: correct(item.str) }))
  const isVertical = (item: TextItem) => content.styles[item.fontName]?.vertical === true
  const shown = asMatrix(viewport.transform)
  if (charactersOf(items.filter(isVertical)) > charactersOf(items) / 2) {
    return {
      height: viewport.width,
      runs: items.map((item) => turned(runOf(item, content, shown), item, isVertical(item), viewport.width)),
    }
  }
  const { height, upright } = turnedUpright(shown, items, viewport.width, viewport.height)
  const runs = items.map((item) => runOf(item, content, upright))
  return { height, runs: withoutDoubles(await withFields(page, runs, upright, omitted)) }
}
