import type { LexemeQuery } from "../../storage/search/LexemeQuery.ts"
import type { Term } from "../segments/Lexemes.ts"
import type { LexicalQuery } from "./LexicalQuery.ts"
import type { Sample } from "./Sample.ts"
import { inverseDocumentFrequency } from "./Similarity.ts"

/** What the database is asked for when a knowledge base is too large to be looked through. */
export interface Selection {
  /** About as many chunks as there is room for, or fewer: those that hold most. */
  readonly best: LexemeQuery | undefined
  /** Many more, all of them worth the same: room that is left is filled with some of these. */
  readonly next: LexemeQuery | undefined
  /** Whether each chunk that holds the term is among the best. */
  readonly isWhole: (term: Term) => boolean
  /** About how many chunks of the knowledge base hold the term. */
  readonly holding: (term: Term) => number
}

/** Of the words that do not suffice alone, so many are combined, the rarest. */
const COMBINED_MAX = 8
/** Sums of the same weights in another order are equal. */
const TOLERANCE = 1e-6

/** A word that decides. */
interface Word {
  readonly query: LexemeQuery
  readonly terms: ReadonlyArray<Term>
  /** Its rarity here. */
  readonly weight: number
}

/**
 * The chunks that have a chance to be found are those whose words of the question are together rare. How rare they have
 * to be so that no more than `room` chunks are selected is read from the sample.
 *
 * @param lexemeOf what the database calls a term
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
  const floorOfAll = floorOf(all, sample, allowed)
  // One that suffices alone makes the query no larger than a word; of the others, each may double it.
  const alone = all.findIndex(({ weight }) => weight <= floorOfAll + TOLERANCE)
  const words = alone < 0 ? all : all.slice(0, alone + COMBINED_MAX)
  const floor = floorOf(words, sample, allowed)
  return {
    best: atLeast(words, floor + TOLERANCE),
    next: floor === 0 ? undefined : atLeast(words, floor - TOLERANCE),
    isWhole: (term) => words.some(({ terms, weight }) => weight > floor + TOLERANCE && terms.includes(term)),
    holding: (term) => expectedHolding(sample, [term], chunks),
  }
}

/** What chunks have to exceed so that of the sample no more than are allowed do. */
const floorOf = (words: ReadonlyArray<Word>, sample: Sample, allowed: number): number => {
  const scores = new Float64Array(sample.size)
  for (const { weight, terms } of words) {
    for (const chunk of sample.holding(terms)) scores[chunk] = (scores[chunk] ?? 0) + weight
  }
  return scores.sort().at(-1 - allowed) ?? 0
}

const wordsOf = (
  query: LexicalQuery,
  sample: Sample,
  chunks: number,
  lexemeOf: ReadonlyMap<Term, string>,
): ReadonlyArray<Word> =>
  Array.from(new Map(query.map(({ terms }) => [terms.join(), terms])).values())
    .flatMap((terms) => {
      const query = anyOf(terms.flatMap((term) => lexemeOf.get(term) ?? []))
      const holding = expectedHolding(sample, terms, chunks)
      const weight = inverseDocumentFrequency(holding, chunks)
      return query === undefined || holding === 0 ? [] : [{ query, terms, weight }]
    })
    .sort((left, right) => right.weight - left.weight)

/** A term that the sample has not is in half a chunk of the sample. */
const expectedHolding = (sample: Sample, terms: ReadonlyArray<Term>, chunks: number): number => {
  const held = sample.holding(terms).size
  return sample.size === chunks ? held : (chunks * Math.max(held, 0.5)) / Math.max(sample.size, 1)
}

/** Undefined when there is none. */
const anyOf = (parts: ReadonlyArray<LexemeQuery>): LexemeQuery | undefined =>
  parts.length > 1 ? { any: parts } : parts[0]

/** That the weights of the words that a chunk holds sum up to this; undefined when they cannot. */
const atLeast = (words: ReadonlyArray<Word>, sum: number, from = 0): LexemeQuery | undefined => {
  const word = words[from]
  if (word === undefined) return undefined
  const without = atLeast(words, sum, from + 1)
  if (word.weight >= sum) return anyOf(without === undefined ? [word.query] : [word.query, without])
  const rest = atLeast(words, sum - word.weight, from + 1)
  const holding: ReadonlyArray<LexemeQuery> = rest === undefined ? [] : [{ all: [word.query, rest] }]
  return anyOf(without === undefined ? holding : [...holding, without])
}
