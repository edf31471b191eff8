import type { Source } from "../domain/Chat.ts"
import type { Generation } from "./Generation.ts"
import { linesOf, wordsOf } from "./Sentences.ts"
import { cut, type Passage } from "./Tools.ts"

/*
 * What an answer rests on.
 *
 * Claude and `local/extractive` say so themselves, and they alone know: what they do not name is no source. For the
 * others it is found out from the words. A sentence of an answer rests on the sentence of a passage that holds most of
 * what it says anew: its words without those of the question, which any answer repeats, without the titles of documents,
 * which models are told to name, and without those so short that they are mostly grammar. Two in five of these words
 * have to be there, and at least two, or a number. So neither "I do not know how long refunds take" nor small talk has
 * a source, and an answer in another language than its documents has none either.
 */

export interface AnswerGrounds {
  readonly question: string
  /** All that was found for this answer so far. */
  readonly found: ReadonlyArray<Passage>
}

/** Most sources of one answer of a model. */
const sourcesMax = 20
/** Longest quote, in UTF-16 code units. */
const quoteMaxLength = 600

/** In the order of the answer; a quote of a passage comes once. None when nothing was found. */
export const sourcesOf = (
  { exchange, sources, text }: Pick<Generation, "exchange" | "sources" | "text">,
  { found, question }: AnswerGrounds,
): ReadonlyArray<Source> => {
  if (found.length === 0) return []
  const passages = [...new Map(found.map((passage) => [placeOf(passage.documentId, passage.chunk), passage])).values()]
  const named = exchange.citesSources === true ? quoted(sources, passages) : matched(text, question, passages)
  return [...new Map(named.map((source) => [JSON.stringify(source), source])).values()].slice(0, sourcesMax)
}

const placeOf = (documentId: string, chunk: number): string => `${documentId}#${chunk}`

/** A model may only name what was found: its words are no proof that there is such a document. */
const quoted = (sources: ReadonlyArray<Source>, passages: ReadonlyArray<Passage>): ReadonlyArray<Source> => {
  const known = new Map(passages.map((passage) => [placeOf(passage.documentId, passage.chunk), passage]))
  return sources.flatMap(({ chunk, document_id, quote }) => {
    const passage = known.get(placeOf(document_id, chunk))
    return passage === undefined ? [] : [sourceOf(passage, quote)]
  })
}

const sourceOf = ({ chunk, documentId, page, title }: Passage, quote: string): Source => ({
  document_id: documentId,
  title,
  chunk,
  page,
  quote: cut(quote.toWellFormed().trim(), quoteMaxLength),
})

const shareMin = 0.4
const wordsMin = 2

interface Line {
  readonly passage: Passage
  readonly text: string
  readonly words: ReadonlySet<string>
}

const matched = (text: string, question: string, passages: ReadonlyArray<Passage>): ReadonlyArray<Source> => {
  const sentences = linesOf(text)
  if (sentences.length === 0) return []
  const common = new Set([question, ...passages.map(({ title }) => title)].flatMap(tellingWords))
  const lines = passages.flatMap((passage) =>
    linesOf(passage.content).map(({ text }): Line => ({ passage, text, words: new Set(tellingWords(text)) })),
  )
  return sentences.flatMap((sentence) => {
    const words = [...new Set(tellingWords(sentence.text))].filter((word) => !common.has(word))
    const line = bestLine(words, lines)
    return line === undefined ? [] : [sourceOf(line.passage, line.text)]
  })
}

/** The first line that holds the most of these words, when that is enough. */
const bestLine = (words: ReadonlyArray<string>, lines: ReadonlyArray<Line>): Line | undefined => {
  let best: Line | undefined
  let most = 0
  for (const line of lines) {
    const held = words.filter((word) => line.words.has(word))
    const isEnough = held.length >= wordsMin || held.some(isNumber)
    if (!isEnough || held.length < shareMin * words.length || held.length <= most) continue
    best = line
    most = held.length
  }
  return best
}

const isNumber = (word: string): boolean => /^\p{N}/u.test(word)

/** Letters that words of one kind begin with; what follows is mostly inflection. */
const stemLength = 6
/** Of a word in a script that has spaces between words. */
const tellingMinLength = 4
const isSpaced = (word: string): boolean =>
  /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Arabic}\p{Script=Hebrew}]/u.test(word)

const tellingWords = (text: string): ReadonlyArray<string> =>
  wordsOf(text)
    .filter((word) => isNumber(word) || !isSpaced(word) || word.length >= tellingMinLength)
    .map((word) => (isNumber(word) ? word : word.slice(0, stemLength)))
