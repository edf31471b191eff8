import type { ComponentChildren } from "preact"
import { changeWords } from "./Quality.ts"

interface TileProps {
  readonly label: string
  readonly format: (value: number) => string
  /** Undefined where nobody knows, as the share of nothing. */
  readonly now: number | undefined
  readonly before: number | undefined
  /** Whether more of it is worse. */
  readonly isBad?: boolean
  readonly children?: ComponentChildren
}

/** A number with how much it differs from that of the time before. */
export const Tile = ({ before = 0, children, format, isBad, label, now }: TileProps) => {
  const isCompared = now !== undefined && before > 0
  const kind = isBad === undefined || now === before ? "soft" : (now ?? 0) > before === isBad ? "bad" : "good"
  return (
    <div class="tile box stack tight">
      <dt class="soft small">{label}</dt>
      <dd class="row spread">
        <strong>{now === undefined ? "–" : format(now)}</strong>
        {isCompared && (
          <span class={`small tile-change ${kind}`}>
            {now !== before && <span aria-hidden="true">{now > before ? "↑" : "↓"} </span>}
            {changeWords(now, before)}
          </span>
        )}
        {children}
      </dd>
    </div>
  )
}
