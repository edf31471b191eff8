import type { PassageJson } from "../../domain/knowledge/Passage.ts"
import { bounded, type BoundedText } from "../../text/BoundedText.ts"
import type { Answer } from "./Conversation.ts"
import { Evidence, isFact, type Judged, languageOf } from "./Evidence.ts"
import { type Grid, gridsOf } from "./Grids.ts"
import { type Question, readQuestion, says } from "./Question.ts"
import { paragraphsOf } from "./Readable.ts"
import { type ItemList, type Reading, read, type Sentence } from "./Reading.ts"
import { answerFromTables } from "./Rows.ts"
import { keysOf, Terms } from "./Terms.ts"
import { enumerates } from "./Values.ts"

/*
 * Answers a question with sentences, a list or rows of passages, or not at all:
 *
 * 1. `Question` reads what is asked about, and what is wanted: a number, a time, a name, several things, a way.
 * 2. `Reading` and `Grids` take the passages apart into sentences, lists and rows, each with what stands above it.
 * 3. `Evidence` and `Rows` judge these by the rarity of the words that they share with the question, and by shape.
 *    What denies something that is not asked for, or the other way round, is passed over.
 * 4. `Readable` words what remains, so that it can be understood without what stands around it.
 */

/** Passages, taken apart into what answers are made of. */
export interface Material {
  readonly reading: Reading
  readonly tables: ReadonlyArray<Grid>
}

/**
 * Takes passages apart, once for all questions that they may answer.
 *
 * @param others passages that may hold further rows of tables
 */
export const materialOf = (
  passages: ReadonlyArray<PassageJson>,
  others: ReadonlyArray<PassageJson> = [],
): Material => ({ reading: read(passages), tables: gridsOf(passages, others) })

/** Lead in the share of the question that a table needs over a likely sentence, where both could answer. */
const TABLE_LEAD = 0.1
/** The same where the answer is a way, which cells rarely hold. */
const WAY_LEAD = 0.5

/** Answers a question with what passages say. Undefined when they probably do not answer it. */
export const answerTo = (text: BoundedText, { reading, tables }: Material): Answer | undefined => {
  const question = readQuestion(text)
  const terms = new Terms(question, keysIn(reading, tables))
  if (terms.all.length === 0) return undefined
  const told = answerFromText(new Evidence(question, terms, reading), reading)
  const cells = answerFromTables(question, terms, tables)
  const lead = question.wanted === "way" ? WAY_LEAD : TABLE_LEAD
  const areCells = cells !== undefined && (told === undefined || cells.evidence >= told.share + lead)
  const answer = areCells
    ? { text: `${cells.text} (${cells.quotes[0]?.passage.title ?? ""})`, quotes: cells.quotes }
    : told?.answer
  return answer === undefined || isOpposed(question, answer, areCells) ? undefined : answer
}

/** The words of what passages hold, among which a mistyped word of a question is looked for. */
export const keysIn = ({ sentences }: Reading, tables: ReadonlyArray<Grid>): ReadonlySet<string> => {
  const cells = tables.flatMap(({ header, rows }) =>
    [...header, ...rows.flatMap((row) => row.cells)].slice(0, CELLS_MAX),
  )
  return new Set([
    ...sentences.flatMap(({ keys, lead }) => [...keys, ...lead.keys]),
    ...cells.flatMap((cell) => keysOf(bounded(cell))),
  ])
}

/** The most cells of a table in which mistyped words are looked for. */
const CELLS_MAX = 5_000

/** An answer with the share of the question's information in the sentence that it rests on. */
interface Told {
  readonly answer: Answer
  readonly share: number
}

/** The share of a question's information that two sentences hold together which answer it, each for one of two things. */
const WHOLE_SHARE_MIN = 0.8

/** Answers with the best sentence, with what belongs together with it, or with a list. */
const answerFromText = (evidence: Evidence, { sentences }: Reading): Told | undefined => {
  const [first] = evidence.ranked
  if (first === undefined) return undefined
  const best = listAround(evidence, first)
  const other = complement(evidence, first)
  const isWhole = other !== undefined && evidence.shareOf(union(first, other)) >= WHOLE_SHARE_MIN
  if (!isWhole && !evidence.isLikely(first) && !evidence.isLikely(best)) return undefined
  const quoted = together(evidence, first, sentences, other ?? rivalOf(evidence, first))
  return {
    answer: best.list === undefined ? paragraphsOf(quoted) : listAnswer(best.list),
    share: evidence.shareOf(first.covered),
  }
}

