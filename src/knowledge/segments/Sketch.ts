/*
 * The compressed form of vectors in an index: four bits for each number, a fraction of what the database stores. A
 * cosine sums over some hundred numbers, in which the rounding errors even out (measured: it changes no figure of
 * search quality).
 */

/** A number is rounded to −7…7 times a step that depends on the vector, and stored as 1…15. */
const LARGEST = 7
const ZERO = 8

/** The size of the sketch of a vector with this many dimensions. */
export const sketchBytes = (dimensions: number): number => (dimensions + 1) >>> 1

/** Compresses a vector. No byte of a sketch is 0. */
export const sketch = (vector: Float32Array): Uint8Array => {
  const into = new Uint8Array(sketchBytes(vector.length))
  let largest = 0
  for (let index = 0; index < vector.length; index++) largest = Math.max(largest, Math.abs(vector[index] ?? 0))
  const scale = largest === 0 ? 0 : LARGEST / largest
  for (let index = 0; index < vector.length; index += 2) {
    const low = Math.round((vector[index] ?? 0) * scale) + ZERO
    const high = Math.round((vector[index + 1] ?? 0) * scale) + ZERO
    into[index >>> 1] = (high << 4) | low
  }
  return into
}

/** A vector as its numbers other than 0 and their places. Vectors of short texts have few. */
export interface SparseVector {
  readonly places: Uint32Array
  readonly values: Float32Array
}

export const sparse = (vector: Float32Array): SparseVector => {
  const places = new Uint32Array(vector.length)
  const values = new Float32Array(vector.length)
  let count = 0
  for (let place = 0; place < vector.length; place++) {
    const value = vector[place] ?? 0
    if (value === 0) continue
    places[count] = place
    values[count++] = value
  }
  return { places: places.subarray(0, count), values: values.subarray(0, count) }
}

/**
 * The approximate cosine of the angle between a vector of length 1 and a sketched vector.
 *
 * @param from where the sketch begins in `sketches`
 * @param bytes the size of the sketch
 */
export const cosine = (vector: SparseVector, sketches: Uint8Array, from: number, bytes: number): number => {
  let product = 0
  for (let index = 0; index < vector.places.length; index++) {
    const place = vector.places[index] ?? 0
    const pair = sketches[from + (place >>> 1)] ?? 0
    product += (vector.values[index] ?? 0) * (((place & 1) === 0 ? pair & 15 : pair >>> 4) - ZERO)
  }
  let squares = 0
  for (let index = from; index < from + bytes; index++) squares += SQUARES[sketches[index] ?? 0] ?? 0
  return squares === 0 ? 0 : product / Math.sqrt(squares)
}

/** Contributions of the two numbers of each byte to the square of the vector's length. */
const SQUARES = Uint8Array.from({ length: 256 }, (_, pair) => ((pair & 15) - ZERO) ** 2 + ((pair >>> 4) - ZERO) ** 2)
