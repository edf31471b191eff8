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

  test("has no byte of 0, which stands for a chunk without one", () => {
    fc.assert(
      fc.property(vector, (kept) => {
        expect(sketch(kept).includes(0)).toBe(false)
      }),
    )
  })
})
