import { Array as Arr, Effect } from "effect"
import type { Citation } from "../domain/chat/Chat.ts"
import { inTurns } from "../system/InTurns.ts"
import type { Generation } from "./Generation.ts"
import { bounded, type BoundedText, MESSAGE_MAX_LENGTH } from "../text/BoundedText.ts"
import { linesOf } from "../text/Lines.ts"
import { wordsOf } from "../language/words/UnicodeWords.ts"
import { withTextFragment } from "../domain/knowledge/TextFragment.ts"
import { cut } from "../text/Cut.ts"
import type { Passage } from "../domain/knowledge/Passage.ts"

/*
 * Finds the sources of an answer: the sentences of passages on which it rests.
 *
 * Claude and `local/extractive` name their sources themselves, and nothing else is a source of their answers. The
 * sources of other models are found by comparing words. Each sentence of an answer is matched with the sentence of a
 * passage that holds most of its significant words: those that are neither in the question, which any answer repeats,
 * nor in the titles of documents, which models are instructed to name, nor so short that they are mostly grammar. A
 * match holds at least two in five of these words, and at least two of them or a number. So neither "I do not know how
 * long refunds take" nor small talk has a source, and an answer in another language than its documents has none either.
 */

/** Question and passages in which the sources of an answer are found. */
interface SourceContext {
  readonly question: string
  /** All passages that were found for this reply so far. */
  readonly found: ReadonlyArray<Passage>
}

/** The most sources of one answer of a model. */
const SOURCES_MAX = 20
/** The longest quote, in UTF-16 code units. */
const QUOTE_MAX_LENGTH = 600

/** The sources of an answer in the order of the answer, each quote once. Empty when no passages were found. */
export const sourcesOf = (
  { exchange, sources, text }: Pick<Generation, "exchange" | "sources" | "text">,
  { found, question }: SourceContext,
): Effect.Effect<ReadonlyArray<Citation>> => {
  if (found.length === 0) return Effect.succeed([])
  const passages = [...new Map(found.map((passage) => [placeOf(passage.documentId, passage.chunk), passage])).values()]
  return exchange.citesSources === true
    ? Effect.succeed(distinct(quoted(sources, passages)))
    : Effect.map(matched(text, question, passages), distinct)
}

const distinct = (sources: ReadonlyArray<Citation>): ReadonlyArray<Citation> =>
  [...new Map(sources.map((source) => [JSON.stringify(source), source])).values()].slice(0, SOURCES_MAX)

const placeOf = (documentId: string, chunk: number): string => `${documentId}#${chunk}`

/** Keeps the sources that are passages that were found: a model may name a document that does not exist. */
const quoted = (sources: ReadonlyArray<Citation>, passages: ReadonlyArray<Passage>): ReadonlyArray<Citation> => {
  const known = new Map(passages.map((passage) => [placeOf(passage.documentId, passage.chunk), passage]))
  return sources.flatMap(({ chunk, document_id, quote }) => {
    const passage = known.get(placeOf(document_id, chunk))
    return passage === undefined ? [] : [sourceOf(passage, quote)]
  })
}

const sourceOf = ({ chunk, documentId, page, title, url }: Passage, quote: string): Citation => ({
  document_id: documentId,
  title,
  chunk,
  page,
  quote: cut(quote.toWellFormed().trim(), QUOTE_MAX_LENGTH),
  ...(url === undefined ? {} : { url: withTextFragment(url, quote) }),
})

/** The least share of a sentence's significant words that a line of a passage has to hold. */
const SHARE_MIN = 0.4
/** The least number of significant words that a line has to hold, unless one of them is a number. */
const WORDS_MIN = 2
/** The length of an answer's beginning that is matched with passages, in UTF-16 code units. */
const ANSWER_MAX_LENGTH = 32_000
/** The number of passages, the last ones that were found, that an answer is matched with. */
const PASSAGES_MAX = 50
/** The number of an answer's sentences that are matched before other fibers run, in a tenth of a millisecond. */
const SENTENCES_AT_ONCE = 8

