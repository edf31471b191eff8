import { Predicate, Result } from "effect"

/** pgvector computes with more, but nobody makes them. */
const DIMENSIONS_MAX = 4_096

/**
 * The vectors of a provider's answer, in the order of the texts and scaled to length 1, or what is wrong with it.
 *
 * Not by a schema, which takes longer to look at each of half a million numbers than the whole request takes.
 */
export const readVectors = (answer: unknown, texts: number): Result.Result<ReadonlyArray<Float32Array>, string> => {
  if (!Predicate.hasProperty(answer, "data") || !Array.isArray(answer.data)) return Result.fail("it has no list `data`")
  const items: ReadonlyArray<unknown> = answer.data
  if (items.length !== texts) return Result.fail(`it has ${items.length} vectors for ${texts} texts`)
  const vectors = new Map<number, Float32Array>()
  let dimensions: number | undefined
  for (const [position, item] of items.entries()) {
    if (!Predicate.hasProperty(item, "embedding")) return Result.fail("a vector is missing")
    const index = Predicate.hasProperty(item, "index") ? item.index : position
    if (typeof index !== "number" || !(index >= 0 && index < texts) || vectors.has(index)) {
      return Result.fail("its `index` does not tell which vector is whose")
    }
    const vector = decode(item.embedding)
    if (vector === undefined) return Result.fail("a vector is neither numbers nor base64")
    dimensions ??= vector.length
    if (vector.length !== dimensions) return Result.fail("its vectors differ in dimension")
    if (!normalize(vector)) return Result.fail("a vector is zero, or not of finite numbers")
    vectors.set(index, vector)
  }
  if (dimensions === 0 || (dimensions ?? 0) > DIMENSIONS_MAX) {
    return Result.fail(`its vectors have ${dimensions} dimensions, where 1 to ${DIMENSIONS_MAX} are possible`)
  }
  return Result.succeed(
    Array.from({ length: texts }, (_, index) => vectors.get(index)).filter(Predicate.isNotUndefined),
  )
}

/** A server that does not know base64 answers with numbers, whatever it was asked for. */
const decode = (embedding: unknown): Float32Array | undefined => {
  if (typeof embedding === "string") {
    // Little-endian, as this machine: copied, since a Float32Array must start at a multiple of four.
    const bytes = Uint8Array.from(Buffer.from(embedding, "base64"))
    return bytes.length % Float32Array.BYTES_PER_ELEMENT === 0 ? new Float32Array(bytes.buffer) : undefined
  }
  if (!Array.isArray(embedding)) return undefined
  const numbers: ReadonlyArray<unknown> = embedding
  return numbers.every(Predicate.isNumber) ? Float32Array.from(numbers) : undefined
}

/** To length 1, in place. False when it has no direction. */
const normalize = (vector: Float32Array): boolean => {
  let squares = 0
  for (const value of vector) squares += value * value
  if (!(squares > 0 && squares < Number.POSITIVE_INFINITY)) return false
  const scale = 1 / Math.sqrt(squares)
  for (let index = 0; index < vector.length; index++) vector[index] = (vector[index] ?? 0) * scale
  return true
}
