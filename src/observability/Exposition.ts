import { Effect, type Scope } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { metrics } from "./Instruments.ts"

/** The media type of the metrics' text. */
export const EXPOSITION_TYPE = "text/plain; version=0.0.4; charset=utf-8"

const collections = new Set<Effect.Effect<void>>()

/**
 * Runs an effect each time before the metrics are read, until the scope closes, for figures that have to be asked for.
 * It delays the answer, so it has to bound its time itself.
 */
export const beforeReading = (collect: Effect.Effect<void>): Effect.Effect<void, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => collections.add(collect)),
    () => Effect.sync(() => collections.delete(collect)),
  ).pipe(Effect.asVoid)

/** Brings the figures up to date that have to be asked for. */
export const collected: Effect.Effect<void> = Effect.suspend(() =>
  Effect.forEach(collections, (collect) => collect, { concurrency: "unbounded", discard: true }),
)

/** The metrics of this process, in the text format of Prometheus. */
export const exposition: Effect.Effect<string> = Effect.map(collected, () => PrometheusMetrics.formatUnsafe(metrics))
