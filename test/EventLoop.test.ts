import { expect, test } from "bun:test"
import { longestWait } from "./lib/EventLoop.ts"

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
