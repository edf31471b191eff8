import type { Term } from "../segments/Lexemes.ts"
import type { LexicalQuery, QueryWord } from "./LexicalQuery.ts"
import { postingsOf, rankOf, type Segment } from "../segments/Segment.ts"
import { informationOf, inverseDocumentFrequency } from "./Similarity.ts"
import type { LexicalWeights } from "./Weights.ts"

/** A term of the question that some chunk holds. */
export interface PlannedTerm {
  /** Its rank in each segment, -1 where it is not. */
  readonly ranks: Int32Array
  /** Chunks that hold it. */
  readonly holding: number
  /** Its rarity here, and in texts in general. */
  readonly idf: number
  /** How often the question has it. */
  readonly times: number
  /** A pair of characters rather than a word. */
  readonly isPair: boolean
}

/** Two terms that stand side by side in the question, by their numbers in the plan. */
export interface PlannedPhrase {
  readonly left: number
  readonly right: number
  /** At least as rare as its rarer word. */
  readonly idf: number
  readonly times: number
  /** Pairs of characters overlap: their nearness says nothing that they do not say themselves. */
  readonly isOfPairs: boolean
}

/** A distinct word of the question whose presence or absence in a chunk tells something. */
export interface PlannedWord {
  /** Numbers in the plan; none when no chunk holds the word. */
  readonly terms: ReadonlyArray<number>
  readonly information: number
}

/** A question in the terms of an index. */
export interface QueryPlan {
  readonly terms: ReadonlyArray<PlannedTerm>
  readonly phrases: ReadonlyArray<PlannedPhrase>
  readonly words: ReadonlyArray<PlannedWord>
}

/** What is searched. */
export interface Collection {
  readonly chunks: number
  /** Chunks that hold a term; absent, or where it says undefined: those of the segments. */
  readonly holding?: (term: Term) => number | undefined
  /** Weighted number of words in a chunk; absent: in those of the segments. */
  readonly averageLength?: number
}

export const planQuery = (
  query: LexicalQuery,
  segments: ReadonlyArray<Segment>,
  collection: Collection,
  weights: LexicalWeights,
): QueryPlan => {
  const terms = Array.from(occurrencesOf(query), ([term, { times, word }]) => {
    const ranks = Int32Array.from(segments, (segment) => rankOf(segment, term))
    const held = segments.reduce((sum, segment, number) => sum + postingsOf(segment, ranks[number] ?? -1), 0)
    // Documents that are gone count until their segment is built anew, so they could exceed the whole.
    const holding = held === 0 ? 0 : Math.min(collection.holding?.(term) ?? held, collection.chunks)
    return {
      term,
      ranks,
      holding,
      idf: rarityOf(word, holding, collection.chunks, weights),
      times,
      isPair: word.isPair,
    }
  }).filter((term) => term.holding > 0)
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
        const holding = Math.max(0, ...found.map((number) => terms[number]?.holding ?? 0))
        return { terms: found, information: informationOf(word, holding, collection.chunks) }
      }),
  }
}

/** Of pairs of characters little is known in general. */
const rarityOf = (word: QueryWord, holding: number, chunks: number, { background }: LexicalWeights): number => {
  const here = inverseDocumentFrequency(holding, chunks)
  return word.isPair ? here : (1 - background) * here + background * informationOf(word, holding, chunks)
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
