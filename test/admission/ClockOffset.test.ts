import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { clockOffset } from "../../src/admission/SharedLimits.ts"

/** How long a request to the other clock takes, and its answer, in milliseconds. */
const delays = fc.tuple(fc.integer({ min: 0, max: 5_000 }), fc.integer({ min: 0, max: 5_000 }))

describe("the offset between two clocks", () => {
  test("is never further from the truth than the quickest answer allows, however long others take", () => {
    fc.assert(
      fc.property(fc.integer(), fc.array(delays, { minLength: 1 }), (offset, trips) => {
        let [estimate, before] = [0, 0]
        for (const [there, back] of trips) {
          estimate = clockOffset(estimate, { other: before + there + offset, before, after: before + there + back })
          before += 10_000
        }
        expect(Math.abs(estimate - offset)).toBeLessThanOrEqual(Math.min(...trips.map(([there, back]) => there + back)))
      }),
    )
  })

  test("follows a clock that is set anew", () => {
    for (const offset of [-1e12, 1e12]) {
      expect(clockOffset(5, { other: offset + 10, before: 9, after: 11 })).toBeCloseTo(offset, -1)
    }
  })
})
