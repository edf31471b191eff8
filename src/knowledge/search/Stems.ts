import { bounded, type BoundedText } from "../../text/BoundedText.ts"
import { isFunctionWord, languageAmong } from "../../language/Detection.ts"
import type { Language, LanguageCount } from "../../language/Language.ts"
import { spacedWords } from "../../language/words/Words.ts"
import type { QueryWords } from "../../storage/search/Chunks.ts"
import { lexemeTexts, readLexemes, type Term, termOf } from "../segments/Lexemes.ts"
import { lettersOf, writingsOf } from "./Codes.ts"
import {
  type Alternative,
  type LexicalQuery,
  makeLexicalQuery,
  type QueryWord,
  type Stem,
  type StemmedWord,
  type StemmedWords,
} from "./LexicalQuery.ts"
import type { Synonyms } from "./Synonyms.ts"

/** The number of words that are cached for each language, which take some 10 MB. Most questions share their words. */
const WORDS_MAX = 50_000
/** The most UTF-16 code units of these words together, since a caller may send words of any length. */
const CHARACTERS_MAX = 1_000_000

const NO_STEM: Stem = { terms: [], texts: [] }

/** The cached stems of one language. */
interface Known {
  /** The stems by their words, those that were needed or learned longest ago first. */
  readonly stems: Map<string, Stem>
  /** The length of the words together, in UTF-16 code units. */
  characters: number
}

/** Caches the stems of words, which only the database can compute. The stem of a word never changes. */
export class Stems {
  private readonly known = new Map<Language, Known>()

  /** The words of a question whose stems are not cached, one in each item. To learn these displaces none of the others. */
  unknown(languages: ReadonlyArray<LanguageCount>, question: BoundedText): ReadonlyArray<QueryWords> {
    return languages.flatMap(({ language }) => {
      const { stems } = this.of(language)
      const missing = new Set<string>()
      const words = wordsOf(question, language)
      for (const word of [...words, ...lettersOf(words)]) {
        const stem = stems.get(word)
        if (stem === undefined) missing.add(word)
        else {
          stems.delete(word)
          stems.set(word, stem)
        }
      }
      return Array.from(missing, (word) => ({ language, words: word }))
    })
  }

  /**
   * Adds words to the cache, which displace the oldest ones where the cache is full.
   *
   * @param analyses the binary `tsvector` of each item, in the same order
   */
  learn(items: ReadonlyArray<QueryWords>, analyses: ReadonlyArray<Uint8Array>): void {
    for (const [index, { language, words }] of items.entries()) {
      const known = this.of(language)
      const analysis = analyses[index] ?? NO_LEXEMES
      const terms: Array<Term> = []
      readLexemes(analysis, language, (term) => void terms.push(term))
      if (!known.stems.has(words)) known.characters += words.length
      known.stems.set(words, { terms, texts: lexemeTexts(analysis) })
      for (const oldest of known.stems.keys()) {
        if (known.stems.size <= WORDS_MAX && known.characters <= CHARACTERS_MAX) break
        known.stems.delete(oldest)
        known.characters -= oldest.length
      }
    }
  }

  /**
   * Makes a query of a question. Returns undefined when the stem of a word is not cached.
   *
   * @param languages the languages of the knowledge base
   * @param synonyms those of the chatbot, if it has any
   * @param isKnown whether any passage holds a term; undefined where that is not known
   */
  query(
    languages: ReadonlyArray<LanguageCount>,
    question: BoundedText,
    commonness: (word: string) => number,
    synonyms?: Synonyms,
    isKnown?: (term: Term) => boolean,
  ): LexicalQuery | undefined {
    const passages = languages.reduce((sum, { texts }) => sum + texts, 0)
    const own = languageAmong(languages, question)
    const stemmed: Array<StemmedWords> = []
    const alternatives: Array<QueryWord["alternatives"]> = []
    for (const { language, texts } of languages) {
      const words = this.stemmed(language, question)
      if (words === undefined) return undefined
      const synonymous = language === own ? (synonyms?.alternativesOf(language, words) ?? []) : []
      for (const [place, those] of [...synonymous.entries(), ...this.writings(language, words, isKnown)]) {
        if (those !== undefined) alternatives[place] = [...(alternatives[place] ?? []), ...those]
      }
      stemmed.push({
        stems: words.map(({ stem }) => stem.terms),
        written: { language, texts: words.map(({ stem }) => stem.texts) },
        share: texts / passages,
      })
    }
    const query = makeLexicalQuery(
      wordsOf(question),
      stemmed,
      languages.findIndex(({ language }) => language === own),
      commonness,
      sentencesOf(question),
      alternatives,
    )
    const telling = query.filter(({ spelling }) => !isFunctionWord(spelling?.word ?? "", own))
    return telling.length > 0 ? telling : query
  }

