import { Duration, Effect, Layer } from "effect"
import { regularly } from "../system/Background.ts"
import { process as figures } from "./Metrics.ts"

/** Interval at which the lag of the event loop is measured. */
const LAG_INTERVAL = Duration.millis(500)

const MICROS_PER_SECOND = 1e6
const MILLIS_PER_SECOND = 1e3

/** Measures by how much a sleep takes longer than asked for, which is how long other work kept the event loop busy. */
const measureLag = Effect.suspend(() => {
  const lag = figures.loopLag()
  // The time of the process itself: Effect's clock is read by the work that is measured, and tests may stop it.
  let expected = Number.POSITIVE_INFINITY
  const measure = Effect.sync(() => {
    const now = performance.now()
    lag.observe(Math.max(0, now - expected) / MILLIS_PER_SECOND)
    expected = now + Duration.toMillis(LAG_INTERVAL)
  })
  return regularly(LAG_INTERVAL, "The lag of the event loop could not be measured", measure)
})

/** Keeps the metrics of the process itself: its version, processor time, memory, and the lag of its event loop. */
export const layer = (version: string): Layer.Layer<never> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      figures.build(version, Bun.version).set(1)
      yield* figures.cpu.read(() => {
        const { system, user } = process.cpuUsage()
        return (user + system) / MICROS_PER_SECOND
      })
      yield* figures.resident().read(() => process.memoryUsage.rss())
      yield* figures.heap().read(() => process.memoryUsage().heapUsed)
      yield* figures.started().read(() => performance.timeOrigin / MILLIS_PER_SECOND)
      yield* Effect.forkScoped(measureLag)
    }),
  )
