import { getResolvedPDFJS } from "unpdf"
import type { PDFPageProxy } from "unpdf/pdfjs"

/** The argument of one drawing operation of pdf.js: glyphs from left to right, and the gaps between them. */
type Glyphs = ReadonlyArray<{ readonly unicode?: unknown } | number | null>

const arabic = /[\p{Script=Arabic}\p{M}\u0640]+/gu
const isArabic = (text: string) => /^[\p{Script=Arabic}\p{M}\u0640]+$/u.test(text)

/** The words of these glyphs that pdf.js misspells, each with its right spelling. */
const misspellings = function* (glyphs: Glyphs): Generator<readonly [wrong: string, right: string]> {
  let word: Array<string> = []
  const finishWord = (): ReadonlyArray<readonly [string, string]> => {
    const wrong = Array.from(word.join("")).toReversed().join("")
    const right = word.toReversed().join("")
    word = []
    return wrong === right ? [] : [[wrong, right]]
  }
  for (const glyph of glyphs) {
    if (glyph === null || typeof glyph === "number") continue
    const unicode = String(glyph.unicode ?? "")
    if (isArabic(unicode)) word.push(unicode)
    else if (unicode !== "") yield* finishWord()
  }
  yield* finishWord()
}

/**
 * Returns a function that corrects the Arabic words of a page. pdf.js reverses text from right to left letter by
 * letter, and so also reverses the letters of a ligature that the PDF maps to several letters, as PDFs of Word map
 * lam-alef. The drawing operations show which letters are one glyph. A word that is drawn in several operations stays
 * uncorrected.
 */
export const ligatureCorrection = async (page: PDFPageProxy): Promise<(text: string) => string> => {
  const { OPS } = await getResolvedPDFJS()
  const { fnArray, argsArray } = await page.getOperatorList()
  const words = new Map<string, string>()
  for (const [index, operator] of fnArray.entries()) {
    const glyphs: unknown = operator === OPS.showText ? argsArray[index]?.[0] : undefined
    if (!Array.isArray(glyphs)) continue
    for (const [wrong, right] of misspellings(glyphs)) words.set(wrong, right)
  }
  return (text) => text.replace(arabic, (word) => words.get(word) ?? word)
}
