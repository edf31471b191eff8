import { useId } from "preact/hooks"
import { formatCompact, formatCount, formatDay, formatShortDay, plural } from "../../shared/Format.ts"
import { Table } from "../parts/Table.tsx"

/*
 * The data of a chart of stacked bars, apart from its drawing.
 */

/** A number that belongs to a day and to one of the things by which days are divided, such as a model. */
export interface Reading {
  readonly day: string
  readonly key: string
  readonly value: number
}

interface Layer {
  /** Of the readings; `OTHERS` for those that are too many to be told apart. */
  readonly key: string
  readonly total: number
  readonly values: ReadonlyArray<number>
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

/** Gathers readings by day and key into layers, the largest first and at the bottom; those of other days are left out. */
export const stack = (days: ReadonlyArray<string>, readings: ReadonlyArray<Reading>, most = LAYERS_MAX) => {
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

interface BarsByDayProps {
  readonly title: string
  readonly stacks: ReturnType<typeof stack>
  readonly name: (key: string) => string
  readonly unit: string
}

/** The look of a layer, of whose height a value is a share. Gathered ones are grey, whichever place they have. */
const styleOf = ({ key }: Layer, index: number, share = 0) => ({
  "--layer": `var(--layer-${key === OTHERS ? "others" : index + 1})`,
  "--share": String(share),
})

/** Bars by day, stacked by layer, with a legend. Each bar names its numbers when it is pointed at, and a table has them all. */
export const BarsByDay = ({ name, stacks, title, unit }: BarsByDayProps) => {
  const id = useId()
  const { days, layers, total, totals } = stacks
  const top = Math.max(1, ...totals)
  const [first = "", last = ""] = [days[0], days.at(-1)]
  const one = unit.replace(/s$/, "")
  const nameOf = ({ key }: Layer): string => (key === OTHERS ? "Other" : name(key))
  const describe = (day: string, index: number): string => {
    const parts = layers.filter(({ values }) => values[index] !== 0)
    const what = parts.map((layer) => `${nameOf(layer)} ${formatCount(layer.values[index] ?? 0)}`)
    return `${formatDay(day)}: ${plural(totals[index] ?? 0, one, unit)}${what.length > 1 ? `; ${what.join(", ")}` : ""}`
  }
  return (
    <figure class="chart stack" aria-labelledby={id}>
      <figcaption class="row apart soft">
        <span id={id} class="visually-hidden">
          {title}
        </span>
        <span>
          <strong>{formatCount(total)}</strong> {total === 1 ? one : unit}
        </span>
        <span>
          {formatDay(first)} – {formatDay(last)}
        </span>
      </figcaption>
      <div class="chart-plot soft small" aria-hidden="true">
        <span>{formatCompact(top)}</span>
        <ol>
          {days.map((day, index) => (
            <li key={day} title={describe(day, index)}>
              {layers.map((layer, place) => (
                <span key={layer.key} style={styleOf(layer, place, (layer.values[index] ?? 0) / top)} />
              ))}
            </li>
          ))}
        </ol>
        <div class="row apart">
          <span>{formatShortDay(first)}</span>
          <span>{formatShortDay(last)}</span>
        </div>
      </div>
      {layers.length > 1 && (
        <ul class="chart-legend columns">
          {layers.map((layer, index) => (
            <li class="row nowrap" key={layer.key} style={styleOf(layer, index)}>
              <span class="ellipsis">{nameOf(layer)}</span>
              <span class="soft number">{formatCount(layer.total)}</span>
            </li>
          ))}
        </ul>
      )}
      <details>
        <summary>Show as table</summary>
        <div>
          <Table
            class="chart-table"
            label={`${title} (table)`}
            rows={days.map((id, index) => ({ id, index }))}
            columns={[
              { title: "Day (UTC)", kind: "main", cell: ({ id: day }) => formatDay(day) },
              ...(layers.length > 1 ? layers : []).map((layer) => ({
                title: nameOf(layer),
                kind: "number" as const,
                cell: ({ index }: { readonly index: number }) => formatCount(layer.values[index] ?? 0),
              })),
              {
                title: layers.length > 1 ? "Total" : unit,
                kind: "number",
                cell: ({ index }) => formatCount(totals[index] ?? 0),
              },
            ]}
          />
        </div>
      </details>
    </figure>
  )
}
