import type { PassageJson } from "../../domain/knowledge/Passage.ts"
import { bounded, type BoundedText } from "../../text/BoundedText.ts"
import type { Answer } from "./Conversation.ts"
import { Evidence, type Judged, languageOf, scoreOf } from "./Evidence.ts"
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

/**
 * The least likelihood with which an answer is given. A higher one refuses more of what the documents do not tell, and
 * more of what they do; with this one, about four of five questions without an answer are refused.
 */
const LIKELY = -0.75

/** The share of a question's information that two sentences hold together which answer it, each for one of two things. */
const WHOLE_SHARE_MIN = 0.8
/** Lead in the share of the question that a table needs over a likely sentence, where both could answer. */
const TABLE_LEAD = 0.1
/** The same where the answer is a way, which cells rarely hold. */
const WAY_LEAD = 0.5

/** Answers a question with what passages say. Undefined when they probably do not answer it. */
export const answerTo = (text: BoundedText, { reading, tables }: Material): Answer | undefined => {
  const question = readQuestion(text)
  const terms = new Terms(question, keysIn(reading, tables))
  if (terms.all.length === 0) return undefined
  const evidence = new Evidence(question, terms, reading)
  const [best] = evidence.ranked
  const second = question.joins && best !== undefined ? complement(evidence, best) : undefined
  const covered = new Map([...(second?.covered ?? []), ...(best?.covered ?? [])])
  const list = bestList(evidence, reading.lists, best)
  const isLikely = (one: Judged) => one.covered.size > 0 && !evidence.isOther(one) && evidence.likelihood(one) >= LIKELY
  const isWhole = second !== undefined && evidence.shareOf(covered) >= WHOLE_SHARE_MIN
  const isAnswered = best !== undefined && (isWhole || isLikely(best) || (list !== undefined && isLikely(list)))
  const cells = answerFromTables(question, terms, tables)
  const share = isAnswered ? evidence.shareOf(best.covered) + (question.wanted === "way" ? WAY_LEAD : TABLE_LEAD) : 0
  const areCells = cells !== undefined && cells.evidence >= share
  if (!areCells && !isAnswered) return undefined
  const answer = areCells
    ? { text: `${cells.text} (${cells.quotes[0]?.passage.title ?? ""})`, quotes: cells.quotes }
    : list === undefined
      ? paragraphsOf(chosen(question, evidence, reading, second))
      : listAnswer(list.list)
  return isOpposed(question, answer, areCells) ? undefined : answer
}

/** The words of what passages hold, among which a mistyped word of a question is looked for. */
export const keysIn = ({ sentences }: Reading, tables: ReadonlyArray<Grid>): ReadonlySet<string> => {
  const words = new Set<string>()
  const add = (keys: ReadonlyArray<string>) => {
    for (const key of keys) words.add(key)
  }
  for (const { keys } of sentences) add(keys)
  for (const lead of new Set(sentences.map(({ lead }) => lead))) add(lead.keys)
  for (const { header, rows } of tables) {
    for (const cell of [...header, ...rows.flatMap(({ cells }) => cells)].slice(0, CELLS_MAX))
      add(keysOf(bounded(cell)))
  }
  return words
}

/** The most cells of a table in which mistyped words are looked for. */
const CELLS_MAX = 5_000

/** The least share of a question's information in a heading that says how something is done. */
const FITTING_SHARE_MIN = 0.5
/** The most sentences of an answer. */
const SENTENCES_MAX = 3
/** A sentence is added while those before it are together less probable than this to hold the answer, */
const SURE = 0.8
/** and if it is at least this share as probable as the best one. */
const SHARE_MIN = 0.2
/** The least share of the question's information that a further sentence adds which tells of another thing in it. */
const ADDED_SHARE_MIN = 0.2

/** The sentences that are quoted: those under a heading that asks the question, or else the best ones. */
const chosen = (
  question: Question,
  evidence: Evidence,
  { sentences }: Reading,
  second: Judged | undefined,
): ReadonlyArray<Sentence> => {
  const [best, ...others] = evidence.ranked
  if (best === undefined) return []
  const { lead } = best.sentence
  const isWay = question.wanted === "way" && best.sentence.form === "sentence"
  const fits = evidence.headingShare(best.sentence) >= FITTING_SHARE_MIN
  const paragraph = isWay ? paragraphAround(best.sentence, sentences) : []
  if (paragraph.length > 1) return paragraph
  if (evidence.asks(lead) || (isWay && fits)) {
    return sentences.filter((sentence) => sentence.lead === lead).slice(0, SENTENCES_MAX)
  }
  if (question.wanted === "several" && enumerates(best.sentence.text)) return [best.sentence]
  if (second !== undefined) return [best.sentence, second.sentence].toSorted((a, b) => a.place - b.place)
  const odds = (score: number) => Math.exp(score - best.score)
  const total = evidence.ranked.reduce((sum, { score }) => sum + odds(score), 0)
  const quoted = [best]
  let sure = 1 / total
  for (const other of others) {
    if (quoted.length === SENTENCES_MAX || sure >= SURE || odds(other.score) < SHARE_MIN) break
    if (other.sentence.document !== best.sentence.document || repeats(quoted, other)) continue
    quoted.push(other)
    sure += odds(other.score) / total
  }
  return quoted.map(({ sentence }) => sentence).toSorted((a, b) => a.place - b.place)
}

