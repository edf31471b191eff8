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

/** Returns the result of `run`, and the longest wait while it ran. */
export const longestWait = async <A>(run: () => Promise<A>): Promise<readonly [A, Wait]> => {
  let [elapsed, computed] = [0, 0]
  let [lastTime, lastComputed] = [performance.now(), computedMillis()]
  const look = () => {
    const [time, total] = [performance.now(), computedMillis()]
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
