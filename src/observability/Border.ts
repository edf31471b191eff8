import { Context, Effect, type Exit, Exit as Exits, type Tracer } from "effect"
import { isTraced } from "./Traces.ts"

/*
 * The borders of the server: where a request comes in, and where work is handed to the database, a model, a tool or a
 * file. What happens there is measured always, and traced where a trace has begun.
 */

/** The end of work, as a label of metrics. */
export type Outcome = "ok" | "failed" | "interrupted"

export const outcomeOf = (exit: Exit.Exit<unknown, unknown>): Outcome =>
  Exits.isSuccess(exit) ? "ok" : Exits.hasInterrupts(exit) ? "interrupted" : "failed"

/** The times that a request has spent at borders, by their names, for its header `Server-Timing`. In milliseconds. */
export type Timings = Map<string, number>

/** The times of the current request; undefined for work of which nobody wants to know them. */
export const CurrentTimings: Context.Reference<Timings | undefined> = Context.Reference<Timings | undefined>(
  "parley/observability/CurrentTimings",
  { defaultValue: () => undefined },
)

export interface Border<A = unknown, E = unknown> {
  readonly span: string
  readonly kind?: Tracer.SpanKind
  /** The attributes of the span, which are made only for work that is traced. They hold no text of users. */
  readonly attributes?: () => Record<string, unknown>
  /** The name under which the time counts for `Server-Timing`. */
  readonly timing?: string
  /** Measures the work at its end, in seconds. */
  readonly measure?: (seconds: number, exit: Exit.Exit<A, E>) => void
}

const MILLIS_PER_SECOND = 1_000

/** The seconds since a moment that `performance.now()` gave. */
export const secondsSince = (begin: number): number => (performance.now() - begin) / MILLIS_PER_SECOND

/** Measures work at a border, and makes a span of it if it belongs to a trace. */
export const atBorder = <A, E, R>(work: Effect.Effect<A, E, R>, border: Border<A, E>): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    const { attributes, kind, measure, span, timing } = border
    // The time of the process itself: reading Effect's clock takes ten times as long.
    const begin = performance.now()
    const timings = timing === undefined ? undefined : fiber.getRef(CurrentTimings)
    const measured = Effect.onExit(work, (exit) => {
      const millis = performance.now() - begin
      measure?.(millis / MILLIS_PER_SECOND, exit)
      if (timings !== undefined && timing !== undefined) timings.set(timing, (timings.get(timing) ?? 0) + millis)
      return Effect.void
    })
    return isTraced(fiber)
      ? Effect.withSpan(measured, span, { ...(kind && { kind }), ...(attributes && { attributes: attributes() }) })
      : measured
  })

/** Adds attributes to the current span, if the work belongs to a trace. */
export const annotateSpan = (attributes: () => Record<string, unknown>): Effect.Effect<void> =>
  Effect.withFiber((fiber) => {
    const { span } = fiber.cache
    if (isTraced(fiber) && span?._tag === "Span") {
      for (const [name, value] of Object.entries(attributes())) span.attribute(name, value)
    }
    return Effect.void
  })
