import { describe, expect, test } from "bun:test"
import { Effect } from "effect"
import * as fc from "fast-check"
import { COUNTED_SLOTS, RateCounter, rateCounters } from "../../src/admission/RateCounter.ts"

const SLOT_MILLIS = 1_000
const limit = { quota: 100, seconds: 50 }
const counterAt = (slot: number) => new RateCounter("someone", "Somebody", limit).advance(slot * SLOT_MILLIS)

/** Units that are added at some times, in slots since the one before. */
const additions = fc.array(fc.tuple(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 0, max: 9 })), {
  maxLength: 60,
})

describe("a counter", () => {
  test("counts the units of the last slots, as a list of all units does", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e9 }), additions, (start, steps) => {
        const counter = counterAt(start)
        const all: Array<readonly [slot: number, units: number]> = []
        let slot = start
        for (const [passed, units] of steps) {
          slot += passed
          counter.advance(slot * SLOT_MILLIS).add(units)
          all.push([slot, units])
          const counted = all.filter(([one]) => one > slot - COUNTED_SLOTS)
          expect(counter.free).toBe(limit.quota - counted.reduce((sum, [, one]) => sum + one, 0))
        }
      }),
    )
  })

  test("says in how many seconds some units are left, and not before", () => {
    fc.assert(
      fc.property(additions, fc.integer({ min: 1, max: limit.quota }), (steps, cost) => {
        const counter = counterAt(1_000)
        let slot = 1_000
        for (const [passed, units] of steps) counter.advance((slot += passed) * SLOT_MILLIS).add(units)
        const seconds = counter.refusal(cost)?.retry_after_seconds
        if (seconds === undefined) return expect(counter.free).toBeGreaterThanOrEqual(cost)
        expect(counter.advance((slot + seconds - 1) * SLOT_MILLIS).free).toBeLessThan(cost)
        expect(counter.advance((slot + seconds) * SLOT_MILLIS).free).toBeGreaterThanOrEqual(cost)
      }),
    )
  })

  test("takes over what all servers have counted, beside what it has counted since", () => {
    const counter = counterAt(100)
    counter.add(7)
    counter.untold = 9
    counter.settle(7, { id: "", counts: [1, 2, 3], age: 300 }, 200 * SLOT_MILLIS)
    expect(counter.free).toBe(limit.quota - 8)
    const free = (millis: number) => counter.advance((200 + COUNTED_SLOTS - 2) * SLOT_MILLIS - 300 + millis).free
    expect([free(-1), free(0), free(SLOT_MILLIS - 1), free(SLOT_MILLIS)]).toEqual([92, 95, 95, 97])
  })

  test("never has more than all units free, whatever was taken back, and in which slot", () => {
    const counter = counterAt(200)
    counter.untold = -5
    counter.settle(0, { id: "", counts: [-90, 200, 1], age: 0 }, 200 * SLOT_MILLIS)
    expect(counter.free).toBe(limit.quota - 106)
    counter.untold = 0
    const counts = [...Array.from({ length: COUNTED_SLOTS - 1 }, () => 0), -95]
    counter.settle(0, { id: "", counts, age: 0 }, 250 * SLOT_MILLIS)
    expect(counter.free).toBe(limit.quota)
  })
})

test("a million owners fill no memory: those that were seen first are forgotten", () =>
  Effect.runPromise(
    Effect.gen(function* () {
      const counterOf = yield* rateCounters("An address", { quota: 1, seconds: 86_400 }, 1_000)
      expect(counterOf("first").take(1)).toBeUndefined()
      for (let owner = 0; owner < 1_000_000; owner++) counterOf(String(owner)).take(1)
      expect(counterOf("999999").take(1)).toBeDefined()
      expect(counterOf("first").take(1)).toBeUndefined()
    }),
  ))
