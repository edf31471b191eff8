import type { ComponentChildren } from "preact"
import { formatCount, formatShare, plural } from "../../../shared/Format.ts"
import { changeWords, type Counts, qualityOf } from "./Quality.ts"

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

/** How well the questions of a time were answered, beside the time before. */
export const QualityTiles = ({ before, now }: { readonly now: Counts; readonly before: Counts }) => {
  const [quality, known] = [qualityOf([now]), qualityOf([before])]
  const compared = (field: keyof typeof quality) => ({ now: quality[field], before: known[field] })
  return (
    <>
      <Tile label="Questions" {...compared("questions")} format={formatCount} />
      <Tile label="Resolved" {...compared("resolvedShare")} format={formatShare} isBad={false}>
        <span class="soft small" title="Every question got an answer, and none was rated down">
          of {plural(now.conversations, "conversation")}
        </span>
      </Tile>
      <Tile label="Unanswered" {...compared("unansweredShare")} format={formatShare} isBad>
        {quality.questions > 0 && <span class="soft small">of {plural(quality.questions, "question")}</span>}
      </Tile>
      <Tile label="Thumbs up" {...compared("upShare")} format={formatShare} isBad={false}>
        {quality.rated > 0 && <span class="soft small">of {plural(quality.rated, "rating")}</span>}
      </Tile>
    </>
  )
}