  /** The other writings of codes among words, each for the places of the words that it stands for. */
  private writings(
    language: Language,
    words: ReadonlyArray<StemmedWord>,
    isKnown: ((term: Term) => boolean) | undefined,
  ): ReadonlyArray<readonly [place: number, ReadonlyArray<Alternative>]> {
    const { stems } = this.of(language)
    // No stemmer changes a word that has a digit.
    const stemOf = (piece: string): Stem => stems.get(piece) ?? { terms: [termOf(piece, language)], texts: [piece] }
    const isHeld =
      isKnown &&
      ((piece: string) => {
        const { terms } = stemOf(piece)
        return terms.length === 0 || terms.some(isKnown)
      })
    // Of what is not looked up, nothing is tried that has a stop word.
    const tried = words.map(({ stem, word }) => (isHeld !== undefined || stem.terms.length > 0 ? word : ""))
    return writingsOf(tried, isHeld).flatMap(({ from, pieces, to }) => {
      const telling = pieces.map(stemOf).filter(({ terms }) => terms.length > 0)
      if (!isTelling(pieces, telling)) return []
      const alternative = { text: pieces.join(" "), words: telling }
      return Array.from({ length: to - from }, (_, index) => [from + index, [alternative]] as const)
    })
  }

  /** The words of a text in order, with their stems in a language; undefined when one of these is not cached. */
  stemmed(language: Language, text: BoundedText): ReadonlyArray<StemmedWord> | undefined {
    const { stems } = this.of(language)
    const words: Array<StemmedWord> = []
    for (const word of wordsOf(text, language)) {
      const stem = stems.get(word)
      if (stem === undefined) return undefined
      words.push({ word, stem })
    }
    return words
  }

  /** The lexemes of a question by their terms, as the database stores them. */
  lexemes(languages: ReadonlyArray<LanguageCount>, question: BoundedText): ReadonlyMap<Term, string> {
    const texts = new Map<Term, string>()
    for (const { language } of languages) {
      for (const word of wordsOf(question, language)) {
        const stem = this.of(language).stems.get(word) ?? NO_STEM
        for (const [index, term] of stem.terms.entries()) texts.set(term, stem.texts[index] ?? "")
      }
    }
    return texts
  }

  private of(language: Language): Known {
    const known = this.known.get(language) ?? { stems: new Map<string, Stem>(), characters: 0 }
    this.known.set(language, known)
    return known
  }
}

/** Whether what is left of a writing without stop words, as the `e` of `E-1042` is one in Spanish, still names the code. */
const isTelling = (pieces: ReadonlyArray<string>, telling: ReadonlyArray<Stem>): boolean =>
  telling.length === pieces.length || telling.some(({ texts: [text = ""] }) => /\p{Nd}{3}/u.test(text))

/** A binary `tsvector` without lexemes: a count of 0. */
const NO_LEXEMES = new Uint8Array(4)

const wordsOf = (question: BoundedText, language?: Language): ReadonlyArray<string> => {
  const words = spacedWords(question, language)
  return words === "" ? [] : words.split(" ")
}

/** The end of a sentence. Between digits, and within names, a point ends none. */
const SENTENCE_END = /(?<=[.!?;؟])\s+|(?<=[。！？；])/u
const ASKS = /[?？؟]$/u

/**
 * The number of the sentence of each word of a question, none where it is a single one: 0 for those of sentences that
 * stand beside others which end in a question mark.
 */
const sentencesOf = (question: BoundedText): ReadonlyArray<number> => {
  const sentences = question.trim().split(SENTENCE_END)
  const isAsked = sentences.some((sentence) => ASKS.test(sentence))
  return sentences.length < 2
    ? []
    : sentences.flatMap((sentence, index) =>
        wordsOf(bounded(sentence)).map(() => (isAsked && !ASKS.test(sentence) ? 0 : index + 1)),
      )
}
