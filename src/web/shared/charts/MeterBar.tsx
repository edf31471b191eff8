import { formatCount } from "../Format.ts"
import { meter } from "./Meters.ts"

/** What a bar of a limit is made of. */
export interface MeterBarProps {
  /** What is limited, such as `Tokens today`. */
  readonly label: string
  readonly used: number
  /** Null for no limit. */
  readonly limit: number | null
  /** How a number of these things is written; a plain number by default. */
  readonly format?: (value: number) => string
  /** What is said where there is no limit. */
  readonly unlimited?: string
  /** What stands below, such as when the count begins anew. */
  readonly note?: string
}

const sayings = { calm: "", scarce: "Almost used up", full: "Used up" }

/** How much of a limit is taken, and what is left. Scarcity is said in words too, not by colour alone. */
export const MeterBar = ({ format = formatCount, label, limit, note, unlimited = "No limit", used }: MeterBarProps) => {
  const state = meter(used, limit)
  return (
    <div class={`meter meter-${state.fill}`}>
      <div class="meter-head">
        <span class="meter-label">{label}</span>
        <span class="meter-numbers">
          <strong>{format(used)}</strong>
          {limit !== null && ` of ${format(limit)}`}
        </span>
      </div>
      {limit !== null && (
        // The numbers stand beside it in words.
        <div class="meter-track" aria-hidden="true">
          {state.share > 0 && <div class="meter-fill" style={{ "--share": String(state.share) }} />}
        </div>
      )}
      <div class="meter-note">
        <span>{state.left === null ? unlimited : `${format(state.left)} left`}</span>
        {sayings[state.fill] !== "" && <span class="meter-saying">{sayings[state.fill]}</span>}
        {note !== undefined && <span>{note}</span>}
      </div>
    </div>
  )
}