/** The most sentences of a paragraph that is quoted whole. */
const PARAGRAPH_MAX = 5

/** The sentences of a short paragraph, or of a long one from a sentence on. */
const paragraphAround = (sentence: Sentence, sentences: ReadonlyArray<Sentence>): ReadonlyArray<Sentence> => {
  let from = sentence.place
  while (from > 0 && sentences[from]?.before !== undefined) from--
  let to = sentence.place + 1
  while (sentences[to]?.before !== undefined) to++
  return to - from <= PARAGRAPH_MAX
    ? sentences.slice(from, to)
    : sentences.slice(sentence.place, to).slice(0, SENTENCES_MAX)
}

/** The sentence that tells most of what the best one does not, where a question asks about several things. */
const complement = (evidence: Evidence, best: Judged): Judged | undefined => {
  const known = evidence.shareOf(best.covered)
  const gain = ({ covered }: Judged) => evidence.shareOf(new Map([...covered, ...best.covered])) - known
  let [found, most]: [Judged | undefined, number] = [undefined, ADDED_SHARE_MIN]
  for (const other of evidence.ranked) if (gain(other) > most + 0.01) [found, most] = [other, gain(other)]
  return found
}

const repeats = (quoted: ReadonlyArray<Judged>, { sentence: { text } }: Judged): boolean =>
  quoted.some(({ sentence: other }) => other.text.includes(text) || text.includes(other.text))

/** Whether an answer lacks the denial of a question for one of several things, or what it compares values with. */
const isOpposed = (question: Question, { quotes, text }: Answer, areCells: boolean): boolean => {
  const { compares, denies, isDecision, joins, wanted } = question
  const [passage] = quotes.map((quote) => quote.passage)
  const language = passage === undefined ? question.language : languageOf(passage)
  const whole = bounded([text, ...quotes.map((quote) => quote.text)].join(" "))
  const isComputed = compares && (areCells || /\d/.test(question.text)) && !isDecision && !joins
  if (isComputed && !says("compare", whole, language)) return true
  return denies && (wanted === "several" || wanted === "name") && !says("not", whole, language)
}

/** The most items that are quoted. */
const ITEMS_MAX = 15
/** Gain of a list over a sentence where the question asks for several things, and of steps where it asks for a way. */
const LIST_GAIN = 3
const STEPS_GAIN = 5
/** The share of the question's information from which on a list gains all of this. */
const LIST_SHARE = 0.3
/** Loss of a list where the question asks for one fact. */
const FACT_LOSS = -4

/** A list, judged as if its announcement were a sentence. */
interface JudgedList extends Judged {
  readonly list: ItemList
}

/** The list that answers a question better than the best sentence does. */
const bestList = (
  evidence: Evidence,
  lists: ReadonlyArray<ItemList>,
  best: Judged | undefined,
): JudgedList | undefined => {
  const { wanted } = evidence.question
  const own = best?.sentence.list
  // One step is no way, and an item that holds nothing of the question itself answers it no better than the others.
  const isPart =
    best !== undefined && own !== undefined && (wanted === "way" || (best.features.own === 0 && !isFact(wanted)))
  let found: JudgedList | undefined
  for (const list of isPart ? lists.filter((each) => each === own) : lists) {
    const judged = judgedList(evidence, list)
    if (judged !== undefined && judged.score > (found?.score ?? (isPart ? -Infinity : (best?.score ?? -Infinity)))) {
      found = judged
    }
  }
  return found
}

const isFact = (wanted: Question["wanted"]): boolean => wanted === "amount" || wanted === "time" || wanted === "name"

const judgedList = (evidence: Evidence, list: ItemList): JudgedList | undefined => {
  const [first] = list.items
  if (first === undefined || list.items.length > ITEMS_MAX) return undefined
  const { announcement: text, announcementKeys: keys } = list
  const judged = evidence.judge(
    { ...first, text, keys, list: undefined, before: undefined, form: "sentence" },
    undefined,
  )
  const share = evidence.shareOf(judged.covered)
  const gain = gainOf(evidence.question, list, share) * Math.min(1, share / LIST_SHARE)
  const { features } = judged
  return {
    ...judged,
    list,
    features: { ...features, wanted: gain > 0 ? 1 : 0 },
    score: scoreOf({ ...features, wanted: 0, short: 0 }) + gain,
  }
}

const gainOf = ({ isBare, isDecision, wanted }: Question, { form }: ItemList, share: number): number => {
  if (wanted === "way") return form === "steps" ? STEPS_GAIN : share >= FITTING_SHARE_MIN ? LIST_GAIN : 0
  if (wanted === "several") return LIST_GAIN
  if (form === "topics" || isDecision || isFact(wanted)) return FACT_LOSS
  // Words without a question ask for all that stands under them.
  return isBare ? LIST_GAIN : 0
}

/** Quotes a list under its announcement, or else its heading, and with the title of its document. */
const listAnswer = ({ announcement, items, lead }: ItemList): Answer => {
  const above = announcement === "" ? lead.heading : announcement
  const head = above === "" || /[?？؟]$/.test(above) ? [] : [/[:：]$/.test(above) ? above : `${above}:`]
  return {
    text: [...head, ...items.map(({ text }) => `- ${text}`), `(${items[0]?.passage.title ?? ""})`].join("\n"),
    quotes: items.map(({ passage, text }) => ({ passage, text })),
  }
}
