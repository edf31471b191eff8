import type { Omitted } from "../Extraction.ts"
import type { PDFPageProxy } from "unpdf/pdfjs"
import { mostCommon } from "./PdfLines.ts"
import type { Matrix } from "./PdfMatrix.ts"
import type { Run } from "./PdfRun.ts"

/*
 * What people have filled into the fields of a form, and notes that are written onto a page. A PDF keeps both beside the
 * text of its pages.
 */

/** What pdf.js tells of a field or a note, as far as it is needed here. Each kind has some of these. */
interface Annotation {
  readonly subtype?: string
  readonly annotationFlags?: number
  /** The corners in points from the page's lower left corner. */
  readonly rect?: ReadonlyArray<number>
  readonly contentsObj?: { readonly str?: string }
  readonly file?: { readonly filename?: string }
  readonly fieldType?: string
  readonly fieldValue?: unknown
  readonly password?: boolean
  readonly multiLine?: boolean
  readonly checkBox?: boolean
  readonly radioButton?: boolean
  /** The values that a box, and a button of a group, have when they are chosen. */
  readonly exportValue?: unknown
  readonly buttonValue?: unknown
  readonly options?: ReadonlyArray<{ readonly exportValue?: unknown; readonly displayValue?: unknown }>
}

/** The bits of an annotation's flags that hide it on the screen. */
const HIDDEN = 1 | 2 | 32
/** Annotations whose text is a comment, which only a click shows. */
const commenting = new Set(["Text", "Highlight", "Underline", "StrikeOut", "Squiggly", "Caret"])
/** How far below the middle of a field its text stands, in font sizes. */
const MIDDLE = 0.35
const LEADING = 1.2
const CHARACTER_WIDTH = 0.5

/** What a field or a note shows. */
const textOf = (annotation: Annotation): string => {
  const {
    buttonValue,
    checkBox,
    contentsObj,
    exportValue,
    fieldType,
    fieldValue,
    options = [],
    radioButton,
  } = annotation
  if (annotation.subtype === "FreeText") return contentsObj?.str ?? ""
  if (annotation.subtype !== "Widget" || annotation.password === true) return ""
  if (checkBox === true || radioButton === true) {
    const isChosen = fieldValue === (checkBox === true ? exportValue : buttonValue) && fieldValue !== "Off"
    return isChosen ? "☒" : "☐"
  }
  if (fieldType !== "Tx" && fieldType !== "Ch") return ""
  const shown = (value: unknown) => options.find((option) => option.exportValue === value)?.displayValue ?? value
  const values = [fieldValue].flat().map(shown)
  return values.filter((value) => typeof value === "string").join(", ")
}

/** The runs of an annotation's text, one for each line, in the type of the page. */
const runsIn = (
  annotation: Annotation,
  upright: Matrix,
  type: Pick<Run, "font" | "size" | "monospaced">,
): ReadonlyArray<Run> => {
  const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = annotation.rect ?? []
  const [a, b, c, d, e, f] = upright
  const corners = [a * x1 + c * y1 + e, a * x2 + c * y2 + e, b * x1 + d * y1 + f, b * x2 + d * y2 + f] as const
  const [left, right] = [Math.min(corners[0], corners[1]), Math.max(corners[0], corners[1])]
  const [top, bottom] = [Math.min(corners[2], corners[3]), Math.max(corners[2], corners[3])]
  const lines = textOf(annotation)
    .split(/\r\n?|\n/)
    .filter((line) => line.trim() !== "")
  const isOneLine = lines.length === 1 && annotation.multiLine !== true && annotation.subtype === "Widget"
  const y = isOneLine ? (top + bottom) / 2 + MIDDLE * type.size : top + type.size
  return lines.map((text, index) => ({
    ...type,
    text,
    x: left,
    y: y + index * LEADING * type.size,
    width: Math.min(right - left, text.length * CHARACTER_WIDTH * type.size),
    rightToLeft: /\p{Script=Arabic}|\p{Script=Hebrew}/u.test(text),
    rotated: false,
  }))
}

const distance = (one: Run, other: Run): number =>
  Math.max(other.x - one.x - one.width, one.x - other.x - other.width, 0)

/** Adds what the fields and notes of a page show to its runs, each beside its label: the nearest text on its line. */
export const withFields = async (
  page: PDFPageProxy,
  runs: ReadonlyArray<Run>,
  upright: Matrix,
  omitted: Omitted,
): Promise<ReadonlyArray<Run>> => {
  const annotations: ReadonlyArray<Annotation> = await page.getAnnotations({ intent: "any" }).catch(() => [])
  for (const { annotationFlags = 0, contentsObj, file, subtype = "" } of annotations) {
    const hasText = (contentsObj?.str ?? "").trim() !== ""
    if (subtype === "FileAttachment") omitted.add("files", file?.filename)
    else if (subtype === "FreeText" && hasText && (annotationFlags & HIDDEN) !== 0) omitted.add("hidden_text")
    else if (commenting.has(subtype) && hasText) omitted.add("comments")
  }
  const shown = annotations.filter(
    ({ annotationFlags = 0, rect }) => rect !== undefined && (annotationFlags & HIDDEN) === 0,
  )
  const written = runs.filter(({ rotated, text }) => !rotated && text.trim() !== "")
  const usual = mostCommon(written.map((run) => [`${run.font} ${run.size}`, run.text.length]))
  const type = written.find((run) => `${run.font} ${run.size}` === usual)
  const { font = "", monospaced = false, size = 10 } = type ?? {}
  const fields = shown.flatMap((annotation) => runsIn(annotation, upright, { font, monospaced, size }))
  if (fields.length === 0) return runs
  const placed = [...runs]
  for (const field of fields.toSorted((one, other) => one.x - other.x)) {
    let nearest: Run | undefined
    for (const run of placed) {
      const isBeside =
        !run.rotated && run.text.trim() !== "" && Math.abs(run.y - field.y) <= 0.5 * Math.max(run.size, size)
      if (isBeside && (nearest === undefined || distance(run, field) <= distance(nearest, field))) nearest = run
    }
    if (nearest === undefined) placed.push(field)
    else {
      // On the very line of its label, however the two are aligned.
      placed.splice(placed.indexOf(nearest) + (nearest.x <= field.x ? 1 : 0), 0, { ...field, y: nearest.y })
    }
  }
  return placed
}
