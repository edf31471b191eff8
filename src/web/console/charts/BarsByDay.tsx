import { useId } from "preact/hooks"
import { formatCompact, formatCount, formatDay, formatShortDay } from "../../shared/Format.ts"
import { Table } from "../parts/Table.tsx"
import { type Layer, OTHERS, type Stacks } from "./Stacks.ts"

interface BarsByDayProps {
  /** Names the chart for those who do not see it, such as `Tokens by day and model`. */
  readonly title: string
  readonly stacks: Stacks
  /** The name of a layer. */
  readonly name: (key: string) => string
  /** Unit of the values, such as `tokens`. */
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
  const nameOf = ({ key }: Layer): string => (key === OTHERS ? "Other" : name(key))
  const describe = (day: string, index: number): string => {
    const parts = layers.filter(({ values }) => values[index] !== 0)
    const what = parts.map((layer) => `${nameOf(layer)} ${formatCount(layer.values[index] ?? 0)}`)
    return `${formatDay(day)}: ${formatCount(totals[index] ?? 0)} ${unit}${what.length > 1 ? `; ${what.join(", ")}` : ""}`
  }
  return (
    <figure class="chart stack" aria-labelledby={id}>
      <figcaption class="row apart soft">
        <span id={id} class="visually-hidden">
          {title}
        </span>
        <span>
          <strong>{formatCount(total)}</strong> {unit}
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
            rows={days.map((day, index) => ({ day, index }))}
            keyOf={({ day }) => day}
            columns={[
              { title: "Day (UTC)", kind: "main", cell: ({ day }) => formatDay(day) },
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
