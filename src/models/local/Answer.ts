import type { PassageJson } from "../../domain/Passage.ts"
import type { BoundedText } from "../../text/BoundedText.ts"
import { enumerates } from "./AnswerForms.ts"
import type { Answer, Quote } from "./Conversation.ts"
import { Evidence } from "./Evidence.ts"
import { stepsAround } from "./Instructions.ts"
import { bestList, listText } from "./Lists.ts"
import { type Question, readQuestion } from "./Question.ts"
import { readable } from "./Readable.ts"
import { type ItemList, type Reading, read, type Sentence, SENTENCE_END } from "./Reading.ts"
import { chosenOf, rank, type Ranked } from "./Sentences.ts"
import { type Grid, gridsOf } from "./tables/Grid.ts"
import { answerFromTables } from "./tables/Tables.ts"
import { LIKELY, likelihood } from "./Likelihood.ts"

/* Answers a question with sentences or a list of passages, or not at all. */

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

/** Answers a question with what passages say. Undefined when they probably do not answer it. */
export const answerTo = (text: BoundedText, { reading, tables }: Material): Answer | undefined => {
  const question = readQuestion(text)
  if (question.compared.length > 0) {
    const compared = comparison(question, reading)
    if (compared !== undefined) return compared
  }
  const evidence = new Evidence(question, reading)
  const ranked = rank(evidence.judged)
  const [best] = ranked
  const list = bestList(question, evidence, reading.lists, best)
  const isAnswer = (one: Ranked | undefined) =>
    one !== undefined && one.covered.size > 0 && likelihood(evidence, one) >= LIKELY
  const isLikely = best !== undefined && (isAnswer(best) || isAnswer(list))
  const cells = answerFromTables(text, tables)
  const share = isLikely ? evidence.shareOf(best.covered) + (isTold(question) ? TOLD_LEAD : TABLE_LEAD) : 0
  if (cells !== undefined && cells.evidence >= share) {
    return { text: `${cells.text} (${cells.quotes[0]?.passage.title ?? ""})`, quotes: cells.quotes }
  }
  if (!isLikely) return undefined
  return list === undefined ? sentencesAnswer(answering(question, evidence, reading, ranked)) : listAnswer(list.list)
}

/** How much more of a question a table covers than a likely sentence does, where both could answer. */
const TABLE_LEAD = 0.1
/** The same where the answer is a way or a reason, which cells rarely hold. */
const TOLD_LEAD = 0.5
const isTold = ({ kind }: Question): boolean => kind === "how-to" || kind === "why"

/** The sentences of the answer: those under a heading that asks the question, or else those that rank best. */
const answering = (
  question: Question,
  evidence: Evidence,
  reading: Reading,
  ranked: ReadonlyArray<Ranked>,
): ReadonlyArray<Sentence> => {
  const [best] = ranked
  if (best === undefined) return []
  const { lead } = best.sentence
  const fits = evidence.shareOf(evidence.terms.in(lead.keys)) >= FITTING_SHARE_MIN
  const steps = question.kind === "how-to" ? stepsAround(best.sentence, reading) : []
  if (steps.length > 1) return steps
  if (evidence.asks(lead) || (question.kind === "how-to" && fits)) {
    return reading.sentences.filter((sentence) => sentence.lead === lead).slice(0, SECTION_SENTENCES_MAX)
  }
  if (question.kind === "list" && enumerates(best.sentence.text)) return [best.sentence]
  return chosenOf(ranked)
}

/** The least share of a question's information in a heading that says how something is done. */
const FITTING_SHARE_MIN = 0.5
/** The most sentences that are quoted of a section. */
const SECTION_SENTENCES_MAX = 3

/** Answers with one sentence for each of the things that are compared. */
const comparison = (question: Question, reading: Reading): Answer | undefined => {
  const sides = question.compared.map((thing) => {
    const others = new Set(question.compared.flat())
    const words = [...thing, ...question.words.filter((word) => !others.has(word))]
    const evidence = new Evidence({ ...question, kind: "other", words }, reading)
    const known = evidence.terms.all.length
    return rank(evidence.judged).find(({ covered }) => thing.every((_, index) => index >= known || covered.has(index)))
  })
  const sentences = sides.flatMap((side) => (side === undefined ? [] : [side.sentence]))
  if (sentences.length < sides.length) return undefined
  return sentencesAnswer([...new Set(sentences)])
}

const listAnswer = (list: ItemList): Answer => ({
  text: listText(list),
  quotes: list.items.map(({ passage, text }) => ({ passage, text })),
})

/** Quotes sentences, those of each document as a paragraph with its title. */
const sentencesAnswer = (sentences: ReadonlyArray<Sentence>): Answer => {
  const documents = Map.groupBy(sentences, ({ passage }) => passage.document_id)
  const paragraphs = Array.from(documents.values(), paragraphOf)
  return {
    text: paragraphs.map(({ text }) => text).join("\n\n"),
    quotes: paragraphs.flatMap(({ quotes }) => quotes),
  }
}

/** Quotes sentences of one document: an item of a list under the line that announces it, others as running text. */
const paragraphOf = (sentences: ReadonlyArray<Sentence>): Answer => {
  const quoted: Array<Sentence> = []
  const texts: Array<string> = []
  let announcement = ""
  for (const sentence of sentences) {
    const above = sentence.form === "item" ? (sentence.list?.announcement ?? "") : ""
    if (above !== "" && above !== announcement) texts.push(`${above.replace(/\s*[:：]?$/, "")}:`)
    announcement = above
    const follows = sentence.before !== undefined && sentence.before === quoted.at(-1)
    const { sentences: own, text } = follows ? { text: sentence.text, sentences: [sentence] } : readable(sentence)
    texts.push(above === "" && SENTENCE_END.test(text) ? text : `- ${text}`)
    quoted.push(...own)
  }
  const title = `(${sentences[0]?.passage.title ?? ""})`
  const isText = texts.every((text) => SENTENCE_END.test(text) && !text.startsWith("- "))
  return {
    text: isText
      ? `${texts.join(" ").replaceAll(/(?<=[。！？]) /g, "")} ${title}`
      : [...texts.map((text) => (/[:：]$|^- /u.test(text) ? text : `- ${text}`)), title].join("\n"),
    quotes: quoted.map(({ passage, text }): Quote => ({ passage, text })),
  }
}
