import { isPair } from "../../text/Words.ts"
import type { Term } from "../segments/Lexemes.ts"

/** One word of a question as the languages of the knowledge base stem it. */
export interface QueryWord {
  /** The distinct stems of the word: more than one when languages stem it differently. */
  readonly terms: ReadonlyArray<Term>
  /** The share of texts in general that contain the word, 0–1. */
  readonly commonness: number
  /** Whether the word is a pair of characters of a script without spaces. Such pairs always stand beside each other. */
  readonly isPair: boolean
  /**
   * Whether no language treats the word as a stop word. A stop word of some language may help to find a passage, but
   * its absence says nothing.
   */
  readonly isContent: boolean
}

/** The words of a question in order, without those that are stop words in every language. */
export type LexicalQuery = ReadonlyArray<QueryWord>

/**
 * Makes a query by joining the stems that several languages have for the same words.
 *
 * @param words the words of the question in order
 * @param stems the terms by language and word, in the same order; none for a stop word
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
