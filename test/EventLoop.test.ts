import { expect, test } from "bun:test"
import { longestWait, repeatedWait } from "./lib/EventLoop.ts"

const computed = () => {
  const { system, user } = process.threadCpuUsage()
  return (system + user) / 1_000
}

const compute = (milliseconds: number) => {
  const end = computed() + milliseconds
  while (computed() < end);
}

test("the longest wait of an event loop is its longest piece of work, not the sum", async () => {
  const [result, wait] = await longestWait(async () => {
    for (const milliseconds of [20, 120, 20, 20, 20, 20, 20]) {
      compute(milliseconds)
      await Bun.sleep(5)
    }
    return "done"
  })
  expect(result).toBe("done")
  expect(wait.computed).toBeGreaterThanOrEqual(115)
  expect(wait.computed).toBeLessThan(190)
  expect(wait.elapsed).toBeGreaterThanOrEqual(wait.computed - 1)
})

test("the longest wait of an event loop includes work that never yields", async () => {
  const [, wait] = await longestWait(async () => compute(60))
  expect(wait.computed).toBeGreaterThanOrEqual(55)
})

test("work that blocks the event loop does so in each of several runs, and a pause in one of them does not count", async () => {
  let runs = 0
  const [, always] = await repeatedWait(30, async () => compute(60))
  const [, once] = await repeatedWait(30, async () => compute(++runs === 1 ? 60 : 5))
  expect(always).toBeGreaterThanOrEqual(55)
  expect(once).toBeLessThan(30)
  expect(runs).toBe(2)
})
