import type { Evidence } from "./Evidence.ts"
import type { Question } from "./Question.ts"
import type { ItemList } from "./Reading.ts"
import { type Ranked, scoreOf } from "./Sentences.ts"

/*
 * Answers with whole lists: a list stands for the line that announces it, which answers nothing without the items.
 */

/** The most items that are quoted. */
const ITEMS_MAX = 15
/** What a list gains on a sentence where the question asks for several things, or for steps. */
const LIST_GAIN = 3
const STEPS_GAIN = 5
/** What it loses where the question asks for one fact. */
const FACT_LOSS = -4

/** The list that answers a question better than the best sentence does. */
export const bestList = (
  question: Question,
  evidence: Evidence,
  lists: ReadonlyArray<ItemList>,
  best: Ranked,
): ItemList | undefined => {
  let chosen: ItemList | undefined
  let most = best.score
  for (const list of lists) {
    const score = listScore(question, evidence, list)
    if (score > most) {
      chosen = list
      most = score
    }
  }
  return chosen
}

/** Scores a list as if its announcement were a sentence. */
const listScore = (question: Question, evidence: Evidence, list: ItemList): number => {
  const [first] = list.items
  if (first === undefined || list.items.length > ITEMS_MAX) return -Infinity
  const { features } = evidence.judge(
    {
      ...first,
      text: list.announcement,
      keys: list.announcementKeys,
      list: undefined,
      before: undefined,
      form: "sentence",
    },
    undefined,
  )
  return scoreOf({ ...features, kind: 0, short: 0 }) + gainOf(question, list)
}

const gainOf = ({ kind }: Question, { isOrdered }: ItemList): number => {
  if (kind === "how-to") return isOrdered ? STEPS_GAIN : LIST_GAIN
  if (kind === "list") return LIST_GAIN
  return kind === "other" || kind === "definition" ? 0 : FACT_LOSS
}

/** A list as it is quoted: under its announcement, or else its heading, and with the title of its document. */
export const listText = ({ announcement, items, lead }: ItemList): string => {
  const above = announcement === "" ? lead.heading : announcement
  const lines = items.map(({ text }) => `- ${text}`)
  const head = above === "" || /[?？؟]$/.test(above) ? [] : [/[:：]$/.test(above) ? above : `${above}:`]
  return [...head, ...lines, `(${items[0]?.passage.title ?? ""})`].join("\n")
}
