import type { PassageJson } from "../../domain/knowledge/Passage.ts"
import { bounded, type BoundedText } from "../../text/BoundedText.ts"
import type { Answer, Candidate } from "./Conversation.ts"
import { Evidence, type Judged, languageOf } from "./Evidence.ts"
import { type Grid, gridsOf } from "./Grids.ts"
import { type Question, readQuestion, says } from "./Question.ts"
import { paragraphsOf } from "./Readable.ts"
import { type ItemList, type Reading, read, type Sentence } from "./Reading.ts"
import { answerFromTables } from "./Rows.ts"
import { Terms } from "./Terms.ts"
import { holdsWanted } from "./Values.ts"

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

/** Takes passages apart, once for all questions that they may answer. */
export const materialOf = (passages: ReadonlyArray<PassageJson>): Material => ({
  reading: read(passages),
  tables: gridsOf(passages),
})

/** Lead in the share of the question that a table needs over a likely sentence, where both could answer. */
const TABLE_LEAD = 0.1

/** Answers a question with what passages say. Undefined when they probably do not answer it. */
export const answerTo = (text: BoundedText, { reading, tables }: Material): Answer | undefined => {
  const question = readQuestion(text)
  const terms = new Terms(question, keysIn(reading, tables))
  if (terms.all.length === 0) return undefined
  const told = answerFromText(new Evidence(question, terms, reading), reading)
  const cells = answerFromTables(question, terms, tables)
  const areCells = cells !== undefined && cells.evidence >= (told === undefined ? 0 : told.evidence + TABLE_LEAD)
  const answer = areCells ? { ...cells, text: `${cells.text} (${cells.quotes[0]?.passage.title ?? ""})` } : told
  return answer === undefined || isOpposed(question, answer) ? undefined : answer
}

/** The words of what passages hold, among which a mistyped word of a question is looked for. */
export const keysIn = ({ sentences }: Reading, tables: ReadonlyArray<Grid>): ReadonlySet<string> =>
  new Set([
    ...sentences.flatMap(({ keys, lead }) => [...keys, ...lead.keys]),
    ...tables.flatMap(({ headerKeys, rows }) => [headerKeys, ...rows.map(({ keys }) => keys)].flat(2)),
  ])

/** Answers with the best sentence, with what belongs together with it, or with a list. */
const answerFromText = (evidence: Evidence, { sentences }: Reading): Candidate | undefined => {
  const [best] = evidence.ranked
  if (best === undefined || !evidence.isLikely(best)) return undefined
  const answer = best.list === undefined ? paragraphsOf(together(evidence, best, sentences)) : listAnswer(best.list)
  return { ...answer, evidence: evidence.shareOf(best.covered) }
}

/** The most sentences that are quoted from below a heading, and of a paragraph. */
const SENTENCES_MAX = 3
/** A second sentence is quoted where its score is at most so much lower: it may as well be the answer. */
const CLOSE = 1.6

/**
 * The sentences that are quoted: those under a heading that asks the question, the paragraph that tells of a way, or the
 * best sentence and another one of its document that is about as good.
 */
const together = (
  evidence: Evidence,
  { score, sentence }: Judged,
  sentences: ReadonlyArray<Sentence>,
): ReadonlyArray<Sentence> => {
  const { lead, paragraph, passage, text } = sentence
  const { question, ranked } = evidence
  if (evidence.asks(lead)) return sentences.filter((each) => each.lead === lead).slice(0, SENTENCES_MAX)
  if (question.wanted === "way") {
    const steps = sentences.filter((each) => each.paragraph === paragraph)
    const start = Math.max(0, Math.min(steps.indexOf(sentence), steps.length - SENTENCES_MAX))
    return steps.slice(start, start + SENTENCES_MAX)
  }
  if (question.wanted === "several" && holdsWanted("several", text) > 0) return [sentence]
  const second = ranked.find(
    (other) =>
      other.list === undefined &&
      other.sentence !== sentence &&
      other.score >= score - CLOSE &&
      other.sentence.passage.document_id === passage.document_id,
  )
  return sentences.filter((each) => each === sentence || each === second?.sentence)
}

/** Whether an answer lacks the denial of a question for one of several things, or what it compares values with. */
const isOpposed = (question: Question, { quotes, text }: Answer): boolean => {
  const { compares, denies, isDecision, joins, wanted } = question
  const [passage] = quotes.map((quote) => quote.passage)
  const language = passage === undefined ? question.language : languageOf(passage)
  const whole = bounded([text, ...quotes.map((quote) => quote.text)].join(" "))
  if (compares && !isDecision && !joins && !says("compare", whole, language)) return true
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
