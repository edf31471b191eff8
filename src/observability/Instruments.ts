import { Context, Effect, Metric, type Scope } from "effect"

/*
 * Counters, gauges and histograms of this process. They are Effect's metrics in a registry of their own, so that
 * `/metrics` shows what Parley defines and nothing that a library adds.
 *
 * A metric with labels has one series for each combination of their values. Series are kept, because making one for each
 * update takes ten times as long as the update. They are updated by plain functions, so that callbacks can do it too.
 */

/** The context that holds the registry of Parley's metrics. */
export const metrics: Context.Context<never> = Context.make(Metric.MetricRegistry, new Map())

/** The most series of a metric, unless it says otherwise. */
const SERIES_MAX = 1_000
/** Takes the place of all label values of the combinations beyond the most series of a metric. */
const OTHER = "other"

/** A value for each label, in the order of the names. */
type ValuesOf<Labels extends ReadonlyArray<string>> = { readonly [Index in keyof Labels]: string }

/** Returns the series of these label values, which exists from the first call on. */
type Series<Labels extends ReadonlyArray<string>, S> = (...values: ValuesOf<Labels>) => S

/** Makes the series of a metric. Combinations of label values beyond `seriesMax` share one, with the value `other`. */
const family = <Labels extends ReadonlyArray<string>, S>(
  labels: Labels | undefined,
  seriesMax: number,
  make: (attributes: Metric.Metric.AttributeSet) => S,
): Series<Labels, S> => {
  const names: ReadonlyArray<string> = labels ?? []
  const series = new Map<string, S>()
  const add = (key: string, values: ReadonlyArray<string>): S => {
    const one = make(Object.fromEntries(names.map((label, index) => [label, values[index] ?? ""])))
    series.set(key, one)
    return one
  }
  const overflow = names.map(() => OTHER)
  return (...values) => {
    const key = values.length === 1 ? (values[0] ?? "") : values.join("\n")
    const known = series.get(key)
    if (known !== undefined) return known
    if (series.size < seriesMax) return add(key, values)
    const other = overflow.join("\n")
    return series.get(other) ?? add(other, overflow)
  }
}

/*
 * Every metric has a name by the conventions of Prometheus, in base units and with `_total` at the end of a counter, and a
 * sentence that says what it measures. None of its labels may name an organization or anything that belongs to one.
 */

/** Makes a counter: a number that only grows. Its series begins at 0. */
export const counter = <const Labels extends ReadonlyArray<string> = readonly []>(
  name: string,
  description: string,
  labels?: Labels,
  seriesMax = SERIES_MAX,
): Series<Labels, { readonly add: (amount?: number) => void }> =>
  family(labels, seriesMax, (attributes) => {
    const metric = Metric.counter(name, { description, attributes, incremental: true })
    metric.updateUnsafe(0, metrics)
    return { add: (amount = 1) => metric.updateUnsafe(amount, metrics) }
  })

/** Makes a histogram. A value counts in each bucket whose boundary is at least as large. */
export const histogram = <const Labels extends ReadonlyArray<string> = readonly []>(
  name: string,
  description: string,
  boundaries: ReadonlyArray<number>,
  labels?: Labels,
  seriesMax = SERIES_MAX,
): Series<Labels, { readonly observe: (value: number) => void }> =>
  family(labels, seriesMax, (attributes) => {
    const metric = Metric.histogram(name, { description, attributes, boundaries })
    return { observe: (value) => metric.updateUnsafe(value, metrics) }
  })

/** A value that goes up and down, or that is counted elsewhere. */
interface Reading {
  readonly set: (value: number) => void
  /** Removes the series, because its value is unknown. */
  readonly clear: () => void
  /** Computes the value whenever the metrics are read, until the scope closes. */
  readonly read: (value: () => number) => Effect.Effect<void, never, Scope.Scope>
}

const registered = <Input, State>(metric: Metric.Metric<Input, State>, get: () => State) =>
  Effect.acquireRelease(
    Effect.sync(() => Metric.registerUnsafe(metric, metrics, { get, update: () => {}, modify: () => {} })),
    (registration) => Effect.sync(() => registration.remove()),
  ).pipe(Effect.asVoid)

export const gauge = <const Labels extends ReadonlyArray<string> = readonly []>(
  name: string,
  description: string,
  labels?: Labels,
): Series<Labels, Reading> =>
  family(labels, SERIES_MAX, (attributes) => {
    const metric = Metric.gauge(name, { description, attributes })
    return {
      set: (value) => metric.updateUnsafe(value, metrics),
      clear: () => Metric.removeUnsafe(metric, metrics),
      read: (value) => registered(metric, () => ({ value: value() })),
    }
  })

/** Makes a counter whose value is counted elsewhere, such as by the operating system. */
export const counted = (
  name: string,
  description: string,
): { readonly read: (count: () => number) => Effect.Effect<void, never, Scope.Scope> } => {
  const metric = Metric.counter(name, { description, incremental: true })
  return { read: (count) => registered(metric, () => ({ count: count(), incremental: true })) }
}