/** Finds sources by comparing words. It lets other fibers run in between, because texts may be many and long. */
const matched = Effect.fnUntraced(function* (text: string, question: string, passages: ReadonlyArray<Passage>) {
  const sentences = [...new Set(linesOf(bounded(text, ANSWER_MAX_LENGTH)).map((line) => line.text))]
  if (sentences.length === 0) return []
  const common = new Set(
    [question, ...passages.map(({ title }) => title)].flatMap((text) =>
      significantWords(bounded(text, MESSAGE_MAX_LENGTH)),
    ),
  )
  const lines = new Lines((yield* inTurns(passages.slice(-PASSAGES_MAX), linesIn)).flat())
  const lineOf = (sentence: BoundedText) =>
    lines.best([...new Set(significantWords(sentence))].filter((word) => !common.has(word)))
  const found = yield* inTurns(Arr.chunksOf(sentences, SENTENCES_AT_ONCE), (some) => some.map(lineOf))
  return found.flat().flatMap((line) => (line === undefined ? [] : [sourceOf(line.passage, line.text)]))
})

interface Line {
  readonly passage: Passage
  readonly text: string
  readonly words: ReadonlySet<string>
}

const linesIn = (passage: Passage): ReadonlyArray<Line> =>
  linesOf(bounded(passage.content)).map(({ text }) => ({ passage, text, words: new Set(significantWords(text)) }))

/** An index of the sentences of passages by their words, since answers and passages may have thousands of sentences. */
class Lines {
  private readonly lines: ReadonlyArray<Line>
  /** The numbers of the lines that hold each word. */
  private readonly linesByWord: ReadonlyMap<string, ReadonlyArray<number>>
  /** Number of words of the current search that each line holds. All are 0 between searches. */
  private readonly counts: Uint16Array
  /** 1 for each line that holds a number of the current search. Valid only where `counts` is not 0. */
  private readonly numbered: Uint8Array

  constructor(lines: ReadonlyArray<Line>) {
    this.lines = lines
    this.counts = new Uint16Array(lines.length)
    this.numbered = new Uint8Array(lines.length)
    this.linesByWord = numbersByWord(lines)
  }

  /** The first of the lines that hold the most of these words, or undefined when no line holds enough of them. */
  best(words: ReadonlyArray<string>): Line | undefined {
    const { counts, numbered } = this
    const holders: Array<number> = []
    for (const word of words) {
      const isOne = isNumber(word)
      for (const line of this.linesByWord.get(word) ?? []) {
        const count = counts[line] ?? 0
        if (count === 0) {
          holders.push(line)
          numbered[line] = 0
        }
        counts[line] = count + 1
        if (isOne) numbered[line] = 1
      }
    }
    let best = -1
    let most = 0
    for (const line of holders) {
      const count = counts[line] ?? 0
      counts[line] = 0
      const isEnough = count >= WORDS_MIN || numbered[line] === 1
      if (!isEnough || count < SHARE_MIN * words.length || count < most || (count === most && line > best)) continue
      best = line
      most = count
    }
    return this.lines[best]
  }
}

const numbersByWord = (lines: ReadonlyArray<Line>): ReadonlyMap<string, ReadonlyArray<number>> => {
  const numbersOf = new Map<string, Array<number>>()
  for (const [number, { words }] of lines.entries()) {
    for (const word of words) {
      const numbers = numbersOf.get(word)
      if (numbers === undefined) numbersOf.set(word, [number])
      else numbers.push(number)
    }
  }
  return numbersOf
}

const isNumber = (word: string): boolean => /^\p{N}/u.test(word)

/** The letters at the beginning of a word that are compared; what follows is mostly inflection. */
const STEM_LENGTH = 6
/** The least length of a significant word in a script that has spaces between words. */
const SIGNIFICANT_MIN_LENGTH = 4
const isSpaced = (word: string): boolean =>
  /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Arabic}\p{Script=Hebrew}]/u.test(word)

const significantWords = (text: BoundedText): ReadonlyArray<string> =>
  wordsOf(text)
    .filter((word) => isNumber(word) || !isSpaced(word) || word.length >= SIGNIFICANT_MIN_LENGTH)
    .map((word) => (isNumber(word) ? word : word.slice(0, STEM_LENGTH)))
