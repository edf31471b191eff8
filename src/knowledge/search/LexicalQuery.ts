import { isPair } from "../../language/words/Words.ts"
import type { Language } from "../../language/Language.ts"
import type { Term } from "../segments/Lexemes.ts"

/** One word of a question as the languages of the knowledge base stem it. */
export interface QueryWord {
  /**
   * The terms of the word in each language of the knowledge base, in the same order for all words: none in a language
   * for which it is a stop word, and more than one where the database takes the word apart.
   */
  readonly stems: ReadonlyArray<ReadonlyArray<Term>>
  /** The share of the passages that are in a language for which it is a stop word, 0–1: they do not contain its terms. */
  readonly droppedShare: number
  /** The share of texts in general that contain the word, 0–1. */
  readonly commonness: number
  /** Whether the word is a pair of characters of a script without spaces. Such pairs always stand beside each other. */
  readonly isPair: boolean
  /** Whether its letters show that it is a syllable of a question in Vietnamese. */
  readonly isSyllable?: boolean
  /** The number of its sentence in a question of several; 0 for one beside others that ask. */
  readonly sentence?: number
  /** Spelling of the word, for the correction of typing errors. Without it, the word is not corrected. */
  readonly spelling?: Spelling
  /** Words and phrases that passages may contain in its place; the same list for all words of a phrase. */
  readonly alternatives?: ReadonlyArray<Alternative>
  /** Whether its terms are those of a similar word, because no passage holds the word itself. */
  readonly isCorrected?: boolean
}

/** A word or a phrase that stands for a word of a question, in one language. */
export interface Alternative {
  /** As the chatbot's settings write it. */
  readonly text: string
  /** Its words in order, without stop words. */
  readonly words: ReadonlyArray<Stem>
}

/** The lexemes that the database makes of a word in one language: their terms, and their texts in the same order. */
export interface Stem {
  readonly terms: ReadonlyArray<Term>
  readonly texts: ReadonlyArray<string>
}

/** A word of a text with its stem in one language. */
export interface StemmedWord {
  readonly word: string
  readonly stem: Stem
}

export interface Spelling {
  /** The word in lower case. */
  readonly word: string
  /** The word's lexeme in each language of the knowledge base; undefined where it has none, or several. */
  readonly lexemes: ReadonlyArray<{ readonly language: Language; readonly text: string } | undefined>
}

/** The words of a question in order, without the stop words of its language. */
export type LexicalQuery = ReadonlyArray<QueryWord>

/**
 * Whether a question has one or two words, as if typed into a search box. Such a question has little structure: how
 * often a passage repeats a word says less than that it is about the word at all.
 */
export const isShort = (query: LexicalQuery): boolean => query.length <= 2

/** Whether all words of a question are pairs of characters. */
export const isOfPairs = (query: LexicalQuery): boolean => query.every(({ isPair }) => isPair)

/** Letters that only Vietnamese has: two vowels, and those with the marks of its tones. */
const VIETNAMESE = /[ơưạ-ỹ]/
/** The share of a Vietnamese question's syllables that have such a letter, at least: mostly it is about half. */
const LEAST_VIETNAMESE = 1 / 4

/** Whether a question is in Vietnamese, which puts spaces between the syllables of a word: it has about two. */
export const isOfSyllables = (query: LexicalQuery): boolean =>
  query.filter(({ isSyllable }) => isSyllable).length >= LEAST_VIETNAMESE * query.length

/** The words of a question as one language stems them. */
export interface StemmedWords {
  /** The terms of each word, in order; none for a stop word. */
  readonly stems: ReadonlyArray<ReadonlyArray<Term>>
  /** The language, with the lexemes of each word as text. Without it, words are not corrected. */
  readonly written?: { readonly language: Language; readonly texts: ReadonlyArray<ReadonlyArray<string>> }
  /** The share of the passages that are in the language, 0–1. */
  readonly share: number
}

/**
 * Makes a query of the words of a question. A stop word of the question's language is left out, even where passages in
 * other languages contain it: among all passages, these would seem to be the only ones that do.
 *
 * @param words the words of the question in order
 * @param languages the words as each language of the knowledge base stems them
 * @param own the index of the question's language in `languages`
 * @param sentences the number of the sentence of each word, where the question has several
 * @param alternatives those of each word
 */
export const makeLexicalQuery = (
  words: ReadonlyArray<string>,
  languages: ReadonlyArray<StemmedWords>,
  own: number,
  commonness: (word: string) => number,
  sentences: ReadonlyArray<number> = [],
  alternatives: ReadonlyArray<QueryWord["alternatives"]> = [],
): LexicalQuery => {
  // In a question in another language, such a word is a name. No stemmer knows Vietnamese.
  const mayBeVietnamese = languages[own]?.written?.language === "simple"
  return words.flatMap((word, place) => {
    const stems = languages.map((language) => language.stems[place] ?? [])
    if ((stems[own] ?? []).length === 0) return []
    const droppedShare = languages.reduce((sum, { share }, index) => sum + (stems[index]?.length === 0 ? share : 0), 0)
    const lexemes = languages.map(({ written }) => {
      const [text, ...others] = written?.texts[place] ?? []
      return written === undefined || text === undefined || others.length > 0
        ? undefined
        : { language: written.language, text }
    })
    return {
      stems,
      droppedShare,
      commonness: commonness(word),
      isPair: isPair(word),
      ...(mayBeVietnamese && VIETNAMESE.test(word) && { isSyllable: true }),
      ...(sentences[place] !== undefined && { sentence: sentences[place] }),
      ...(alternatives[place] !== undefined && { alternatives: alternatives[place] }),
      spelling: { word, lexemes },
    }
  })
}

/**
 * The number of passages that contain a word. Those that are in a language for which it is a stop word are taken to
 * contain it, since the few others would make it seem rare.
 *
 * @param found the number of passages that contain a term of the word
 * @param passages the number of passages in the knowledge base
 */
export const passagesWith = ({ droppedShare }: QueryWord, found: number, passages: number): number =>
  Math.min(passages, found + droppedShare * passages)
