import { afterEach, beforeEach, expect, jest, spyOn, test } from "bun:test"
import { paced } from "../../src/web/shared/Paced.ts"

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

/** Lets milliseconds pass, while `change` is called once in 6 ms. */
const drawnIn = (milliseconds: number, change: () => void): void => {
  for (let passed = 0; passed < milliseconds; passed += 6) {
    change()
    jest.advanceTimersByTime(5)
    // What a drawing leaves for later comes before the next change, as in a browser.
    jest.advanceTimersByTime(1)
  }
}

test("what is paced is drawn twenty times a second at most, however often something changes", () => {
  let count = 0
  drawnIn(
    1_000,
    paced(() => (count += 1)),
  )
  // At once, and twenty times after that.
  expect(count).toBe(21)
})

test("what is paced is drawn once more after the last change, and not without one", () => {
  let [changes, drawn] = [0, 0]
  let count = 0
  const change = paced(() => {
    drawn = changes
    count += 1
  })
  drawnIn(120, () => {
    changes++
    change()
  })
  jest.advanceTimersByTime(1_000)
  expect([changes, drawn]).toEqual([20, 20])
  const before = count
  jest.advanceTimersByTime(1_000)
  expect(count).toBe(before)
})

test("what takes long to draw is drawn less often, and takes a quarter of the time", () => {
  let [count, drawing] = [0, 0]
  const { now } = performance
  const clock = spyOn(performance, "now").mockImplementation(() => now.call(performance) + drawing)
  const change = paced(() => {
    count += 1
    drawing += 100
  })
  drawnIn(3_000, change)
  clock.mockRestore()
  // Of each 400 ms, drawing takes 100, and 300 are left to the page.
  expect(count).toBe(10)
})
