import { formatShare, plural } from "../../../shared/Format.ts"
import type { Conversations } from "./Report.ts"

/*
 * Numbers of conversations, and what follows from them.
 */

export type Counts = Pick<
  Conversations["total"],
  "conversations" | "questions" | "unanswered" | "rated_up" | "rated_down" | "resolved"
>

const share = (part: number, whole: number): number => (whole === 0 ? 0 : Math.min(1, part / whole))

const sumOf = (rows: ReadonlyArray<Counts>, field: keyof Counts): number =>
  rows.reduce((sum, row) => sum + row[field], 0)

/** How well the questions of all rows together were answered. Shares are from 0 to 1, and 0 of nothing. */
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

/** A number beside that of the time before: `+20%`, `−5%`, `No change`, or `New`. */
export const changeWords = (now: number, before: number): string => {
  if (now === before) return "No change"
  if (before === 0) return "New"
  const change = Math.round((now / before - 1) * 100)
  return change === 0 ? "No change" : `${change > 0 ? "+" : "−"}${Math.abs(change)}%`
}

/** Something that an operator can do about the numbers. Its kind is that of the conversations to read. */
export interface Advice {
  readonly kind: "unanswered" | "down" | "tokens"
  readonly chatbotId: string | undefined
  readonly text: string
}

interface Tokens {
  readonly used: number
  readonly questions: number
}

/** The share of questions without an answer from which on a chatbot is named. */
const UNANSWERED_FROM = 0.05
/** The growth of tokens for a question that is worth a look. */
const TOKENS_FROM = 1.5
/** The most chatbots that are named for one reason, the worst first. */
const NAMED_MAX = 3

/** Advice on the numbers of chatbots, the most pressing first. */
export const adviceOf = (
  rows: ReadonlyArray<Counts & { readonly chatbot_id?: string }>,
  now: Tokens,
  before: Tokens,
): ReadonlyArray<Advice> => {
  const unanswered = rows
    .filter((row) => row.unanswered > 0 && qualityOf([row]).unansweredShare >= UNANSWERED_FROM)
    .toSorted((a, b) => b.unanswered - a.unanswered)
    .slice(0, NAMED_MAX)
    .map((row) => ({
      kind: "unanswered" as const,
      chatbotId: row.chatbot_id,
      text: `${plural(row.unanswered, "unanswered question")} (${formatShare(qualityOf([row]).unansweredShare)}).`,
    }))
  const down = rows
    .filter((row) => row.rated_down > 0)
    .toSorted((a, b) => b.rated_down - a.rated_down)
    .slice(0, NAMED_MAX)
    .map((row) => ({
      kind: "down" as const,
      chatbotId: row.chatbot_id,
      text: `${plural(row.rated_down, "reply", "replies")} with a thumbs down.`,
    }))
  const growth =
    now.questions === 0 || before.used === 0
      ? 0
      : now.used / now.questions / (before.used / Math.max(1, before.questions))
  const tokens = {
    kind: "tokens" as const,
    chatbotId: undefined,
    text: `Questions use ${formatShare(growth - 1)} more tokens than before. Common reasons are longer prompts, longer conversations or a different model.`,
  }
  return [...unanswered, ...down, ...(growth >= TOKENS_FROM ? [tokens] : [])]
}
