/*
 * The data of a chart of stacked bars, apart from its drawing.
 */

/** A number that belongs to a day and to one of the things by which days are divided, such as a model. */
export interface Reading {
  readonly day: string
  readonly key: string
  readonly value: number
}

/** One layer of the stacks. */
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
export const LAYERS_MAX = 6

const add = (values: Array<number>, index: number, value: number): void => {
  values[index] = (values[index] ?? 0) + value
}

/** Gathers readings by day and key; those of other days are left out. */
export const stack = (days: ReadonlyArray<string>, readings: Iterable<Reading>, most = LAYERS_MAX): Stacks => {
  const indices = new Map(days.map((day, index) => [day, index]))
  const zeros = () => days.map(() => 0)
  const byKey = new Map<string, { key: string; total: number; values: Array<number> }>()
  for (const { day, key, value } of readings) {
    const index = indices.get(day)
    if (index === undefined || value === 0) continue
    const layer = byKey.get(key) ?? { key, total: 0, values: zeros() }
    byKey.set(key, layer)
    layer.total += value
    add(layer.values, index, value)
  }
  const sorted = [...byKey.values()].toSorted((a, b) => b.total - a.total || (a.key < b.key ? -1 : 1))
  const kept = sorted.length > most ? sorted.slice(0, most - 1) : sorted
  const rest = sorted.slice(kept.length)
  const others = { key: OTHERS, total: 0, values: zeros() }
  for (const { total, values } of rest) {
    others.total += total
    values.forEach((value, index) => add(others.values, index, value))
  }
  const layers = rest.length === 0 ? kept : [...kept, others]
  const totals = days.map((_, index) => layers.reduce((sum, { values }) => sum + (values[index] ?? 0), 0))
  return { days, layers, totals, total: totals.reduce((sum, value) => sum + value, 0) }
}

const steps = [1, 2, 2.5, 5, 10]

/**
 * The values that an axis from 0 names: three to five round ones, of which the last is not below the largest value.
 * Whole numbers only, since nothing that is counted here comes in parts.
 */
export const ticks = (largest: number): ReadonlyArray<number> => {
  if (largest <= 0) return [0, 1]
  const rough = largest / 4
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = Math.max(1, (steps.find((each) => each * power >= rough) ?? 10) * power)
  const whole = Number.isInteger(step) ? step : Math.ceil(step)
  return Array.from({ length: Math.ceil(largest / whole) + 1 }, (_, index) => index * whole)
}
