import { formatCount, formatShare, plural } from "../../../shared/Format.ts"
import type { ChatbotTotals } from "../../data/Chatbots.ts"
import { href } from "../../Router.ts"
import { type Counts, qualityOf } from "../usage/Quality.ts"

/** Something that somebody has to look after, with the screen where that is done. */
export interface Task {
  readonly kind: "warn" | "bad"
  /** The chatbot that it is about; undefined for something of all. */
  readonly chatbotId: string | undefined
  readonly text: string
  readonly action: string
  readonly address: string
}

/** What is known of the chatbots that are looked at: what they have, and numbers of the days from one to another. */
interface Known {
  readonly waiting: number
  readonly totals: ReadonlyArray<ChatbotTotals>
  readonly rows: ReadonlyArray<Counts & { readonly chatbot_id?: string }>
  readonly from: string
  readonly to: string
}

/** The share of questions without an answer from which on a chatbot is named. */
const UNANSWERED_FROM = 0.05
const shareOf = (row: Counts): number => qualityOf([row]).unansweredShare ?? 0
/** The most chatbots that are named for one reason, the worst first. */
const NAMED_MAX = 3

/** Names the chatbots with the most of something, and how many others have some. */
const worst = <A extends { readonly chatbot_id?: string }>(
  all: ReadonlyArray<A>,
  count: (one: A) => number,
  task: (one: A, count: number, chatbotId: string) => Omit<Task, "chatbotId">,
): ReadonlyArray<Task> => {
  const found = all.filter((one) => count(one) > 0).toSorted((a, b) => count(b) - count(a))
  return found.slice(0, NAMED_MAX).map((one, index) => {
    const chatbotId = one.chatbot_id ?? ""
    const { text, ...rest } = task(one, count(one), chatbotId)
    const others = found.length - NAMED_MAX
    const isLast = index === NAMED_MAX - 1 && others > 0
    const more = isLast
      ? ` ${formatCount(others)} more ${others === 1 ? "chatbot has" : "chatbots have"} the same.`
      : ""
    return { ...rest, chatbotId, text: text + more }
  })
}

/** What is to be done, the most pressing first. */
export const tasksOf = ({ from, rows, to, totals, waiting }: Known): ReadonlyArray<Task> => {
  const conversationsOf = (chatbot: string, filter: Readonly<Record<string, string>>): string =>
    href("conversations", {}, { ...filter, from, to, chatbot })
  const visitors: Task = {
    kind: "bad",
    chatbotId: undefined,
    text: `${plural(waiting, "visitor")} ${waiting === 1 ? "waits" : "wait"} for a person.`,
    action: "Open the inbox",
    address: href("inbox", {}),
  }
  return [
    ...(waiting > 0 ? [visitors] : []),
    ...worst(
      totals,
      ({ tests }) => tests.failed,
      ({ tests }, count, chatbotId) => ({
        kind: "bad",
        text: `${formatCount(count)} of ${plural(count + tests.passed, "test")} fail.`,
        action: "View the run",
        address: href("testRun", { chatbotId, runId: tests.run_id ?? "" }),
      }),
    ),
    ...worst(
      totals,
      ({ documents }) => documents?.failed ?? 0,
      (_, count, chatbotId) => ({
        kind: "bad",
        text: `${plural(count, "document")} could not be read.`,
        action: "View documents",
        address: href("knowledge", { chatbotId }),
      }),
    ),
    ...worst(
      totals,
      ({ sources }) => sources?.failed ?? 0,
      (_, count, chatbotId) => ({
        kind: "bad",
        text: `${plural(count, "source")} could not be updated.`,
        action: "View sources",
        address: href("knowledge", { chatbotId }, { view: "sources" }),
      }),
    ),
    ...worst(
      rows.filter((row) => shareOf(row) >= UNANSWERED_FROM),
      ({ unanswered }) => unanswered,
      (row, count, chatbotId) => ({
        kind: "warn",
        text: `${plural(count, "unanswered question")} (${formatShare(shareOf(row))}).`,
        action: "View conversations",
        address: conversationsOf(chatbotId, { show: "unanswered" }),
      }),
    ),
    ...worst(
      rows,
      ({ rated_down }) => rated_down,
      (_, count, chatbotId) => ({
        kind: "warn",
        text: `${plural(count, "reply", "replies")} with a thumbs down.`,
        action: "View conversations",
        address: conversationsOf(chatbotId, { rating: "down" }),
      }),
    ),
  ]
}
