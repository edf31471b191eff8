import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { cosine, sketch, sketchBytes, sparse } from "../../../src/knowledge/segments/Sketch.ts"

const DIMENSIONS = 64
const vector = fc
  .array(fc.integer({ min: -50, max: 50 }), { minLength: DIMENSIONS, maxLength: DIMENSIONS })
  .filter((numbers) => numbers.some((number) => number !== 0))
  .map((numbers) => Float32Array.from(numbers, (number) => number / Math.hypot(...numbers)))

const product = (left: Float32Array, right: Float32Array): number =>
  left.reduce((sum, value, index) => sum + value * (right[index] ?? 0), 0)

describe("a sketch", () => {
  test("keeps cosines within a few hundredths, wherever it stands among others", () => {
    fc.assert(
      fc.property(vector, vector, fc.nat(3), (asked, kept, number) => {
        const bytes = sketchBytes(DIMENSIONS)
        const sketches = new Uint8Array(4 * bytes)
        sketches.set(sketch(kept), number * bytes)
        expect(Math.abs(cosine(sparse(asked), sketches, number * bytes, bytes) - product(asked, kept))).toBeLessThan(
          0.1,
        )
        expect(cosine(sparse(kept), sketches, number * bytes, bytes)).toBeGreaterThan(0.97)
      }),
    )
  })

  test("of a vector of nothing is like no vector, and one of an odd number of dimensions is kept whole", () => {
    const nothing = sketch(new Float32Array(3))
    expect(Array.from(nothing)).toEqual([0x88, 0x88])
    expect(cosine(sparse(Float32Array.of(0, 0, 1)), nothing, 0, sketchBytes(3))).toBe(0)
    const last = sketch(Float32Array.of(0, 0, 1))
    expect(Array.from(last)).toEqual([0x88, 0x8f])
    expect(cosine(sparse(Float32Array.of(0, 0, 1)), last, 0, sketchBytes(3))).toBe(1)
  })

  test("is compared with the numbers of the question that are not 0", () => {
    expect(sparse(Float32Array.of(0, 0.5, 0, -0.25))).toEqual({
      places: Uint32Array.of(1, 3),
      values: Float32Array.of(0.5, -0.25),
    })
  })

  test("has no byte of 0, which stands for a chunk without one", () => {
    fc.assert(
      fc.property(vector, (kept) => {
        expect(sketch(kept).includes(0)).toBe(false)
      }),
    )
  })
})
