import type { Term } from "../segments/Lexemes.ts"
import type { LexicalQuery, QueryWord } from "./LexicalQuery.ts"
import { postingCount, rankOf, type Segment } from "../segments/Segment.ts"
import { informationOf, inverseDocumentFrequency } from "./Similarity.ts"
import type { LexicalWeights } from "./Weights.ts"

/** A term of the question that at least one chunk contains. */
interface PlannedTerm {
  /** The rank of the term in each segment, or -1 where the segment does not contain it. */
  readonly ranks: Int32Array
  /** The number of chunks that contain the term. */
  readonly chunkFrequency: number
  /** The inverse document frequency in the knowledge base, combined with that in texts in general. */
  readonly idf: number
  /** How often the term occurs in the question. */
  readonly times: number
  /** Whether the term is a pair of characters rather than a word. */
  readonly isPair: boolean
}

/** Two terms that stand side by side in the question. */
interface PlannedPhrase {
  /** The number of the first term in the plan. */
  readonly left: number
  /** The number of the second term in the plan. */
  readonly right: number
  /** The inverse document frequency of the rarer term. */
  readonly idf: number
  /** How often the phrase occurs in the question. */
  readonly times: number
  /** Whether both terms are pairs of characters. Such pairs overlap, so that their nearness says nothing more. */
  readonly isOfPairs: boolean
}

/** A distinct word of the question whose absence from a chunk is evidence. */
interface PlannedWord {
  /** The numbers of its terms in the plan; none when no chunk contains the word. */
  readonly terms: ReadonlyArray<number>
  /** See `informationOf`. */
  readonly information: number
}

/** A question resolved against the segments of an index. */
export interface QueryPlan {
  readonly terms: ReadonlyArray<PlannedTerm>
  readonly phrases: ReadonlyArray<PlannedPhrase>
  readonly words: ReadonlyArray<PlannedWord>
}

/** The statistics of the whole collection, of which the segments may contain only a part. */
export interface Collection {
  /** The number of chunks. */
  readonly chunks: number
  /** The number of chunks that contain a term. Where it is undefined, they are counted in the segments. */
  readonly chunkFrequency?: (term: Term) => number | undefined
  /** The average of `Segment.lengths`. Defaults to the average of the segments. */
  readonly averageLength?: number
}

/** Resolves a question against the segments of an index. */
export const planQuery = (
  query: LexicalQuery,
  segments: ReadonlyArray<Segment>,
  collection: Collection,
  weights: LexicalWeights,
): QueryPlan => {
  const terms = Array.from(occurrencesOf(query), ([term, { times, word }]) => {
    const ranks = Int32Array.from(segments, (segment) => rankOf(segment, term))
    const found = segments.reduce((sum, segment, number) => sum + postingCount(segment, ranks[number] ?? -1), 0)
    // Segments still count their outdated documents, so that the sum may exceed the number of chunks.
    const chunkFrequency = found === 0 ? 0 : Math.min(collection.chunkFrequency?.(term) ?? found, collection.chunks)
    return {
      term,
      ranks,
      chunkFrequency,
      idf: rarityOf(word, chunkFrequency, collection.chunks, weights),
      times,
      isPair: word.isPair,
    }
  }).filter((term) => term.chunkFrequency > 0)
  const numbers = new Map(terms.map(({ term }, number) => [term, number]))
  const numbersOf = (word: QueryWord | undefined): ReadonlyArray<number> =>
    (word?.terms ?? []).flatMap((term) => numbers.get(term) ?? [])
  return {
    terms,
    phrases: phrasesOf(query, terms, numbersOf),
    words: Array.from(new Map(query.map((word) => [word.terms.join(), word])).values())
      .filter((word) => word.isContent)
      .map((word) => {
        const found = numbersOf(word)
        const chunkFrequency = Math.max(0, ...found.map((number) => terms[number]?.chunkFrequency ?? 0))
        return { terms: found, information: informationOf(word, chunkFrequency, collection.chunks) }
      }),
  }
}

/** How rare a pair of characters is in general is not known well enough to be used. */
const rarityOf = (word: QueryWord, chunkFrequency: number, chunks: number, { background }: LexicalWeights): number => {
  const here = inverseDocumentFrequency(chunkFrequency, chunks)
  return word.isPair ? here : (1 - background) * here + background * informationOf(word, chunkFrequency, chunks)
}

const occurrencesOf = (
  query: LexicalQuery,
): ReadonlyMap<Term, { readonly times: number; readonly word: QueryWord }> => {
  const occurrences = new Map<Term, { times: number; word: QueryWord }>()
  for (const word of query) {
    for (const term of word.terms) occurrences.set(term, { times: (occurrences.get(term)?.times ?? 0) + 1, word })
  }
  return occurrences
}

const phrasesOf = (
  query: LexicalQuery,
  terms: ReadonlyArray<PlannedTerm>,
  numbersOf: (word: QueryWord | undefined) => ReadonlyArray<number>,
): ReadonlyArray<PlannedPhrase> => {
  const phrases = new Map<string, PlannedPhrase>()
  for (const [index, word] of query.entries()) {
    const next = query[index + 1]
    for (const left of numbersOf(word)) {
      for (const right of numbersOf(next)) {
        const times = (phrases.get(`${left} ${right}`)?.times ?? 0) + 1
        const idf = Math.max(terms[left]?.idf ?? 0, terms[right]?.idf ?? 0)
        phrases.set(`${left} ${right}`, { left, right, idf, times, isOfPairs: word.isPair && next?.isPair === true })
      }
    }
  }
  return Array.from(phrases.values())
}
