import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { COUNTED_SLOTS, SlidingWindow, WINDOW_SLOTS } from "../../src/admission/SlidingWindow.ts"

/** Units that are added at some times, in slots since the one before. */
const additions = fc.array(fc.tuple(fc.integer({ min: 0, max: 2 * WINDOW_SLOTS }), fc.integer({ min: 0, max: 9 })), {
  maxLength: 60,
})

describe("a sliding window", () => {
  test("counts the units of the last slots, as a list of all units does", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e9 }), additions, (start, steps) => {
        const window = new SlidingWindow()
        const all: Array<readonly [slot: number, units: number]> = []
        let slot = start
        for (const [passed, units] of steps) {
          slot += passed
          window.advance(slot)
          window.add(units)
          all.push([slot, units])
          const counted = all.filter(([one]) => one > slot - COUNTED_SLOTS)
          expect(window.used).toBe(counted.reduce((sum, [, one]) => sum + one, 0))
        }
      }),
    )
  })

  test("says in which slot no more than some units remain, and not before", () => {
    fc.assert(
      fc.property(additions, fc.integer({ min: 0, max: 30 }), (steps, most) => {
        const window = new SlidingWindow()
        let slot = 1_000
        for (const [passed, units] of steps) {
          window.advance((slot += passed))
          window.add(units)
        }
        const found = window.slotWithAtMost(most)
        if (found > slot) {
          window.advance(found - 1)
          expect(window.used).toBeGreaterThan(most)
        }
        window.advance(found)
        expect(window.used).toBeLessThanOrEqual(most)
      }),
    )
  })

  test("can be replaced as a whole", () => {
    const window = new SlidingWindow()
    window.advance(100)
    window.add(7)
    window.load(200, [1, 2, 3])
    expect(window.used).toBe(6)
    window.advance(200 + COUNTED_SLOTS - 1)
    expect(window.used).toBe(1)
  })
})
