import type { LexemeQuery } from "../../storage/search/LexemeQuery.ts"
import type { Term } from "../segments/Lexemes.ts"
import { type LexicalQuery, passagesWith, type QueryWord } from "./LexicalQuery.ts"
import type { Sample } from "./Sample.ts"
import { inverseDocumentFrequency } from "./Similarity.ts"

/** The database queries that select the chunks to score when a knowledge base is too large to score all of them. */
interface Selection {
  /** Matches the chunks with the highest scores: about as many as there is room for, or fewer. */
  readonly best: LexemeQuery | undefined
  /** Matches many more chunks, all with the same score. Some of them fill the room that is left. */
  readonly next: LexemeQuery | undefined
  /** Whether a large share of all chunks matches `next`. */
  readonly isNextCommon: boolean
  /** Whether `best` matches every chunk that contains a term of the word. */
  readonly isExhaustive: (word: QueryWord) => boolean
  /** The estimated number of chunks in the knowledge base that contain a term of the word. */
  readonly chunkFrequency: (word: QueryWord) => number
}

/** The number of words, the rarest ones, that are combined where no single one of them suffices. */
const COMBINED_MAX = 8
/** From this share of all chunks on, it takes longer to list those that match a query than to read enough of them. */
const COMMON_SHARE = 0.2
/** The rounding error within which two sums of the same weights in different order count as equal. */
const TOLERANCE = 1e-6

/** A distinct word of the question. */
interface Word {
  readonly query: LexemeQuery
  readonly key: string
  /** The numbers of the sampled chunks that contain it. */
  readonly sampled: ReadonlySet<number>
  /** The inverse document frequency in the knowledge base. */
  readonly weight: number
}

/**
 * Selects the chunks with a chance to be among the results. The score of a chunk is the sum of the weights of the
 * question's words that it contains; the sample shows which score no more than `room` chunks exceed.
 *
 * @param chunks the number of chunks in the knowledge base
 * @param lexemeOf the lexeme of each term, as the database stores it
 * @param room the number of chunks to select
 */
export const select = (
  query: LexicalQuery,
  sample: Sample,
  chunks: number,
  lexemeOf: ReadonlyMap<Term, string>,
  room: number,
): Selection => {
  const all = wordsOf(query, sample, chunks, lexemeOf)
  const allowed = Math.floor((room / chunks) * sample.size)
  const floorOfAll = scoresOf(all, sample).at(-1 - allowed) ?? 0
  // A word that suffices alone adds only itself to the query; each of the others may double the query's size.
  const alone = all.findIndex(({ weight }) => weight <= floorOfAll + TOLERANCE)
  const words = alone < 0 ? all : all.slice(0, alone + COMBINED_MAX)
  const scores = scoresOf(words, sample)
  // No more than `allowed` chunks of the sample exceed it.
  const floor = scores.at(-1 - allowed) ?? 0
  const reaching = scores.length - scores.findIndex((score) => score >= floor - TOLERANCE)
  return {
    best: atLeast(words, floor + TOLERANCE),
    next: floor === 0 ? undefined : atLeast(words, floor - TOLERANCE),
    isNextCommon: reaching > COMMON_SHARE * sample.size,
    isExhaustive: (asked) => words.some(({ key, weight }) => weight > floor + TOLERANCE && key === keyOf(asked)),
    chunkFrequency: (word) => expectedFrequency(sample, sampledWith(word, sample), chunks),
  }
}

/** The scores of the sampled chunks, in ascending order. */
const scoresOf = (words: ReadonlyArray<Word>, sample: Sample): Float64Array => {
  const scores = new Float64Array(sample.size)
  for (const { weight, sampled } of words) {
    for (const chunk of sampled) scores[chunk] = (scores[chunk] ?? 0) + weight
  }
  return scores.sort()
}

const wordsOf = (
  query: LexicalQuery,
  sample: Sample,
  chunks: number,
  lexemeOf: ReadonlyMap<Term, string>,
): ReadonlyArray<Word> =>
  Array.from(new Map(query.map((word) => [keyOf(word), word])))
    .flatMap(([key, word]) => {
      const terms = word.stems.flat()
      // Languages often agree on the lexeme of a word, which the database stores without its language.
      const query = anyOf([
        ...new Set(terms.flatMap((term) => lexemeOf.get(term) ?? [])),
        ...(word.alternatives ?? []).flatMap(({ words }) => allOf(words.flatMap(({ texts }) => anyOf(texts) ?? []))),
      ])
      const sampled = sampledWith(word, sample)
      const found = expectedFrequency(sample, sampled, chunks)
      const weight = inverseDocumentFrequency(passagesWith(word, found, chunks), chunks)
      return query === undefined || found === 0 ? [] : [{ query, key, sampled, weight }]
    })
    .sort((left, right) => right.weight - left.weight)

const keyOf = ({ stems }: QueryWord): string => stems.join(";")

/** The numbers of the sampled chunks that contain a word or an alternative of it. */
const sampledWith = ({ alternatives = [], stems }: QueryWord, sample: Sample): ReadonlySet<number> => {
  const found = alternatives.map(({ words }) =>
    words.map(({ terms }) => sample.chunksWith(terms)).reduce((all, each) => all.intersection(each)),
  )
  return found.reduce((any, each) => any.union(each), sample.chunksWith(stems.flat()))
}

/** Estimates how many chunks contain a word of which so many of the sample are known. If no sampled chunk does, it counts half a sampled chunk. */
const expectedFrequency = (sample: Sample, { size }: ReadonlySet<number>, chunks: number): number =>
  sample.size === chunks ? size : (chunks * Math.max(size, 0.5)) / Math.max(sample.size, 1)

/** Matches what any of the parts matches; undefined when there are no parts. */
const anyOf = (parts: ReadonlyArray<LexemeQuery>): LexemeQuery | undefined =>
  parts.length > 1 ? { any: parts } : parts[0]

/** Matches what all of the parts match, of which there is one at least. */
const allOf = (parts: ReadonlyArray<LexemeQuery>): LexemeQuery => (parts.length > 1 ? { all: parts } : (parts[0] ?? ""))

/** Matches chunks whose words, from index `from` on, weigh `sum` or more; undefined when all words weigh less. */
const atLeast = (words: ReadonlyArray<Word>, sum: number, from = 0): LexemeQuery | undefined => {
  const word = words[from]
  if (word === undefined) return undefined
  const without = atLeast(words, sum, from + 1)
  if (word.weight >= sum) return anyOf(without === undefined ? [word.query] : [word.query, without])
  const rest = atLeast(words, sum - word.weight, from + 1)
  const including: ReadonlyArray<LexemeQuery> = rest === undefined ? [] : [{ all: [word.query, rest] }]
  return anyOf(without === undefined ? including : [...including, without])
}
