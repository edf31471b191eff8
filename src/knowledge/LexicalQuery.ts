import { isPair } from "../domain/Words.ts"
import { placeOf, readLexemes, type Term } from "./Lexemes.ts"

/** One word of a question, as every language of the knowledge base stems it. */
export interface QueryWord {
  /** Distinct; more than one when languages stem it differently. */
  readonly terms: ReadonlyArray<Term>
  /** Share of texts in general that hold the word, 0–1. */
  readonly commonness: number
  /** Standing next to its neighbour means something. Of pairs of characters, which always do, it means nothing. */
  readonly isPair: boolean
  /** A word that one of the languages leaves out as a stop word may help to find, but its absence says nothing. */
  readonly isContent: boolean
}

/** The words of a question in their order, stop words left out. */
export type LexicalQuery = ReadonlyArray<QueryWord>

/**
 * Joins what the languages of a knowledge base make of the same words.
 *
 * @param words as they were given to the database, between single spaces
 * @param analyses binary `tsvector`, one for each language, of those words
 */
export const makeLexicalQuery = (
  words: string,
  analyses: ReadonlyArray<Uint8Array>,
  commonness: (word: string) => number,
): LexicalQuery => {
  const surfaces = words.split(" ")
  const termsAt = new Map<number, { terms: Set<Term>; languages: number }>()
  for (const analysis of analyses) {
    readLexemes(analysis, (term, positions, count) => {
      for (let index = 0; index < count; index++) {
        const place = placeOf(positions[index] ?? 0)
        const found = termsAt.get(place) ?? { terms: new Set(), languages: 0 }
        found.terms.add(term)
        found.languages += 1
        termsAt.set(place, found)
      }
    })
  }
  return Array.from(termsAt)
    .sort(([left], [right]) => left - right)
    .map(([place, { terms, languages }]) => {
      const surface = surfaces[place - 1] ?? ""
      return {
        terms: Array.from(terms),
        commonness: commonness(surface),
        isPair: isPair(surface),
        isContent: languages === analyses.length,
      }
    })
}
