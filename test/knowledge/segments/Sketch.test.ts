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

describe("the sketch of a vector", () => {
  test("preserves cosines to within a tenth, at any place among other sketches", () => {
    fc.assert(
      fc.property(vector, vector, fc.nat(3), (query, sketched, number) => {
        const bytes = sketchBytes(DIMENSIONS)
        const sketches = new Uint8Array(4 * bytes)
        sketches.set(sketch(sketched), number * bytes)
        expect(
          Math.abs(cosine(sparse(query), sketches, number * bytes, bytes) - product(query, sketched)),
        ).toBeLessThan(0.1)
        expect(cosine(sparse(sketched), sketches, number * bytes, bytes)).toBeGreaterThan(0.97)
      }),
    )
  })

  test("has a cosine of 0 for a vector of zeros, and includes the last of an odd number of dimensions", () => {
    const zeros = sketch(new Float32Array(3))
    expect(Array.from(zeros)).toEqual([0x88, 0x88])
    expect(cosine(sparse(Float32Array.of(0, 0, 1)), zeros, 0, sketchBytes(3))).toBe(0)
    const last = sketch(Float32Array.of(0, 0, 1))
    expect(Array.from(last)).toEqual([0x88, 0x8f])
    expect(cosine(sparse(Float32Array.of(0, 0, 1)), last, 0, sketchBytes(3))).toBe(1)
  })

  test("is compared with only the numbers of a vector that are not 0", () => {
    expect(sparse(Float32Array.of(0, 0.5, 0, -0.25))).toEqual({
      places: Uint32Array.of(1, 3),
      values: Float32Array.of(0.5, -0.25),
    })
  })

  test("contains no byte of 0, which marks a chunk without a sketch", () => {
    fc.assert(
      fc.property(vector, (sketched) => {
        expect(sketch(sketched).includes(0)).toBe(false)
      }),
    )
  })
})
