import { useSignal } from "@preact/signals"
import { useId } from "preact/hooks"
import { formatCompact, formatCount, formatDay, formatShortDay } from "../../shared/Format.ts"
import { Table } from "../parts/Layout.tsx"
import { type Layer, OTHERS, type Stacks, ticks } from "./Stacks.ts"

interface BarsByDayProps {
  /** Names the chart for those who do not see it, such as `Tokens by day and model`. */
  readonly title: string
  readonly stacks: Stacks
  /** The name of a layer. */
  readonly name: (key: string) => string
  /** Unit of the values, such as `tokens`. */
  readonly unit: string
}

/** The part of a day's width that its bar takes. */
const BAR_WIDTH = 0.72

/** The colour of a layer: the gathered ones are grey, whichever place they have. */
const styleOf = ({ key }: Layer, index: number) => ({
  "--layer": `var(--layer-${key === OTHERS ? "others" : index + 1})`,
})

/**
 * Bars by day, stacked by layer, with a legend that shows the numbers of the day that is pointed at, or of the whole
 * time. A range input lies over the plot: arrow keys, fingers and screen readers go through the days by it. The numbers
 * are in a table behind.
 */
export const BarsByDay = ({ name, stacks, title, unit }: BarsByDayProps) => {
  const chosen = useSignal<number | undefined>(undefined)
  const id = useId()
  const { days, layers, total, totals } = stacks
  const axis = ticks(Math.max(0, ...totals))
  const top = axis.at(-1) ?? 1
  const last = days.length - 1
  const at = chosen.value
  const dayAt = (index: number): string => formatDay(days[index] ?? "")
  const nameOf = ({ key }: Layer): string => (key === OTHERS ? "Others" : name(key))
  const describe = (index: number): string => {
    const parts = layers.filter(({ values }) => values[index] !== 0)
    const what = parts.map((layer) => `${nameOf(layer)} ${formatCount(layer.values[index] ?? 0)}`)
    return `${dayAt(index)}: ${formatCount(totals[index] ?? 0)} ${unit}${what.length > 1 ? `; ${what.join(", ")}` : ""}`
  }
  /** Chooses the day below a pointer. */
  const pointAt = (event: PointerEvent & { readonly currentTarget: HTMLElement }): void => {
    const { left, width } = event.currentTarget.getBoundingClientRect()
    chosen.value = Math.max(0, Math.min(last, Math.floor(((event.clientX - left) / width) * days.length)))
  }
  return (
    <figure class="chart" aria-labelledby={id}>
      <figcaption class="row apart soft">
        <span id={id} class="visually-hidden">
          {title}
        </span>
        <span>
          <strong>{formatCount(at === undefined ? total : (totals[at] ?? 0))}</strong> {unit}
        </span>
        <span>{at === undefined ? `${dayAt(0)} – ${dayAt(last)}` : dayAt(at)}</span>
      </figcaption>
      <div class="chart-body">
        <div class="chart-values" aria-hidden="true">
          {axis.toReversed().map((value) => (
            <span key={value}>{formatCompact(value)}</span>
          ))}
        </div>
        <div class="chart-plot">
          <svg viewBox={`0 0 ${Math.max(1, days.length)} ${top}`} preserveAspectRatio="none" aria-hidden="true">
            {axis.map((value) => (
              <line key={value} x2={days.length} y1={top - value} y2={top - value} />
            ))}
            {at !== undefined && <rect x={at} width="1" height={top} style={{ "--layer": "var(--hover)" }} />}
            {days.map((_, index) => {
              let base = top
              return layers.map((layer, place) => {
                const height = layer.values[index] ?? 0
                base -= height
                const x = index + (1 - BAR_WIDTH) / 2
                return (
                  height > 0 && <rect style={styleOf(layer, place)} {...{ x, height }} y={base} width={BAR_WIDTH} />
                )
              })
            })}
          </svg>
          {days.length > 0 && (
            <input
              type="range"
              min="0"
              max={last}
              value={at ?? last}
              aria-label={`${title}: go through the days`}
              aria-valuetext={describe(at ?? last)}
              onInput={({ currentTarget }) => (chosen.value = Number(currentTarget.value))}
              onBlur={() => (chosen.value = undefined)}
              onPointerMove={pointAt}
              onPointerLeave={() => (chosen.value = undefined)}
            />
          )}
        </div>
        <div class="chart-days" aria-hidden="true">
          {[0, last / 2, last].map((index) => (
            <span key={index}>{Number.isInteger(index) && formatShortDay(days[index] ?? "")}</span>
          ))}
        </div>
      </div>
      {layers.length > 1 && (
        <ul class="chart-legend columns">
          {layers.map((layer, index) => (
            <li key={layer.key} style={styleOf(layer, index)}>
              <span class="ellipsis">{nameOf(layer)}</span>
              <span class="soft number">{formatCount(at === undefined ? layer.total : (layer.values[at] ?? 0))}</span>
            </li>
          ))}
        </ul>
      )}
      <details>
        <summary>Show as a table</summary>
        <div>
          <Table
            class="chart-table"
            label={`${title}, as a table`}
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
