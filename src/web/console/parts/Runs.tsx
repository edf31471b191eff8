import { formatCount, formatMillis, plural } from "../../shared/Format.ts"
import { type State, StateBadge } from "./Layout.tsx"

/*
 * Runs of something in the background: of sources, and of tests.
 */

interface Run {
  readonly status: string
  readonly started_at: string | null
  readonly ended_at: string | null
}

export const isGoingOn = (run: Pick<Run, "status"> | null | undefined): boolean =>
  run?.status === "queued" || run?.status === "running"

/** Time that a run took, or has taken so far. */
export const durationOf = ({ ended_at: end, started_at: start }: Run): string =>
  start === null ? "–" : formatMillis((end === null ? Date.now() : Date.parse(end)) - Date.parse(start))

interface ProgressProps {
  readonly run: Run
  readonly state: State
  readonly done: number
  readonly total: number
  /** What is counted, such as `test`. */
  readonly noun: string
  readonly label: string
  /** What the run has found in the end. */
  readonly found: string
}

export const RunProgress = ({ done, found, label, noun, run, state, total }: ProgressProps) => (
  <span class="row">
    <StateBadge of={state} />
    {isGoingOn(run) ? (
      <>
        <progress max={Math.max(total, 1)} value={total === 0 ? undefined : done} aria-label={label} />
        <span class="soft small number">{`${formatCount(done)} of ${plural(total, noun)}`}</span>
      </>
    ) : (
      <span class="small anywhere">{found}</span>
    )}
  </span>
)
