import type { ComponentChildren } from "preact"
import { changeWords } from "./Quality.ts"

interface TileProps {
  readonly label: string
  readonly value: string
  readonly now: number
  readonly before: number
  /** Whether more of it is worse. */
  readonly isBad?: boolean
  readonly isKnown?: boolean
  readonly children?: ComponentChildren
}

/** A number with how much it differs from that of the time before. */
export const Tile = ({ before, children, isBad, isKnown = true, label, now, value }: TileProps) => {
  const kind = isBad === undefined || before === 0 || now === before ? "soft" : now > before === isBad ? "bad" : "good"
  return (
    <div class="tile box stack tight">
      <dt class="soft small">{label}</dt>
      <dd class="row spread">
        <strong>{value}</strong>
        {isKnown && (
          <span class={`small tile-change ${kind}`}>
            {before > 0 && now !== before && <span aria-hidden="true">{now > before ? "↑" : "↓"} </span>}
            {changeWords(now, before)}
          </span>
        )}
        {children}
      </dd>
    </div>
  )
}
