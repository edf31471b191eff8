import { Predicate, Result } from "effect"
import { DIMENSIONS_MAX, scaleToUnit } from "./UnitVector.ts"

/**
 * Reads the vectors of a provider's answer, in the order of the texts and scaled to length 1. Fails with a description
 * of what is wrong with the answer.
 *
 * It stands in place of a schema, which takes longer to check half a million numbers than the whole request takes.
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
    if (!scaleToUnit(vector)) return Result.fail("a vector is zero, or not of finite numbers")
    vectors.set(index, vector)
  }
  if (dimensions === 0 || (dimensions ?? 0) > DIMENSIONS_MAX) {
    return Result.fail(`its vectors have ${dimensions} dimensions, where 1 to ${DIMENSIONS_MAX} are possible`)
  }
  return Result.succeed(
    Array.from({ length: texts }, (_, index) => vectors.get(index)).filter(Predicate.isNotUndefined),
  )
}

/** Decodes a vector from base64, or from numbers, which servers without base64 send. Undefined when it is neither. */
const decode = (embedding: unknown): Float32Array | undefined => {
  if (typeof embedding === "string") {
    // The numbers are little-endian, like this machine. Copied, because a Float32Array has to start at a multiple of 4.
    const bytes = new Uint8Array(Buffer.from(embedding, "base64"))
    return bytes.length % Float32Array.BYTES_PER_ELEMENT === 0 ? new Float32Array(bytes.buffer) : undefined
  }
  if (!Array.isArray(embedding)) return undefined
  const numbers: ReadonlyArray<unknown> = embedding
  return numbers.every(Predicate.isNumber) ? Float32Array.from(numbers) : undefined
}
