/*
 * Measures how long the event loop is blocked: while one task computes, all other requests to the server wait. The
 * server of `startServer` runs in the process of the tests, so that its work is measured, and so is that of the test
 * itself.
 */

/** The longest time for which the event loop was blocked, in milliseconds. */
export interface Wait {
  /** The time by the clock, which another request waited. It grows when other programs use the machine. */
  readonly elapsed: number
  /** The processor time of this thread, which does not depend on other programs. Tests assert on it. */
  readonly computed: number
}

/** The interval of the measurement in milliseconds, which is the shortest time that it can see. */
const INTERVAL = 1

const computedMillis = (): number => {
  const { system, user } = process.threadCpuUsage()
  return (system + user) / 1_000
}

/** Returns the result of `run`, and the longest wait while it ran, by the processor time that `millis` tells. */
export const longestWait = async <A>(
  run: () => Promise<A>,
  millis: () => number = computedMillis,
): Promise<readonly [A, Wait]> => {
  let [elapsed, computed] = [0, 0]
  let [lastTime, lastComputed] = [performance.now(), millis()]
  const look = () => {
    const [time, total] = [performance.now(), millis()]
    elapsed = Math.max(elapsed, time - lastTime)
    computed = Math.max(computed, total - lastComputed)
    lastTime = time
    lastComputed = total
  }
  const timer = setInterval(look, INTERVAL)
  try {
    const result = await run()
    look()
    return [result, { elapsed, computed }]
  } finally {
    clearInterval(timer)
  }
}

/** Runs until the wait is short enough, at most. */
const RUNS = 3

/**
 * Returns the result of the last of up to three runs, and the shortest of their longest waits, in milliseconds of
 * processor time. Work that blocks the event loop does so in each run, but the garbage collection of a large test process
 * in some of them only. The first run whose wait is below `limit` is the last.
 */
export const repeatedWait = async <A>(
  limit: number,
  run: () => Promise<A>,
  millis: () => number = computedMillis,
): Promise<readonly [A, number]> => {
  let shortest = Number.POSITIVE_INFINITY
  for (let left = RUNS; ; left--) {
    // What was left behind before is not collected while the run is measured.
    if (left < RUNS) Bun.gc(true)
    const [result, { computed }] = await longestWait(run, millis)
    shortest = Math.min(shortest, computed)
    if (shortest < limit || left === 1) return [result, shortest]
  }
}
