import { afterEach, describe, expect, test } from "bun:test"
import { everyFrame } from "../../src/web/shared/EveryFrame.ts"

const frames = Reflect.get(globalThis, "requestAnimationFrame")

/** Has a browser draw frames, or none, as in a tab that is hidden. */
const drawFrames = (isVisible: boolean) =>
  Reflect.set(globalThis, "requestAnimationFrame", (run: () => void) => isVisible && setTimeout(run, 1))

afterEach(() => void Reflect.set(globalThis, "requestAnimationFrame", frames))

describe("what is drawn in frames of the browser", () => {
  test("is drawn twenty times a second at most, however often something changes", async () => {
    drawFrames(true)
    let count = 0
    const change = everyFrame(() => (count += 1))
    const start = performance.now()
    while (performance.now() - start < 900) {
      change()
      await Bun.sleep(2)
    }
    expect(count).toBeGreaterThan(1)
    expect(count).toBeLessThanOrEqual((performance.now() - start) / 50 + 2)
  })

  test("is drawn in a tab that is hidden", async () => {
    drawFrames(false)
    const drawn = Promise.withResolvers<void>()
    everyFrame(drawn.resolve)()
    await drawn.promise
  })
})
