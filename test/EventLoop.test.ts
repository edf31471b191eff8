import { expect, test } from "bun:test"
import { until } from "./lib/Client.ts"
import { longestWait, repeatedWait } from "./lib/EventLoop.ts"

/** A processor whose time goes on where a test computes, and nowhere else. */
const processor = () => {
  let now = 0
  let looks = 0
  return {
    millis: () => {
      looks++
      return now
    },
    compute: (milliseconds: number) => void (now += milliseconds),
    /** Lets other work of the event loop run, which the measurement is too. */
    yields: async () => {
      const before = looks
      await until(
        () => looks,
        (count) => count > before,
      )
    },
  }
}

test("the longest wait of an event loop is its longest piece of work, not the sum", async () => {
  const { compute, millis, yields } = processor()
  const [result, wait] = await longestWait(async () => {
    for (const milliseconds of [20, 120, 20, 20, 20, 20, 20]) {
      compute(milliseconds)
      await yields()
    }
    return "done"
  }, millis)
  expect([result, wait.computed]).toEqual(["done", 120])
})

test("the longest wait of an event loop includes work that never yields", async () => {
  const { compute, millis } = processor()
  const [, wait] = await longestWait(async () => compute(60), millis)
  expect(wait.computed).toBe(60)
})

test("the wait is measured in processor time of this thread, of which it takes no more than time by the clock", async () => {
  const computed = () => process.threadCpuUsage().user / 1_000
  const [, wait] = await longestWait(async () => {
    const end = computed() + 60
    while (computed() < end);
  })
  expect(wait.computed).toBeGreaterThanOrEqual(60)
  expect(wait.elapsed).toBeGreaterThanOrEqual(55)
})

test("work that blocks the event loop does so in each of several runs, and a pause in one of them does not count", async () => {
  const { compute, millis } = processor()
  let runs = 0
  const [, always] = await repeatedWait(30, async () => compute(60), millis)
  const [, once] = await repeatedWait(30, async () => compute(++runs === 1 ? 60 : 5), millis)
  expect([always, once, runs]).toEqual([60, 5, 2])
})
