import { isPair } from "../../text/Words.ts"
import type { Term } from "../segments/Lexemes.ts"

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
 * @param words in their order
 * @param stems for each language, the terms of each of the words; none for a stop word
 */
export const makeLexicalQuery = (
  words: ReadonlyArray<string>,
  stems: ReadonlyArray<ReadonlyArray<ReadonlyArray<Term>>>,
  commonness: (word: string) => number,
): LexicalQuery =>
  words.flatMap((word, place) => {
    const found = stems.map((terms) => terms[place] ?? [])
    const terms = new Set(found.flat())
    if (terms.size === 0) return []
    return {
      terms: Array.from(terms),
      commonness: commonness(word),
      isPair: isPair(word),
      isContent: found.every((ofLanguage) => ofLanguage.length > 0),
    }
  })
