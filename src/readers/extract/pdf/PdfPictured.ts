import { getResolvedPDFJS } from "unpdf"
import type { PDFDocumentProxy } from "unpdf/pdfjs"
import { areaOf, asMatrix } from "./PdfMatrix.ts"
import { LEAST_AREA, LEAST_COVER } from "./PdfScans.ts"

/** A page with as many shapes and no text is a drawing, or has the outlines of letters. */
const LEAST_SHAPES = 100

/**
 * Whether a page with little text is an image or a drawing. Images are not decoded, and pdf.js leaves them out, but each
 * is drawn onto a unit square that is as large on the page as the image, as nothing else is.
 */
export const isPictured = async (document: PDFDocumentProxy, number: number, hasText: boolean): Promise<boolean> => {
  const { OPS } = await getResolvedPDFJS()
  const page = await document.getPage(number)
  const { argsArray, fnArray } = await page.getOperatorList()
  const { height, width } = page.getViewport({ scale: 1 })
  const saved: Array<number> = []
  let [area, covered, shapes] = [1, 0, 0]
  for (const [index, operator] of fnArray.entries()) {
    const args: ReadonlyArray<unknown> = argsArray[index] ?? []
    if (operator === OPS.save || operator === OPS.paintFormXObjectBegin) saved.push(area)
    if (operator === OPS.restore || operator === OPS.paintFormXObjectEnd) area = saved.pop() ?? area
    else if (operator === OPS.constructPath) shapes++
    else if (operator === OPS.transform || operator === OPS.paintFormXObjectBegin) {
      const matrix = operator === OPS.transform ? args : args[0]
      if (!Array.isArray(matrix) && !(matrix instanceof Float32Array)) continue
      area *= Math.abs(areaOf(asMatrix(matrix)))
      if (area >= LEAST_AREA) covered += area
    }
  }
  page.cleanup()
  return hasText ? covered >= LEAST_COVER * width * height : covered > 0 || shapes >= LEAST_SHAPES
}
