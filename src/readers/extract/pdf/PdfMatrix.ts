/** A transformation of points, in the order of PDF: (x, y) becomes (a x + c y + e, b x + d y + f). */
export type Matrix = readonly [a: number, b: number, c: number, d: number, e: number, f: number]

/** Reads a matrix of pdf.js, whose numbers a document may have left out. */
export const asMatrix = (values: ArrayLike<unknown>): Matrix => {
  const at = (index: number) => Number(values[index] ?? 0)
  return [at(0), at(1), at(2), at(3), at(4), at(5)]
}

/** Multiplies two transformations, of which `inner` is applied first. */
export const multiply = (outer: Matrix, inner: Matrix): Matrix => [
  outer[0] * inner[0] + outer[2] * inner[1],
  outer[1] * inner[0] + outer[3] * inner[1],
  outer[0] * inner[2] + outer[2] * inner[3],
  outer[1] * inner[2] + outer[3] * inner[3],
  outer[0] * inner[4] + outer[2] * inner[5] + outer[4],
  outer[1] * inner[4] + outer[3] * inner[5] + outer[5],
]

/** The area onto which a transformation maps a square of area 1; negative where it mirrors. */
export const areaOf = ([a, b, c, d]: Matrix): number => a * d - b * c

/** The transformation that undoes another one, whose area is not 0. */
export const inverse = (matrix: Matrix): Matrix => {
  const [a, b, c, d, e, f] = matrix
  const area = areaOf(matrix)
  return [d / area, -b / area, -c / area, a / area, (c * f - d * e) / area, (b * e - a * f) / area]
}
