import { useId, useState } from "preact/hooks"
import { formatCompact, formatCount, formatDay, formatShortDay, formatWeekday } from "../Format.ts"
import { Scroller } from "../Scroller.tsx"
import { labelledDays } from "./Days.ts"
import { type Layer, OTHERS, type Stacks, ticks } from "./Stacks.ts"

/** What a chart of bars by day is made of. */
export interface BarsByDayProps {
  /** Names the chart for those who do not see it, such as `Tokens by day and model`. */
  readonly title: string
  readonly stacks: Stacks
  /** The name of a layer. */
  readonly name: (key: string) => string
  /** What is counted, such as `tokens`. */
  readonly unit: string
}

/** The part of a day's width that its bar takes. */
const BAR_WIDTH = 0.72

/** So many days make bars so narrow that a seam between them would hide them. */
const DENSE_FROM = 45

/** The class that gives a layer its colour: the gathered ones are grey, whichever place they have. */
const colour = ({ key }: Layer, index: number) => (key === OTHERS ? "layer-others" : `layer-${index + 1}`)

/**
 * Bars by day, stacked by layer, with a legend that tells the numbers of the day that is pointed at, or of the whole time.
 * A range input lies over the plot: arrow keys, fingers and screen readers go through the days by it. The numbers are in a
 * table behind.
 */
export const BarsByDay = ({ name, stacks, title, unit }: BarsByDayProps) => {
  const [chosen, choose] = useState<number>()
  const id = useId()
  const { days, layers, total, totals } = stacks
  const axis = ticks(Math.max(0, ...totals))
  const top = axis.at(-1) ?? 1
  const day = chosen === undefined ? undefined : days[chosen]
  const nameOf = ({ key }: Layer) => (key === OTHERS ? "Others" : name(key))
  const valueOf = ({ total: sum, values }: Layer) => (chosen === undefined ? sum : (values[chosen] ?? 0))
  const shown = chosen === undefined ? total : (totals[chosen] ?? 0)
  const told = (index: number) => {
    const parts = layers.filter(({ values }) => values[index] !== 0)
    const what = parts.map((layer) => `${nameOf(layer)} ${formatCount(layer.values[index] ?? 0)}`)
    return `${formatDay(days[index] ?? "")}: ${formatCount(totals[index] ?? 0)} ${unit}${what.length > 1 ? `; ${what.join(", ")}` : ""}`
  }
  /** The day below a pointer. */
  const pointAt = (event: PointerEvent & { readonly currentTarget: HTMLElement }) => {
    const { left, width } = event.currentTarget.getBoundingClientRect()
    const index = Math.floor(((event.clientX - left) / width) * days.length)
    choose(Math.max(0, Math.min(days.length - 1, index)))
  }
  return (
    <figure class={days.length > DENSE_FROM ? "chart dense" : "chart"} aria-labelledby={`${id}-title`}>
      <figcaption class="chart-head">
        <span id={`${id}-title`} class="visually-hidden">
          {title}
        </span>
        <span class="chart-total">
          <strong>{formatCount(shown)}</strong> {unit}
        </span>
        <span class="chart-when">
          {day === undefined
            ? `${formatDay(days[0] ?? "")} – ${formatDay(days.at(-1) ?? "")}`
            : `${formatWeekday(day)}, ${formatDay(day)}`}
        </span>
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
              <line key={value} class="chart-line" x1="0" x2={days.length} y1={top - value} y2={top - value} />
            ))}
            {chosen !== undefined && <rect class="chart-chosen" x={chosen} y="0" width="1" height={top} />}
            {days.map((each, index) => {
              let base = top
              return (
                <g key={each}>
                  {layers.map((layer, place) => {
                    const height = layer.values[index] ?? 0
                    base -= height
                    return (
                      height > 0 && (
                        <rect
                          key={layer.key}
                          class={`chart-bar ${colour(layer, place)}`}
                          x={index + (1 - BAR_WIDTH) / 2}
                          y={base}
                          width={BAR_WIDTH}
                          height={height}
                        />
                      )
                    )
                  })}
                </g>
              )
            })}
          </svg>
          {days.length > 0 && (
            <input
              class="chart-range"
              type="range"
              min="0"
              max={days.length - 1}
              step="1"
              value={chosen ?? days.length - 1}
              aria-label={`${title}: go through the days`}
              aria-valuetext={told(chosen ?? days.length - 1)}
              onInput={({ currentTarget }) => choose(Number(currentTarget.value))}
              onFocus={({ currentTarget }) => {
                if (currentTarget.matches(":focus-visible")) choose(chosen ?? days.length - 1)
              }}
              onBlur={() => choose(undefined)}
              onPointerMove={pointAt}
              onPointerLeave={() => choose(undefined)}
            />
          )}
        </div>
        <div class="chart-days" aria-hidden="true">
          {labelledDays(days.length, 6).map((index) => (
            <span key={index} style={{ "--place": String((index + 0.5) / days.length) }}>
              {formatShortDay(days[index] ?? "")}
            </span>
          ))}
        </div>
      </div>
      {layers.length > 1 && (
        <ul class="chart-legend">
          {layers.map((layer, index) => (
            <li key={layer.key}>
              <span class={`chart-swatch ${colour(layer, index)}`} />
              <span class="chart-name">{nameOf(layer)}</span>
              <span class="chart-number">{formatCount(valueOf(layer))}</span>
            </li>
          ))}
        </ul>
      )}
      <details class="chart-table">
        <summary>Show as a table</summary>
        <Scroller class="chart-scroll" label={`${title}, as a table`}>
          <table>
            <thead>
              <tr>
                <th scope="col">Day (UTC)</th>
                {layers.length > 1 &&
                  layers.map((layer) => (
                    <th key={layer.key} scope="col" class="number">
                      {nameOf(layer)}
                    </th>
                  ))}
                <th scope="col" class="number">
                  {layers.length > 1 ? "Total" : unit}
                </th>
              </tr>
            </thead>
            <tbody>
              {days.map((each, index) => (
                <tr key={each}>
                  <th scope="row">{formatDay(each)}</th>
                  {layers.length > 1 &&
                    layers.map((layer) => (
                      <td key={layer.key} class="number">
                        {formatCount(layer.values[index] ?? 0)}
                      </td>
                    ))}
                  <td class="number">{formatCount(totals[index] ?? 0)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroller>
      </details>
    </figure>
  )
}
