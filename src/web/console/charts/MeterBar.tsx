import { formatCount } from "../../shared/Format.ts"
import { type Limit, limitWords } from "../parts/LimitFields.tsx"

interface MeterBarProps {
  readonly label: string
  readonly used: number
  readonly limit: Limit
  readonly format?: (value: number) => string
  readonly note?: string
}

const SCARCE_FROM = 0.8

/** The share of a limit that is taken, and the rest. Scarcity is said in words too, not by colour alone. */
export const MeterBar = ({ format = formatCount, label, limit, note, used }: MeterBarProps) => {
  const most = typeof limit === "number" ? limit : undefined
  return (
    <div class="meter-bar stack tight">
      <div class="row apart">
        <span>{label}</span>
        <span class="soft number">
          <strong>{format(used)}</strong>
          {most !== undefined && ` of ${format(most)}`}
        </span>
      </div>
      {most !== undefined && (
        // The numbers stand beside it in words.
        <meter
          aria-hidden="true"
          max={most || 1}
          low={most * SCARCE_FROM}
          high={most * 0.999}
          optimum={0}
          value={most === 0 ? 1 : used}
        />
      )}
      <div class="row spread soft small">
        <span>{most === undefined ? limitWords(limit, format) : `${format(Math.max(0, most - used))} left`}</span>
        {most !== undefined && used >= most && <strong>Limit reached</strong>}
        {most !== undefined && used < most && used >= most * SCARCE_FROM && <strong>Limit almost reached</strong>}
        {note !== undefined && <span>{note}</span>}
      </div>
    </div>
  )
}
