import type { Language } from "../domain/Language.ts"
import { spacedWords } from "../domain/Words.ts"
import type { AskedWords } from "../storage/Chunks.ts"
import { readLexemes, type Term } from "./Lexemes.ts"
import { type LexicalQuery, makeLexicalQuery } from "./LexicalQuery.ts"

/** Words remembered of a language, at most: some 10 MB. Questions share most of theirs. */
const WORDS_MAX = 50_000

/** What the database's stemmers make of a word never changes, so they are asked about each once. */
export class Stems {
  /** By language and word, oldest first. */
  readonly #terms = new Map<Language, Map<string, ReadonlyArray<Term>>>()

  /** The words of the question that are not known yet, each to be stemmed by itself. */
  unknown(languages: ReadonlyArray<Language>, question: string): ReadonlyArray<AskedWords> {
    return languages.flatMap((language) => {
      const known = this.#of(language)
      const missing = wordsOf(question, language).filter((word) => !known.has(word))
      return Array.from(new Set(missing), (word) => ({ language, words: word }))
    })
  }

  /** @param analyses a binary `tsvector` of each of the words */
  learn(asked: ReadonlyArray<AskedWords>, analyses: ReadonlyArray<Uint8Array>): void {
    for (const [index, { language, words }] of asked.entries()) {
      const known = this.#of(language)
      const [oldest] = known.size < WORDS_MAX ? [] : known.keys()
      if (oldest !== undefined) known.delete(oldest)
      const terms: Array<Term> = []
      readLexemes(analyses[index] ?? NO_LEXEMES, (term) => void terms.push(term))
      known.set(words, terms)
    }
  }

  /** The question in terms of these languages; undefined when not all of its words are known. */
  query(
    languages: ReadonlyArray<Language>,
    question: string,
    commonness: (word: string) => number,
  ): LexicalQuery | undefined {
    const stems: Array<ReadonlyArray<ReadonlyArray<Term>>> = []
    for (const language of languages) {
      const known = this.#of(language)
      const terms: Array<ReadonlyArray<Term>> = []
      for (const word of wordsOf(question, language)) {
        const found = known.get(word)
        if (found === undefined) return undefined
        terms.push(found)
      }
      stems.push(terms)
    }
    return makeLexicalQuery(wordsOf(question), stems, commonness)
  }

  #of(language: Language): Map<string, ReadonlyArray<Term>> {
    const known = this.#terms.get(language) ?? new Map<string, ReadonlyArray<Term>>()
    this.#terms.set(language, known)
    return known
  }
}

/** A `tsvector` of none: a count of 0. */
const NO_LEXEMES = new Uint8Array(4)

const wordsOf = (question: string, language?: Language): ReadonlyArray<string> => {
  const words = spacedWords(question, language)
  return words === "" ? [] : words.split(" ")
}
