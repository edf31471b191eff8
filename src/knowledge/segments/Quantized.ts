/*
 * The compressed form of vectors that express meaning, in an index: a byte for each number, a quarter of what the
 * database stores. Unlike sketches, they decide alone what is found without a word of the question.
 */

/** A number is rounded to −127…127 times a step that depends on the vector. */
const LARGEST = 127
/** Bytes that are multiplied together, see `DotProducts.ts`. */
const BYTES_AT_ONCE = 16

/** The size of the compressed form of a vector with this many dimensions. Beyond the vector it holds zeros. */
export const quantizedBytes = (dimensions: number): number => Math.ceil(dimensions / BYTES_AT_ONCE) * BYTES_AT_ONCE

/** Compresses a vector. Of a vector of length 0 all bytes are 0. */
export const quantize = (vector: Float32Array): Int8Array<ArrayBuffer> => {
  const into = new Int8Array(quantizedBytes(vector.length))
  let largest = 0
  for (let index = 0; index < vector.length; index++) largest = Math.max(largest, Math.abs(vector[index] ?? 0))
  const scale = largest === 0 ? 0 : LARGEST / largest
  for (let index = 0; index < vector.length; index++) into[index] = Math.round((vector[index] ?? 0) * scale)
  return into
}

/** One divided by the length of each of several compressed vectors; 0 for those of length 0. */
export const inverseLengths = (vectors: Int8Array, bytes: number): Float32Array =>
  Float32Array.from({ length: bytes === 0 ? 0 : vectors.length / bytes }, (_, number) => {
    let squares = 0
    const end = (number + 1) * bytes
    for (let index = number * bytes; index < end; index++) squares += (vectors[index] ?? 0) ** 2
    return squares === 0 ? 0 : 1 / Math.sqrt(squares)
  })
