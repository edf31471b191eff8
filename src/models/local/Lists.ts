import { instructs } from "./AnswerForms.ts"
import type { Evidence } from "./Evidence.ts"
import type { Question } from "./Question.ts"
import type { ItemList, Sentence } from "./Reading.ts"
import { type Ranked, scoreOf } from "./Sentences.ts"

/*
 * Answers with whole lists: a list stands for the line that announces it, which answers nothing without the items.
 */

/** The most items that are quoted. */
const ITEMS_MAX = 15
/** What a list gains on a sentence where the question asks for several things, or for steps. */
const LIST_GAIN = 3
const STEPS_GAIN = 5
/** The share of the question's information from which on a list gains all of this. */
const FITTING_SHARE = 0.3
/** What it loses where the question asks for one fact. */
const FACT_LOSS = -4

/** A list, judged as if its announcement were a sentence. */
export interface RankedList extends Ranked {
  readonly list: ItemList
}

/** The list that answers a question better than the best sentence does. */
export const bestList = (
  question: Question,
  evidence: Evidence,
  lists: ReadonlyArray<ItemList>,
  best: Ranked | undefined,
): RankedList | undefined => {
  let chosen: RankedList | undefined
  // One step is no way, and an item that holds nothing of the question itself answers it no better than the others.
  const isStep = question.kind === "how-to" && best?.sentence.list?.form === "steps"
  const isAny = isStep || (best?.sentence.list !== undefined && best.features.own === 0 && !asksFact(question))
  let most = best === undefined || isAny ? -Infinity : best.score
  for (const list of isAny ? lists.filter((list) => list === best.sentence.list) : lists) {
    const judged = judge(question, evidence, list)
    if (judged !== undefined && judged.score > most) {
      chosen = judged
      most = judged.score
    }
  }
  return chosen
}

const judge = (question: Question, evidence: Evidence, list: ItemList): RankedList | undefined => {
  const [first] = list.items
  if (first === undefined || list.items.length > ITEMS_MAX) return undefined
  const sentence: Sentence = {
    ...first,
    text: list.announcement,
    keys: list.announcementKeys,
    list: undefined,
    before: undefined,
    form: "sentence",
  }
  const judged = evidence.judge(sentence, undefined)
  const share = evidence.shareOf(judged.covered)
  const gain = gainOf(question, list) * Math.min(1, share / FITTING_SHARE)
  const features = { ...judged.features, kind: gain > 0 ? 1 : 0, short: 0 }
  return { ...judged, list, features, score: scoreOf({ ...features, kind: 0 }) + gain, probability: 1 }
}

const asksFact = ({ kind }: Question): boolean => !["how-to", "list", "other", "definition"].includes(kind)

const gainOf = (question: Question, { form, items }: ItemList): number => {
  const { kind, language } = question
  if (kind === "how-to") {
    const steps = items.filter(({ text }) => instructs(text)).length
    return form === "steps" ? STEPS_GAIN : form === "items" && 2 * steps > items.length ? LIST_GAIN : 0
  }
  if (kind === "list") return LIST_GAIN
  if (form === "topics") return FACT_LOSS
  // Words without a question ask for all that stands under them.
  if (kind === "other" && language === undefined) return LIST_GAIN
  return asksFact(question) ? FACT_LOSS : 0
}

/** A list as it is quoted: under its announcement, or else its heading, and with the title of its document. */
export const listText = ({ announcement, items, lead }: ItemList): string => {
  const above = announcement === "" ? lead.heading : announcement
  const lines = items.map(({ text }) => `- ${text}`)
  const head = above === "" || /[?？؟]$/.test(above) ? [] : [/[:：]$/.test(above) ? above : `${above}:`]
  return [...head, ...lines, `(${items[0]?.passage.title ?? ""})`].join("\n")
}
