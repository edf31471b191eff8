import type { Browser, CDPSession, Page } from "playwright-core"

/*
 * What the pieces of a streamed answer cost the main thread of a page, from a trace of the browser.
 */

/** The times of tasks, in milliseconds. */
export interface Costs {
  readonly pieces: number
  /** Per piece: all tasks until the next piece comes. */
  readonly median: number
  readonly p95: number
  readonly longestTask: number
  /** Of all tasks, per piece: scripts, styles and layout, and what paints. */
  readonly parts: Readonly<Record<string, number>>
}

const PARTS: Readonly<Record<string, string>> = {
  FunctionCall: "scripts",
  FireAnimationFrame: "scripts",
  RunMicrotasks: "scripts",
  UpdateLayoutTree: "styles",
  Layout: "layout",
  PrePaint: "painting",
  Paint: "painting",
  Layerize: "painting",
  Commit: "painting",
  MinorGC: "garbage",
  MajorGC: "garbage",
}

interface TraceEvent {
  readonly name: string
  readonly ph: string
  readonly pid: number
  readonly tid: number
  readonly ts: number
  readonly dur?: number
  readonly tdur?: number
  readonly args?: { readonly data?: { readonly message?: string }; readonly name?: string }
}

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

/**
 * Runs `write`, which has pieces come at these moments of the clock of `performance.timeOrigin`, and adds up the tasks
 * of the page's main thread between one and the next.
 */
export const costsOf = async (
  browser: Browser,
  page: Page,
  write: () => Promise<ReadonlyArray<number>>,
): Promise<Costs> => {
  await browser.startTracing(page, {
    categories: ["disabled-by-default-devtools.timeline", "devtools.timeline", "toplevel", "blink.user_timing"],
  })
  const mark = await page.evaluate(() => {
    performance.mark("parley-zero")
    return performance.timeOrigin + performance.now()
  })
  const moments = await write()
  const trace: { readonly traceEvents: ReadonlyArray<TraceEvent> } = JSON.parse(
    (await browser.stopTracing()).toString(),
  )
  const zero = trace.traceEvents.find(({ name }) => name === "parley-zero")
  if (zero === undefined) throw new Error("The trace has no mark")
  const tasks = trace.traceEvents.filter(
    ({ name, pid, ph, tid }) => name === "RunTask" && ph === "X" && pid === zero.pid && tid === zero.tid,
  )
  const toTrace = (moment: number) => zero.ts + (moment - mark) * 1_000
  // The time of the thread itself: another program that has the processor meanwhile does not count.
  const cost = ({ dur = 0, tdur }: TraceEvent) => (tdur ?? dur) / 1_000
  const perPiece = moments.slice(0, -1).map((moment, index) => {
    const [from, to] = [toTrace(moment), toTrace(moments[index + 1] ?? moment)]
    return tasks.filter(({ ts }) => ts >= from && ts < to).reduce((sum, task) => sum + cost(task), 0)
  })
  const [first = 0, last = 0] = [moments[0], moments.at(-1)]
  const within = tasks.filter(({ ts }) => ts >= toTrace(first) && ts <= toTrace(last))
  const parts: Record<string, number> = {}
  for (const event of trace.traceEvents) {
    const part = PARTS[event.name]
    if (part === undefined || event.pid !== zero.pid || event.tid !== zero.tid) continue
    if (event.ts >= toTrace(first) && event.ts <= toTrace(last)) {
      parts[part] = (parts[part] ?? 0) + cost(event) / moments.length
    }
  }
  return {
    parts,
    pieces: perPiece.length,
    median: percentile(perPiece, 0.5),
    p95: percentile(perPiece, 0.95),
    longestTask: Math.max(0, ...within.map(cost)),
  }
}
