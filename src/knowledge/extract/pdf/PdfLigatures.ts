import { getResolvedPDFJS } from "unpdf"
import type { PDFPageProxy } from "unpdf/pdfjs"

/** What pdf.js draws at once: glyphs from left to right, and the gaps between them. */
type Drawn = ReadonlyArray<{ readonly unicode?: unknown } | number | null>

const arabic = /[\p{Script=Arabic}\p{M}\u0640]+/gu
const isArabic = (text: string) => /^[\p{Script=Arabic}\p{M}\u0640]+$/u.test(text)

/** Words of these glyphs that pdf.js misspells, and how they are spelt. */
const misspelt = function* (glyphs: Drawn): Generator<readonly [wrong: string, right: string]> {
  let word: Array<string> = []
  const taken = (): ReadonlyArray<readonly [string, string]> => {
    const wrong = Array.from(word.join("")).toReversed().join("")
    const right = word.toReversed().join("")
    word = []
    return wrong === right ? [] : [[wrong, right]]
  }
  for (const glyph of glyphs) {
    if (glyph === null || typeof glyph === "number") continue
    const unicode = String(glyph.unicode ?? "")
    if (isArabic(unicode)) word.push(unicode)
    else if (unicode !== "") yield* taken()
  }
  yield* taken()
}

/**
 * A function that mends Arabic words of a page. pdf.js turns what it reads from right to left around by letters, and so
 * those of a ligature as well if the PDF gives it as several, as those of Word do with lam and alef: only what it would
 * draw tells which letters are one. A word that is drawn in parts stays as it is.
 */
export const mendingLigatures = async (page: PDFPageProxy): Promise<(text: string) => string> => {
  const { OPS } = await getResolvedPDFJS()
  const { fnArray, argsArray } = await page.getOperatorList()
  const words = new Map<string, string>()
  for (const [index, operator] of fnArray.entries()) {
    const glyphs: unknown = operator === OPS.showText ? argsArray[index]?.[0] : undefined
    if (!Array.isArray(glyphs)) continue
    for (const [wrong, right] of misspelt(glyphs)) words.set(wrong, right)
  }
  return (text) => text.replace(arabic, (word) => words.get(word) ?? word)
}
