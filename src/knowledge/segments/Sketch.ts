/*
 * Vectors in an index: four bits for each number, a share of what the database keeps. They are told apart by sums over
 * some hundred numbers, in which what is lost of each evens out (measured: it changes no figure).
 */

/** Numbers from −7 to 7 times a step of the vector's own; kept from 1 to 15. */
const LARGEST = 7
const ZERO = 8

/** Bytes of a sketch of a vector of so many dimensions. */
export const sketchBytes = (dimensions: number): number => (dimensions + 1) >>> 1

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

/** The numbers of a vector that are not 0; few of a short text's. */
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

/** The cosine of a vector of length 1 and a sketched one, about. */
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

/** What the two numbers of a byte add to the square of the length. */
const SQUARES = Uint8Array.from({ length: 256 }, (_, pair) => ((pair & 15) - ZERO) ** 2 + ((pair >>> 4) - ZERO) ** 2)
