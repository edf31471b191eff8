/*
 * A watch on the event loop: one task that computes for long keeps every other caller of the server waiting. The server
 * of `startServer` runs in the tests' own process, so the watch sees what it does; the test's own work counts as well.
 */

/** The longest time for which the event loop served nobody, in milliseconds. */
export interface Wait {
  /** By the clock: what another caller waited. It grows when other programs use the machine. */
  readonly elapsed: number
  /** Of the processor, for this thread: what was computed in one go, however busy the machine is. Tests assert this. */
  readonly computed: number
}

/** How often the watch looks, in milliseconds: the least that it can see. */
const INTERVAL = 1

const computedMillis = (): number => {
  const { system, user } = process.threadCpuUsage()
  return (system + user) / 1_000
}

/** What `run` came to, and the longest wait from its start to its end. */
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
