import { describe, expect, test } from "bun:test"
import { dotProducts } from "../../../src/knowledge/search/DotProducts.ts"
import { compareAll } from "../../../src/knowledge/search/NearestChunks.ts"
import { inverseLengths, quantize, quantizedBytes } from "../../../src/knowledge/segments/Quantized.ts"
import type { Segment } from "../../../src/knowledge/segments/Segment.ts"
import { SegmentBuilder } from "../../../src/knowledge/segments/SegmentBuilder.ts"

/** Numbers from −1 to 1, the same in every run. */
const makeNumbers = (seed: number) => {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 31 - 1
  }
}

const vectorsOf = (count: number, dimensions: number, next = makeNumbers(count)) =>
  Array.from({ length: count }, () => Float32Array.from({ length: dimensions }, next))

const cosineOf = (left: Float32Array, right: Float32Array): number => {
  const product = (one: Float32Array, other: Float32Array) =>
    one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0)
  return product(left, right) / Math.sqrt(product(left, left) * product(right, right))
}

const segmentOf = (vectors: ReadonlyArray<Float32Array>): Segment => {
  const bytes = quantizedBytes(vectors[0]?.length ?? 0)
  const compressed = new Int8Array(vectors.length * bytes)
  for (const [number, vector] of vectors.entries()) compressed.set(quantize(vector), number * bytes)
  return {
    ...new SegmentBuilder().build(),
    size: vectors.length,
    vectors: compressed,
    vectorBytes: bytes,
    inverseLengths: inverseLengths(compressed, bytes),
  }
}

describe("dot products of bytes", () => {
  for (const [count, bytes] of [
    [1, 16],
    [3, 48],
    [5_000, 384],
    [1_000, 1_536],
    [2, 40_000],
  ] as const) {
    test(`are exact for ${count} vectors of ${bytes} bytes`, () => {
      const next = makeNumbers(bytes)
      const bytesOf = (length: number) => Int8Array.from({ length }, () => Math.round(127 * next()))
      const [vector, vectors, products] = [bytesOf(bytes), bytesOf(count * bytes), new Float32Array(count + 2)]
      dotProducts(vector, vectors, products, 1)
      const expected = Array.from({ length: count }, (_, number) =>
        vector.reduce((sum, value, at) => sum + value * (vectors[number * bytes + at] ?? 0), 0),
      )
      expect(Array.from(products)).toEqual([0, ...expected.map(Math.fround), 0])
    })
  }
})

describe("the nearest chunks", () => {
  test("are those of the highest cosines, which differ from the exact ones by less than a hundredth", () => {
    const [one, other] = [vectorsOf(500, 100), vectorsOf(300, 100)]
    const [question = new Float32Array()] = vectorsOf(1, 100, makeNumbers(7))
    const exact = [...one, ...other].map((vector) => cosineOf(question, vector))
    const { cosines, nearest } = compareAll([segmentOf(one), segmentOf(other)], question, 10, () => true)
    for (const [place, cosine] of cosines.entries()) expect(Math.abs(cosine - (exact[place] ?? 0))).toBeLessThan(0.01)
    const best = exact.toSorted((left, right) => right - left).slice(0, 10)
    for (const [rank, { score }] of nearest.entries()) expect(Math.abs(score - (best[rank] ?? 0))).toBeLessThan(0.01)
    expect(nearest).toHaveLength(10)
  })

  test("leave out chunks that have no vector, and those that searches may not find", () => {
    const [first = new Float32Array(), ...rest] = vectorsOf(5, 20)
    const segment = segmentOf([first, ...rest, new Float32Array(20)])
    const { cosines, nearest } = compareAll([segment], first, 10, (place) => place !== 0)
    expect(nearest.map(({ index }) => index).toSorted((left, right) => left - right)).toEqual([1, 2, 3, 4])
    expect(cosines[0]).toBeCloseTo(1, 5)
    expect(cosines[5]).toBe(-Infinity)
  })

  test("leave out segments without vectors, and those of other dimensions", () => {
    const [first = new Float32Array(), ...rest] = vectorsOf(4, 20)
    const without: Segment = { ...new SegmentBuilder().build(), size: 3 }
    const segments = [segmentOf(vectorsOf(2, 400)), without, segmentOf([first, ...rest])]
    const { cosines, nearest } = compareAll(segments, first, 10, () => true)
    expect(nearest.map(({ index }) => index).toSorted((left, right) => left - right)).toEqual([5, 6, 7, 8])
    expect(nearest[0]?.index).toBe(5)
    expect(Array.from(cosines.subarray(0, 5))).toEqual(Array.from({ length: 5 }, () => -Infinity))
  })

  test("of a vector of zeros have no cosine but 0", () => {
    const { nearest } = compareAll([segmentOf(vectorsOf(3, 16))], new Float32Array(16), 10, () => true)
    expect(nearest.map(({ score }) => score)).toEqual([0, 0, 0])
  })
})
