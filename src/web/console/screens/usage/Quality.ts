import type { Conversations } from "./Report.ts"

/*
 * Numbers of conversations, and what follows from them.
 */

export type Counts = Pick<
  Conversations["total"],
  "conversations" | "questions" | "unanswered" | "rated_up" | "rated_down" | "resolved"
>

const share = (part: number, whole: number): number | undefined => (whole === 0 ? undefined : Math.min(1, part / whole))

const sumOf = (rows: ReadonlyArray<Counts>, field: keyof Counts): number =>
  rows.reduce((sum, row) => sum + row[field], 0)

/** How well the questions of all rows together were answered. Shares are from 0 to 1; there is none of nothing. */
export const qualityOf = (rows: ReadonlyArray<Counts>) => {
  const questions = sumOf(rows, "questions")
  const rated = sumOf(rows, "rated_up") + sumOf(rows, "rated_down")
  return {
    questions,
    rated,
    resolvedShare: share(sumOf(rows, "resolved"), sumOf(rows, "conversations")),
    unansweredShare: share(sumOf(rows, "unanswered"), questions),
    upShare: share(sumOf(rows, "rated_up"), rated),
  }
}

/** A number beside that of the time before, which is not 0: `+20%`, `−5%` or `No change`. */
export const changeWords = (now: number, before: number): string => {
  const change = Math.round((now / before - 1) * 100)
  return change === 0 ? "No change" : `${change > 0 ? "+" : "−"}${Math.abs(change)}%`
}
