import { Array as Arr, Effect } from "effect"
import type { Source } from "../domain/chat/Chat.ts"
import { inTurns } from "../system/InTurns.ts"
import type { Generation } from "./Generation.ts"
import { linesOf } from "../text/Lines.ts"
import { wordsOf } from "../text/UnicodeWords.ts"
import { cut } from "../text/Cut.ts"
import type { Passage } from "../domain/Passage.ts"

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
const SOURCES_MAX = 20
/** Longest quote, in UTF-16 code units. */
const QUOTE_MAX_LENGTH = 600

/** In the order of the answer; a quote of a passage comes once. None when nothing was found. */
export const sourcesOf = (
  { exchange, sources, text }: Pick<Generation, "exchange" | "sources" | "text">,
  { found, question }: AnswerGrounds,
): Effect.Effect<ReadonlyArray<Source>> => {
  if (found.length === 0) return Effect.succeed([])
  const passages = [...new Map(found.map((passage) => [placeOf(passage.documentId, passage.chunk), passage])).values()]
  return exchange.citesSources === true
    ? Effect.succeed(distinct(quoted(sources, passages)))
    : Effect.map(matched(text, question, passages), distinct)
}

const distinct = (sources: ReadonlyArray<Source>): ReadonlyArray<Source> =>
  [...new Map(sources.map((source) => [JSON.stringify(source), source])).values()].slice(0, SOURCES_MAX)

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
  quote: cut(quote.toWellFormed().trim(), QUOTE_MAX_LENGTH),
})

const SHARE_MIN = 0.4
const WORDS_MIN = 2
/** Of an answer so much is looked at, in UTF-16 code units, and of what was found so many passages, the last ones. */
const ANSWER_MAX_LENGTH = 32_000
const PASSAGES_MAX = 50
/** Of an answer, so many take a tenth of a millisecond. */
const SENTENCES_AT_ONCE = 8

/** Passages may be many, and an answer long, so others get their turn meanwhile. */
const matched = Effect.fnUntraced(function* (text: string, question: string, passages: ReadonlyArray<Passage>) {
  const sentences = [...new Set(linesOf(cut(text, ANSWER_MAX_LENGTH)).map((line) => line.text))]
  if (sentences.length === 0) return []
  const common = new Set([question, ...passages.map(({ title }) => title)].flatMap(tellingWords))
  const lines = new Lines((yield* inTurns(passages.slice(-PASSAGES_MAX), linesIn)).flat())
  const lineOf = (sentence: string) =>
    lines.best([...new Set(tellingWords(sentence))].filter((word) => !common.has(word)))
  const found = yield* inTurns(Arr.chunksOf(sentences, SENTENCES_AT_ONCE), (some) => some.map(lineOf))
  return found.flat().flatMap((line) => (line === undefined ? [] : [sourceOf(line.passage, line.text)]))
})

interface Line {
  readonly passage: Passage
  readonly text: string
  readonly words: ReadonlySet<string>
}

const linesIn = (passage: Passage): ReadonlyArray<Line> =>
  linesOf(passage.content).map(({ text }) => ({ passage, text, words: new Set(tellingWords(text)) }))

/** The sentences of passages, found by their words: an answer may have thousands of sentences, and so may passages. */
class Lines {
  private readonly lines: ReadonlyArray<Line>
  /** Numbers of the lines that hold a word. */
  private readonly holding: ReadonlyMap<string, ReadonlyArray<number>>
  /** Of each line, how many it holds of the words that are looked for, and whether a number is among them. */
  private readonly held: Uint16Array
  private readonly numbered: Uint8Array

  constructor(lines: ReadonlyArray<Line>) {
    this.lines = lines
    this.held = new Uint16Array(lines.length)
    this.numbered = new Uint8Array(lines.length)
    this.holding = numbersByWord(lines)
  }

  /** The first line that holds the most of these words, when that is enough. */
  best(words: ReadonlyArray<string>): Line | undefined {
    const { held, numbered } = this
    const holders: Array<number> = []
    for (const word of words) {
      const isOne = isNumber(word)
      for (const line of this.holding.get(word) ?? []) {
        const count = held[line] ?? 0
        if (count === 0) {
          holders.push(line)
          numbered[line] = 0
        }
        held[line] = count + 1
        if (isOne) numbered[line] = 1
      }
    }
    let best = -1
    let most = 0
    for (const line of holders) {
      const count = held[line] ?? 0
      held[line] = 0
      const isEnough = count >= WORDS_MIN || numbered[line] === 1
      if (!isEnough || count < SHARE_MIN * words.length || count < most || (count === most && line > best)) continue
      best = line
      most = count
    }
    return this.lines[best]
  }
}

const numbersByWord = (lines: ReadonlyArray<Line>): ReadonlyMap<string, ReadonlyArray<number>> => {
  const holding = new Map<string, Array<number>>()
  for (const [number, { words }] of lines.entries()) {
    for (const word of words) {
      const numbers = holding.get(word)
      if (numbers === undefined) holding.set(word, [number])
      else numbers.push(number)
    }
  }
  return holding
}

const isNumber = (word: string): boolean => /^\p{N}/u.test(word)

/** Letters that words of one kind begin with; what follows is mostly inflection. */
const STEM_LENGTH = 6
/** Of a word in a script that has spaces between words. */
const TELLING_MIN_LENGTH = 4
const isSpaced = (word: string): boolean =>
  /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Arabic}\p{Script=Hebrew}]/u.test(word)

const tellingWords = (text: string): ReadonlyArray<string> =>
  wordsOf(text)
    .filter((word) => isNumber(word) || !isSpaced(word) || word.length >= TELLING_MIN_LENGTH)
    .map((word) => (isNumber(word) ? word : word.slice(0, STEM_LENGTH)))
