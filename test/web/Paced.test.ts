import { expect, test } from "bun:test"
import { paced } from "../../src/web/shared/Paced.ts"

test("what is paced is drawn twenty times a second at most, however often something changes", async () => {
  let count = 0
  const change = paced(() => (count += 1))
  const start = performance.now()
  while (performance.now() - start < 900) {
    change()
    await Bun.sleep(2)
  }
  expect(count).toBeGreaterThan(1)
  expect(count).toBeLessThanOrEqual((performance.now() - start) / 50 + 2)
})
