/** The factor between the numbers of a unit vector and their bytes. */
const BYTE_MAX = 127

/** Packs a vector of length 1 into a byte for each number, in base64. */
export const packed = (vector: Float32Array): string =>
  Buffer.from(Int8Array.from(vector, (value) => Math.round(value * BYTE_MAX)).buffer).toString("base64")

export const unpacked = (text: string): Float32Array => {
  const bytes = Buffer.from(text, "base64")
  return unit(Float32Array.from(new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length)))
}

/** Returns the direction of two means together, of which each is of so many vectors. */
export const addTo = (
  mean: Float32Array | undefined,
  size: number,
  other: Float32Array,
  otherSize: number,
): Float32Array =>
  mean === undefined || mean.length !== other.length
    ? other
    : unit(mean.map((value, index) => value * size + (other[index] ?? 0) * otherSize))

/** The cosine of two vectors of length 1. */
export const cosine = (one: Float32Array, other: Float32Array): number => {
  if (one.length !== other.length) return 0
  let product = 0
  for (let index = 0; index < one.length; index++) product += (one[index] ?? 0) * (other[index] ?? 0)
  return product
}

const unit = (vector: Float32Array): Float32Array => {
  const length = Math.sqrt(cosine(vector, vector)) || 1
  return vector.map((value) => value / length)
}
