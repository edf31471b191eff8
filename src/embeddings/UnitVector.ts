/** The highest dimension of vectors. pgvector supports more, but no known model makes them. */
export const DIMENSIONS_MAX = 4_096

/** Scales a vector to length 1, in place. Returns false when its length is zero or not finite. */
export const scaleToUnit = (vector: Float32Array): boolean => {
  let squares = 0
  for (const value of vector) squares += value * value
  if (!(squares > 0 && squares < Number.POSITIVE_INFINITY)) return false
  const scale = 1 / Math.sqrt(squares)
  for (let index = 0; index < vector.length; index++) vector[index] = (vector[index] ?? 0) * scale
  return true
}