/** The list of an item that says nothing alone: a single step, or one of several without a word of the question. */
const listAround = ({ question, ranked }: Evidence, first: Judged): Judged => {
  const { features, sentence } = first
  const isPart = question.wanted === "way" || (features.own === 0 && !isFact(question.wanted))
  return (isPart && sentence.list && ranked.find(({ list }) => list === sentence.list)) || first
}

/** The most sentences that are quoted from below a heading, and of a paragraph that tells of a way. */
const SENTENCES_MAX = 3
const PARAGRAPH_MAX = 5
/** A shorter paragraph is quoted with what else stands under its heading. */
const STEPS_MIN = 3

/** The sentences that are quoted: the steps of a way, those under a heading that asks the question, or the best ones. */
const together = (
  evidence: Evidence,
  { sentence }: Judged,
  sentences: ReadonlyArray<Sentence>,
  second: Judged | undefined,
): ReadonlyArray<Sentence> => {
  const { form, lead, paragraph } = sentence
  const { wanted } = evidence.question
  if (wanted === "way" && form === "sentence") {
    const steps = sentences.filter((each) => each.paragraph === paragraph)
    if (steps.length > PARAGRAPH_MAX) return steps.slice(steps.indexOf(sentence)).slice(0, SENTENCES_MAX)
    if (steps.length >= STEPS_MIN || lead.heading === "") return steps
  }
  if (wanted === "way" || evidence.asks(lead))
    return sentences.filter((each) => each.lead === lead).slice(0, SENTENCES_MAX)
  if (second === undefined || (wanted === "several" && enumerates(sentence.text))) return [sentence]
  return [sentence, second.sentence].toSorted((a, b) => a.place - b.place)
}

/** The least share of the question's information that a second sentence adds. */
const ADDED_SHARE_MIN = 0.2

/** The sentence that tells most of what the best one does not, where a question asks about several things. */
const complement = (evidence: Evidence, best: Judged): Judged | undefined => {
  if (!evidence.question.joins) return undefined
  const gain = (other: Judged) => evidence.shareOf(union(other, best)) - evidence.shareOf(best.covered)
  let [found, most]: [Judged | undefined, number] = [undefined, ADDED_SHARE_MIN]
  for (const other of evidence.ranked) {
    if (other.list === undefined && gain(other) > most + 0.01) [found, most] = [other, gain(other)]
  }
  return found
}

/** A second sentence is quoted where its score is at most so much lower: it may as well be the answer. */
const CLOSE = 1.6

/** The sentence of the same document that is about as good as the best one. */
const rivalOf = ({ ranked }: Evidence, { score, sentence }: Judged): Judged | undefined =>
  ranked.find(
    (other) =>
      other.list === undefined &&
      other.sentence !== sentence &&
      other.score >= score - CLOSE &&
      other.sentence.passage.document_id === sentence.passage.document_id,
  )

const union = (one: Judged, other: Judged): ReadonlyMap<number, number> => new Map([...one.covered, ...other.covered])

/** Whether an answer lacks the denial of a question for one of several things, or what it compares values with. */
const isOpposed = (question: Question, { quotes, text }: Answer, areCells: boolean): boolean => {
  const { compares, denies, extreme, isDecision, joins, wanted } = question
  const [passage] = quotes.map((quote) => quote.passage)
  const language = passage === undefined ? question.language : languageOf(passage)
  const whole = bounded([text, ...quotes.map((quote) => quote.text)].join(" "))
  const isComputed = compares && (areCells ? extreme === undefined : /\d/.test(question.text)) && !isDecision && !joins
  if (isComputed && !says("compare", whole, language)) return true
  return denies && (wanted === "several" || wanted === "name") && !says("not", whole, language)
}

/** Quotes a list under its announcement, or else its heading, and with the title of its document. */
const listAnswer = ({ announcement, items, lead }: ItemList): Answer => {
  const above = announcement === "" ? lead.heading : announcement
  const head = above === "" || /[?？؟]$/.test(above) ? [] : [/[:：]$/.test(above) ? above : `${above}:`]
  return {
    text: [
      ...head,
      ...items.map(({ number, text }) => `${number || "-"} ${text}`),
      `(${items[0]?.passage.title ?? ""})`,
    ].join("\n"),
    quotes: items.map(({ passage, text }) => ({ passage, text })),
  }
}
