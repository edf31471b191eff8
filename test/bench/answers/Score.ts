import { type Expected, hasNoAnswer, isSmallTalk, type Kind } from "./Case.ts"
import { holds, holdsAny } from "./Matching.ts"
import { type Fault, faultsOf, leansOnOthers } from "./Readable.ts"
import { smallTalkWords } from "./SmallTalk.ts"
import { isIn } from "./Tongue.ts"
import { type Unit, unitsOf } from "./Units.ts"

/** The reply of a chatbot. */
export interface Reply {
  readonly text: string
  /** The titles of the documents that it quotes. A reply without them says that nothing was found, or is small talk. */
  readonly titles: ReadonlyArray<string>
  /** The sentences and rows of these documents that it rests on. */
  readonly quotes: ReadonlyArray<string>
}

/**
 * How a reply is judged. It is `wrong` when it answers something else, `not found` when it gives no answer though the
 * documents do, and `unfounded` when it answers though the documents do not.
 */
export const verdicts = ["right", "wrong", "not found", "unfounded"] as const
export type Verdict = (typeof verdicts)[number]

export interface Score {
  readonly verdict: Verdict
  /** The share of a right answer's characters that are not needed, 0–1. */
  readonly noise: number | undefined
  /**
   * Whether a right answer is seen at once: the sentence that is marked in it holds the answer, or, where none is
   * marked, nothing else stands in it.
   */
  readonly isSeen: boolean | undefined
  /** How an answer cannot be read by itself. Undefined for a reply that quotes nothing. */
  readonly faults: ReadonlyArray<Fault> | undefined
  /** Whether a reply that quotes nothing is in the language of the question, where that can be told. */
  readonly isInLanguage: boolean | undefined
}

/** The share of the items that a list needs to be right. */
const ITEMS_MIN = 0.8
/** The most characters of a reply to small talk. */
const SMALL_TALK_MAX_LENGTH = 300

/** Judges the reply to a question of a kind, in a language. */
export const scoreOf = (question: Question, reply: Reply): Score => {
  const { marked, text } = withoutMark(withoutTitles(reply), reply.quotes)
  const verdict = verdictOf(question, { ...reply, text })
  if (reply.titles.length === 0) {
    return {
      verdict,
      noise: undefined,
      isSeen: undefined,
      faults: undefined,
      isInLanguage: isIn(text, question.language),
    }
  }
  const units = unitsOf(text, question.language, reply.quotes)
  const noise = verdict === "right" ? noiseOf(units, question) : undefined
  return {
    verdict,
    noise,
    isSeen: noise === undefined ? undefined : noise === 0 || (marked !== "" && holdsExpected(question, marked)),
    faults: faultsOf(units, question.language),
    isInLanguage: undefined,
  }
}

type Question = Expected & { readonly kind: Kind; readonly language: string }

const verdictOf = (question: Question, reply: Reply): Verdict => {
  const { absent, kind } = question
  if (isSmallTalk(kind)) return isSmallTalkReply(question, reply) ? "right" : "wrong"
  if (kind === "about") return holdsExpected(question, reply.text) ? "right" : "wrong"
  if (reply.titles.length === 0) return absent ? "right" : "not found"
  if (hasNoAnswer(question)) return "unfounded"
  return holdsExpected(question, reply.text) ? "right" : "wrong"
}

const holdsExpected = ({ all, answers }: Expected, text: string): boolean =>
  (answers.length === 0 || holdsAny(text, answers)) &&
  all.filter((item) => holds(text, item)).length >= ITEMS_MIN * all.length

/** Whether a reply is short, quotes nothing, and holds a word that a reply to this has in the language of the user. */
const isSmallTalkReply = ({ answers, kind, language }: Question, { text, titles }: Reply): boolean =>
  titles.length === 0 &&
  text.length <= SMALL_TALK_MAX_LENGTH &&
  holdsAny(text, answers.length > 0 ? answers : smallTalkWords(kind, language))

/**
 * A reply without the titles of its sources in parentheses, alone or with a section or a page, which are neither noise
 * nor an answer.
 */
const withoutTitles = ({ text, titles }: Reply): string =>
  titles
    .reduce(
      (rest, title) => rest.replaceAll(new RegExp(`[(（]${RegExp.escape(title)}[^()（）\\n]{0,160}[)）]`, "gu"), ""),
      text,
    )
    .trim()

/** A reply without the marks around sentences of what it quotes, and these sentences. Other marks stay. */
const withoutMark = (text: string, quotes: ReadonlyArray<string>) => {
  const marked = Array.from(text.matchAll(/\*\*(.+?)\*\*/g), ([, inner = ""]) => inner).filter((inner) =>
    quotes.some((quote) => ` ${quote} `.includes(` ${inner} `)),
  )
  return {
    marked: marked.join(" "),
    text: marked.reduce((rest, inner) => rest.replace(`**${inner}**`, () => inner), text),
  }
}

/** The share of the characters outside of the units that hold an answer, and of those that introduce such a unit. */
const noiseOf = (
  units: ReadonlyArray<Unit>,
  { all, answers, language }: Expected & { readonly language: string },
): number => {
  const needed = units.map(({ text }) => holdsAny(text, [...answers, ...all]))
  // An answer across units needs all of them.
  if (!needed.includes(true)) return 0
  for (const index of units.keys()) {
    const unit = units[index]
    if (needed[index] === true && unit?.continues === true && leansOnOthers(unit, language)) needed[index - 1] = true
  }
  for (const [index, unit] of units.entries()) {
    if (unit.form !== "lead") continue
    const next = units.findIndex(({ form }, place) => place > index && form === "lead")
    needed[index] = needed.slice(index + 1, next < 0 ? units.length : next).includes(true)
  }
  const length = (chosen: ReadonlyArray<Unit>) => chosen.reduce((sum, { text }) => sum + text.length, 0)
  return length(units.filter((_, index) => needed[index] !== true)) / length(units)
}
