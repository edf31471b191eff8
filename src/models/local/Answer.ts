import type { BoundedText } from "../../text/BoundedText.ts"
import type { Answer } from "./Conversation.ts"
import { AnswerEvidence, type Judged } from "./AnswerEvidence.ts"
import { readQuestion } from "./Question.ts"
import type { Excerpt, Part } from "./Reading.ts"
import { Terms } from "./Terms.ts"

/*
 * Answers a question with the place that tells most about it, or not at all:
 *
 * 1. `Question` reads what is asked about.
 * 2. `Reading` takes the passages apart into paragraphs, lists and tables, each with what stands above it.
 * 3. `AnswerEvidence` judges their sentences, items and rows by the rarity of the words that they share with the question.
 * 4. The paragraph, the list or the rows around the best one are quoted as they are, with that one marked.
 */

/** An answer that another one may be better than. */
export interface Candidate extends Answer {
  /** Whether it is no more than what comes closest. */
  readonly isThin: boolean
}

/**
 * The least likelihood with which an answer is given. A higher one refuses more of what the documents do not tell, and
 * more of what they do; with this one, about four of five questions without an answer are refused.
 */
const LIKELY = 0.5
/** The least likelihood of an answer that is not thin, and its least lead in the score over what stands elsewhere. */
const SURE = 1
const LEAD = 1
/** The most that a second place is behind in the score where a thin answer quotes it, too. */
const CLOSE = 3
/** A part that is less behind the best one may as well be the answer, so that neither is marked. */
const TIE = 0.3
/** The least number of words of a sentence that is marked. */
const MARKED_MIN = 3
/** The share of the best row's information from which on another row is quoted with it. */
const ROW_SHARE = 0.5
/** The most words that are quoted around the best part, from one place and from each of two. */
const WORDS_MAX = 120
const WORDS_OF_TWO_MAX = 60

/** Answers a question with excerpts of passages. Undefined when they probably do not answer it. */
export const answerTo = (text: BoundedText, excerpts: ReadonlyArray<Excerpt>): Candidate | undefined => {
  const question = readQuestion(text)
  const terms = new Terms(question, keysIn(excerpts))
  const { likelihood, ranked } = new AnswerEvidence(question, terms, excerpts)
  const [best] = ranked
  if (best === undefined || likelihood < LIKELY) return undefined
  const second = ranked.find(({ excerpt }) => excerpt !== best.excerpt)
  const lead = best.score - (second?.score ?? 0)
  const isThin = likelihood < SURE || lead < LEAD
  const places = isThin && second !== undefined && lead < CLOSE ? [best, second] : [best]
  const answers = places.map((place) => quoted(place, ranked, places.length > 1 ? WORDS_OF_TWO_MAX : WORDS_MAX))
  return {
    text: answers.map((answer) => answer.text).join("\n\n"),
    quotes: answers.flatMap(({ quotes }) => quotes),
    isThin,
  }
}

/** The words of what passages hold, among which a mistyped word of a question is looked for. */
const keysIn = (excerpts: ReadonlyArray<Excerpt>): ReadonlySet<string> =>
  new Set(excerpts.flatMap(({ keys, lead, parts }) => [lead.keys, keys, ...parts.map((part) => part.keys)].flat()))

/** Quotes what stands around a part: its paragraph, its list, or the rows that hold about as much as it. */
const quoted = ({ excerpt, part, score }: Judged, ranked: ReadonlyArray<Judged>, wordsMax: number): Answer => {
  const { announcement, form, lead, parts } = excerpt
  const judged = ranked.filter((each) => each.excerpt === excerpt)
  const rows = form === "row" ? judged.filter((each) => each.part >= 0) : []
  const most = Math.max(0, ...rows.map(({ own }) => own))
  const others = new Set(rows.filter(({ own }) => own < most * ROW_SHARE).map((row) => row.part))
  const candidates = parts.filter((_, at) => !others.has(at))
  const best = parts[part]
  const shown = around(
    candidates,
    Math.max(
      0,
      candidates.findIndex((each) => each === best),
    ),
    wordsMax,
  )
  // “Yes.” alone says less than what stands beside it.
  const isTelling = form !== "paragraph" || (best?.keys.length ?? 0) >= MARKED_MIN
  const isMarked = isTelling && shown.length > 1 && judged.filter((each) => each.score > score - TIE).length === 1
  const texts = shown.map((each) => (isMarked && each === best ? `**${each.text}**` : each.text))
  const title = shown[0]?.passage.title ?? ""
  const isHeaded = form !== "paragraph"
  const above = isHeaded ? announcement || lead.heading : ""
  const heading = ["", above, title].includes(lead.heading) ? "" : ` › ${lead.heading}`
  const place = `(${title}${heading})`
  const lines = isHeaded
    ? shown.map(({ sign }, at) => `${sign || "-"} ${texts[at] ?? ""}`)
    : [`${texts.join(" ").replaceAll(/(?<=[。！？](?:\*\*)?) /g, "")} ${place}`]
  const head = above === "" || /[:：?？؟]$/.test(above) ? above : `${above}:`
  return {
    text: [...(head === "" ? [] : [head]), ...lines, ...(isHeaded ? [place] : [])].join("\n"),
    quotes: shown.map(({ passage, text }) => ({ passage, text })),
  }
}

/** As many parts around one as there may be words, and always that one. */
const around = (parts: ReadonlyArray<Part>, index: number, wordsMax: number): ReadonlyArray<Part> => {
  let [start, end, words] = [index, index + 1, parts[index]?.keys.length ?? 0]
  const takes = (at: number): boolean => {
    const more = parts[at]?.keys.length ?? Infinity
    if (words + more > wordsMax) return false
    words += more
    return true
  }
  for (let isGrowing = true; isGrowing;) {
    isGrowing = takes(end)
    if (isGrowing) end++
    if (!takes(start - 1)) continue
    start--
    isGrowing = true
  }
  return parts.slice(start, end)
}
