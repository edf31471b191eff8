import type { CDPSession, Page } from "playwright-core"

/*
 * The frames of a page while an answer is streamed into it.
 */

/** In milliseconds: a longer frame is seen as a jerk. */
export const SLOW_FRAME = 50

/** The frames of a page, and its tasks of more than 50 milliseconds. */
export interface Frames {
  readonly frames: number
  /** Number of the frames that came more than `SLOW_FRAME` after the one before. */
  readonly slow: number
  /** In milliseconds; 0 where no task took more than 50. */
  readonly longestTask: number
}

export const percentile = (values: ReadonlyArray<number>, share: number): number =>
  values.toSorted((one, other) => one - other)[Math.min(values.length - 1, Math.floor(values.length * share))] ??
  Number.NaN

export const slow = async (session: CDPSession, rate: number): Promise<void> => {
  await session.send("Emulation.setCPUThrottlingRate", { rate })
}

/** Runs `write` and counts frames meanwhile, without a trace: that makes frames late itself. */
export const framesOf = async (page: Page, write: () => Promise<unknown>): Promise<Frames> => {
  await page.evaluate(() => {
    const frames: Array<number> = []
    const tasks: Array<number> = []
    Object.assign(window, { testedFrames: { frames, tasks } })
    const next = (time: number) => {
      frames.push(time)
      requestAnimationFrame(next)
    }
    requestAnimationFrame(next)
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) tasks.push(duration)
    }).observe({ type: "longtask" })
  })
  await write()
  const { frames, tasks }: Readonly<Record<"frames" | "tasks", ReadonlyArray<number>>> = await page.evaluate(() =>
    Reflect.get(window, "testedFrames"),
  )
  // Frames come at multiples of a sixtieth of a second, a little sooner or later.
  const isSlow = (time: number, index: number) => time - (frames[index - 1] ?? time) > SLOW_FRAME + 1
  return { frames: frames.length, slow: frames.filter(isSlow).length, longestTask: Math.max(0, ...tasks) }
}
