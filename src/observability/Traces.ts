import { Context, Effect, Exit, type Fiber, Layer, Option, References, Tracer } from "effect"
import { HttpTraceContext, type Headers } from "effect/http"

/*
 * A trace begins with a request or with a job, if the sampler takes it. All else that runs belongs to no trace and makes
 * no spans, such as polls and other work of the background.
 */

/** The samplers of OpenTelemetry. Those of parents follow the decision of what began the trace. */
export const samplers = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const
export type Sampler = (typeof samplers)[number]

export interface TraceStart {
  readonly name: string
  readonly kind: Tracer.SpanKind
  readonly attributes: Record<string, unknown>
  /** The headers of a request, of which `traceparent` names the span that caused it. */
  readonly headers?: Headers.Headers
}

/** Begins a trace with some work, unless the sampler leaves it out. */
export type BeginTrace = <A, E, R>(work: Effect.Effect<A, E, R>, start: TraceStart) => Effect.Effect<A, E, R>

/** Begins traces; undefined where there is no collector for them. */
export const Traces: Context.Reference<BeginTrace | undefined> = Context.Reference<BeginTrace | undefined>(
  "parley/observability/Traces",
  { defaultValue: () => undefined },
)

/** Switches the tracer off, where there is no collector: making spans takes a sixth of the time of a short request. */
export const layerOff = Layer.succeed(References.TracerEnabled, false)

const HEX = 16
/** The last digits of a trace id, by which all servers decide alike, and how many different values they have. */
const RATIO_DIGITS = 8
const RATIO_VALUES = HEX ** RATIO_DIGITS

/** Whether a trace is taken. `parent` is the span in another process that caused it. */
const isSampled = (sampler: Sampler, ratio: number, parent: Tracer.ExternalSpan | undefined): boolean => {
  const isOfParent = sampler.startsWith("parentbased_")
  if (isOfParent && parent !== undefined) return parent.sampled
  switch (isOfParent ? sampler.slice("parentbased_".length) : sampler) {
    case "always_on":
      return true
    case "always_off":
      return false
    default:
      return parent === undefined
        ? Math.random() < ratio
        : Number.parseInt(parent.traceId.slice(-RATIO_DIGITS), HEX) < ratio * RATIO_VALUES
  }
}

/** Makes the function that begins traces with this tracer, which has to be one that `onlyTraces` has made. */
export const makeTraces =
  (tracer: Tracer.Tracer, sampler: Sampler, ratio: number): BeginTrace =>
  (work, { headers, ...start }) => {
    const parent =
      headers?.["traceparent"] === undefined ? undefined : Option.getOrUndefined(HttpTraceContext.w3c(headers))
    // Spans that nobody takes would still be made.
    if (!isSampled(sampler, ratio, parent)) return Effect.provideService(work, References.TracerEnabled, false)
    return Effect.withSpan(work, start.name, {
      kind: start.kind,
      attributes: start.attributes,
      ...(parent === undefined ? { root: true } : { parent }),
    }).pipe(Effect.provideService(Tracer.Tracer, tracer))
  }

/** The longest text of an attribute, in UTF-16 code units. */
const ATTRIBUTE_MAX_LENGTH = 500

/** The name of an attribute that says by which kind of failure work has failed. A span that has it counts as failed. */
export const ERROR_TYPE = "error.type"

const typeOf = (error: unknown): string =>
  error instanceof Error ? ("_tag" in error && typeof error._tag === "string" ? error._tag : error.name) : "unknown"

/** A failure as a span shows it: its kind, without its message and its stack, which may quote what users said. */
class SpanFailure extends Error {
  constructor(kind: string) {
    super(kind)
    this.name = kind
    this.stack = kind
  }
}

const failureOf = (exit: Exit.Exit<unknown, unknown>): string | undefined => {
  if (Exit.isSuccess(exit) || Exit.hasInterrupts(exit)) return undefined
  const reason = exit.cause.reasons[0]
  return reason?._tag === "Fail" ? typeOf(reason.error) : reason?._tag === "Die" ? typeOf(reason.defect) : "unknown"
}

/**
 * Makes a tracer whose spans belong to traces that were begun, and carry nothing that users wrote: texts are cut, and
 * failures are named by their kind alone. The texts that are cut in practice are those of long statements, which have
 * placeholders for all values.
 */
export const onlyTraces = (tracer: Tracer.Tracer): Tracer.Tracer => ({
  ...tracer,
  span: (options) => {
    const parent = Option.getOrUndefined(options.parent)
    // Whether the trace of a span in another process is taken was decided when the first span here was made.
    const isTraced = parent === undefined ? options.root : parent.sampled || parent._tag === "ExternalSpan"
    // Nothing is exported of it, and its children belong to no trace either.
    if (!isTraced) return new Tracer.NativeSpan({ ...options, sampled: false })
    const span = tracer.span({ ...options, sampled: true })
    const attribute = span.attribute.bind(span)
    const end = span.end.bind(span)
    span.attribute = (key, value) =>
      attribute(
        key,
        typeof value === "string" && value.length > ATTRIBUTE_MAX_LENGTH ? value.slice(0, ATTRIBUTE_MAX_LENGTH) : value,
      )
    span.end = (time, exit) => {
      const failed = failureOf(exit)
      if (failed !== undefined) attribute(ERROR_TYPE, failed)
      const kind = span.attributes.get(ERROR_TYPE)
      end(time, kind === undefined ? exit : Exit.die(new SpanFailure(String(kind))))
    }
    return span
  },
})

/** Whether the work of a fiber belongs to a trace. */
export const isTraced = ({ cache }: Fiber.Fiber<unknown, unknown>): boolean =>
  cache.tracerEnabled && cache.span?.sampled === true

/** Adds the trace of one context to another, for work that goes on in a fiber with a context of its own. */
export const inTraceOf =
  (from: Context.Context<never>) =>
  <R>(to: Context.Context<R>): Context.Context<R> => {
    const span = Context.getOrUndefined(from, Tracer.ParentSpan)
    return span === undefined ? to : Context.merge(to, Context.make(Tracer.ParentSpan, span))
  }

/** The id of the trace that the work of a fiber belongs to, in the form of W3C; undefined if it belongs to none. */
export const traceIdOf = (span: Tracer.AnySpan | undefined): string | undefined =>
  span === undefined || !span.sampled ? undefined : span.traceId.padStart(32, "0")
