/*
 * The data of a chart of stacked bars, apart from its drawing.
 */

/** A number that belongs to a day and to one of the things by which days are divided, such as a model. */
export interface Reading {
  readonly day: string
  readonly key: string
  readonly value: number
}

export interface Layer {
  /** Of the readings; `OTHERS` for those that are too many to be told apart. */
  readonly key: string
  readonly total: number
  /** One value for each day. */
  readonly values: ReadonlyArray<number>
}

/** Readings by day: the layers from the bottom to the top, the largest first. */
export interface Stacks {
  readonly days: ReadonlyArray<string>
  readonly layers: ReadonlyArray<Layer>
  /** The height of each day's stack. */
  readonly totals: ReadonlyArray<number>
  readonly total: number
}

/** The key of the layer that gathers the smallest. No reading may have it. */
export const OTHERS = "\u0000others"

/** The most layers of a chart, the gathered ones included: as many colours as can be told apart. */
const LAYERS_MAX = 6

const sumOf = (values: ReadonlyArray<number>): number => values.reduce((sum, value) => sum + value, 0)

const layerOf = (days: ReadonlyArray<string>, key: string, readings: ReadonlyArray<Reading>): Layer => {
  const byDay = Map.groupBy(readings, ({ day }) => day)
  const values = days.map((day) => sumOf((byDay.get(day) ?? []).map(({ value }) => value)))
  return { key, values, total: sumOf(values) }
}

/** Gathers readings by day and key; those of other days are left out. */
export const stack = (days: ReadonlyArray<string>, readings: ReadonlyArray<Reading>, most = LAYERS_MAX): Stacks => {
  const byKey = Map.groupBy(readings, ({ key }) => key)
  const sorted = Array.from(byKey, ([key, own]) => layerOf(days, key, own))
    .filter(({ total }) => total > 0)
    .toSorted((a, b) => b.total - a.total || (a.key < b.key ? -1 : 1))
  const kept = sorted.length > most ? sorted.slice(0, most - 1) : sorted
  const rest = sorted.slice(kept.length).flatMap(({ key }) => byKey.get(key) ?? [])
  const layers = rest.length === 0 ? kept : [...kept, layerOf(days, OTHERS, rest)]
  const totals = days.map((_, index) => sumOf(layers.map(({ values }) => values[index] ?? 0)))
  return { days, layers, totals, total: sumOf(totals) }
}
