import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { OTHERS, stack } from "../../../src/web/console/charts/BarsByDay.tsx"
import { addDays, countDays, dayAt, daysBetween, isDay } from "../../../src/web/console/charts/Days.ts"

const days = daysBetween("2026-11-18", "2026-11-20")

describe("stacks of a chart", () => {
  test("hold every reading of the days that are shown, whatever is gathered", () => {
    const reading = fc.record({
      day: fc.constantFrom(...days, "2026-11-21"),
      key: fc.constantFrom("a", "b", "c", "d", "e", "f", "g", "h"),
      value: fc.nat(1_000),
    })
    fc.assert(
      fc.property(fc.array(reading), fc.integer({ min: 1, max: 8 }), (readings, most) => {
        const shown = readings.filter(({ day }) => days.includes(day))
        const { layers, total, totals } = stack(days, readings, most)
        expect(layers.length).toBeLessThanOrEqual(most)
        expect(total).toBe(shown.reduce((sum, { value }) => sum + value, 0))
        for (const [index, day] of days.entries()) {
          const expected = shown.filter((each) => each.day === day).reduce((sum, { value }) => sum + value, 0)
          expect(totals[index]).toBe(expected)
        }
      }),
    )
  })

  test("begin with the largest layer and end with what was gathered", () => {
    const readings = ["a", "b", "c", "d"].map((key, index) => ({ day: "2026-11-19", key, value: 10 ** index }))
    const { layers } = stack(days, readings, 3)
    expect(layers.map(({ key, total }) => [key, total])).toEqual([
      ["d", 1_000],
      ["c", 100],
      [OTHERS, 11],
    ])
    expect(layers[2]?.values).toEqual([0, 11, 0])
  })

  test("have no layer for a thing that took nothing", () => {
    expect(stack(days, [{ day: "2026-11-19", key: "a", value: 0 }]).layers).toEqual([])
  })
})

describe("days", () => {
  test("are counted in UTC, over the ends of months and years", () => {
    expect(daysBetween("2024-02-28", "2024-03-01")).toEqual(["2024-02-28", "2024-02-29", "2024-03-01"])
    expect(addDays("2026-01-01", -1)).toBe("2025-12-31")
    expect(countDays("2026-11-20", "2026-11-20")).toBe(1)
    expect(daysBetween("2026-11-21", "2026-11-20")).toEqual([])
    expect(dayAt(Date.parse("2026-11-20T23:59:59Z"))).toBe("2026-11-20")
  })

  test("that do not exist are none", () => {
    expect(["2026-11-20", "2026-02-30", "2026-1-1", "", "x"].map(isDay)).toEqual([true, false, false, false, false])
  })
})
