import type { PDFPageProxy } from "unpdf/pdfjs"
import { normalize } from "../../../text/Normalization.ts"
import { ligatureCorrection } from "./PdfLigatures.ts"
import { asMatrix, type Matrix, multiply } from "./PdfMatrix.ts"
import type { Run } from "./PdfRun.ts"

type Content = Awaited<ReturnType<PDFPageProxy["getTextContent"]>>
type TextItem = Extract<Content["items"][number], { readonly str: string }>

/** The runs of a page. A page of vertical text is turned, so that its columns become lines. */
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

export const runsOf = async (page: PDFPageProxy): Promise<PageRuns> => {
  // The viewport turns a rotated page upright and lets y grow downwards.
  const viewport = page.getViewport({ scale: 1 })
  const upright = asMatrix(viewport.transform)
  const content = await page.getTextContent({ disableNormalization: true })
  const read = content.items.filter((item) => "str" in item)
  const correct = read.some((item) => item.dir === "rtl") ? await ligatureCorrection(page) : undefined
  page.cleanup()
  const items = correct === undefined ? read : read.map((item) => ({ ...item, str: correct(item.str) }))
  const runs = items.map((item) => runOf(item, content, upright))
  const isVertical = (item: TextItem) => content.styles[item.fontName]?.vertical === true
  const characters = (of: ReadonlyArray<TextItem>) => of.reduce((sum, { str }) => sum + str.length, 0)
  if (characters(items.filter(isVertical)) <= characters(items) / 2) return { height: viewport.height, runs }
  return {
    height: viewport.width,
    runs: items.map((item) => turned(runOf(item, content, upright), item, isVertical(item), viewport.width)),
  }
}
