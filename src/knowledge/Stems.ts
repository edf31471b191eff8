import type { Language } from "../domain/Language.ts"
import { spacedWords } from "../domain/Words.ts"
import type { AskedWords } from "../storage/Chunks.ts"
import { readLexemes, type Term } from "./Lexemes.ts"
import { type LexicalQuery, makeLexicalQuery } from "./LexicalQuery.ts"

/** Words remembered, at most: some 10 MB. Questions share most of theirs. */
const WORDS_MAX = 50_000

/** What the database's stemmers make of a word never changes, so they are asked about each once. */
export class Stems {
  /** Oldest first. */
  readonly #terms = new Map<string, ReadonlyArray<Term>>()

  /** The words of the question that are not known yet, each to be stemmed by itself. */
  unknown(languages: ReadonlyArray<Language>, question: string): ReadonlyArray<AskedWords> {
    return languages.flatMap((language) => {
      const missing = wordsOf(question, language).filter((word) => !this.#terms.has(keyOf(language, word)))
      return Array.from(new Set(missing), (word) => ({ language, words: word }))
    })
  }

  /** @param analyses a binary `tsvector` of each of the words */
  learn(asked: ReadonlyArray<AskedWords>, analyses: ReadonlyArray<Uint8Array>): void {
    for (const [index, { language, words }] of asked.entries()) {
      const [oldest] = this.#terms.size < WORDS_MAX ? [] : this.#terms.keys()
      if (oldest !== undefined) this.#terms.delete(oldest)
      const terms: Array<Term> = []
      readLexemes(analyses[index] ?? NO_LEXEMES, (term) => void terms.push(term))
      this.#terms.set(keyOf(language, words), terms)
    }
  }

  /** A question all of whose words are known. */
  query(languages: ReadonlyArray<Language>, question: string, commonness: (word: string) => number): LexicalQuery {
    const stems = languages.map((language) =>
      wordsOf(question, language).map((word) => this.#terms.get(keyOf(language, word)) ?? []),
    )
    return makeLexicalQuery(wordsOf(question), stems, commonness)
  }
}

/** A `tsvector` of none: a count of 0. */
const NO_LEXEMES = new Uint8Array(4)

const wordsOf = (question: string, language?: Language): ReadonlyArray<string> => {
  const words = spacedWords(question, language)
  return words === "" ? [] : words.split(" ")
}

const keyOf = (language: Language, word: string): string => `${language} ${word}`
