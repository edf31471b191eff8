import type { Language } from "../../text/Language.ts"
import { spacedWords } from "../../text/Words.ts"
import type { QueryWords } from "../../storage/search/Chunks.ts"
import { lexemeTexts, readLexemes, type Term } from "../segments/Lexemes.ts"
import { type LexicalQuery, makeLexicalQuery } from "./LexicalQuery.ts"

/** Words remembered of a language, at most: some 10 MB. Questions share most of theirs. */
const WORDS_MAX = 50_000

/** What the database makes of a word, for each of its lexemes: the term, and its text. */
interface Stem {
  readonly terms: ReadonlyArray<Term>
  readonly texts: ReadonlyArray<string>
}

const NO_STEM: Stem = { terms: [], texts: [] }

/** What the database's stemmers make of a word never changes, so they are asked about each once. */
export class Stems {
  /** By language and word, oldest first. */
  private readonly stems = new Map<Language, Map<string, Stem>>()

  /** The words of the question that are not known yet, each to be stemmed by itself. */
  unknown(languages: ReadonlyArray<Language>, question: string): ReadonlyArray<QueryWords> {
    return languages.flatMap((language) => {
      const known = this.of(language)
      const missing = wordsOf(question, language).filter((word) => !known.has(word))
      return Array.from(new Set(missing), (word) => ({ language, words: word }))
    })
  }

  /** @param analyses a binary `tsvector` of each of the words */
  learn(asked: ReadonlyArray<QueryWords>, analyses: ReadonlyArray<Uint8Array>): void {
    for (const [index, { language, words }] of asked.entries()) {
      const known = this.of(language)
      const [oldest] = known.size < WORDS_MAX ? [] : known.keys()
      if (oldest !== undefined) known.delete(oldest)
      const analysis = analyses[index] ?? NO_LEXEMES
      const terms: Array<Term> = []
      readLexemes(analysis, (term) => void terms.push(term))
      known.set(words, { terms, texts: lexemeTexts(analysis) })
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
      const known = this.of(language)
      const terms: Array<ReadonlyArray<Term>> = []
      for (const word of wordsOf(question, language)) {
        const found = known.get(word)
        if (found === undefined) return undefined
        terms.push(found.terms)
      }
      stems.push(terms)
    }
    return makeLexicalQuery(wordsOf(question), stems, commonness)
  }

  /** What the database calls the terms of such a question. */
  lexemes(languages: ReadonlyArray<Language>, question: string): ReadonlyMap<Term, string> {
    const texts = new Map<Term, string>()
    for (const language of languages) {
      for (const word of wordsOf(question, language)) {
        const stem = this.of(language).get(word) ?? NO_STEM
        for (const [index, term] of stem.terms.entries()) texts.set(term, stem.texts[index] ?? "")
      }
    }
    return texts
  }

  private of(language: Language): Map<string, Stem> {
    const known = this.stems.get(language) ?? new Map<string, Stem>()
    this.stems.set(language, known)
    return known
  }
}

/** A `tsvector` of none: a count of 0. */
const NO_LEXEMES = new Uint8Array(4)

const wordsOf = (question: string, language?: Language): ReadonlyArray<string> => {
  const words = spacedWords(question, language)
  return words === "" ? [] : words.split(" ")
}
