import { isFunctionWord, languageShownIn } from "../language/Detection.ts"
import { locales } from "../language/Locales.ts"
import { type BoundedText, bounded, MESSAGE_MAX_LENGTH } from "../text/BoundedText.ts"
import { commonness, roughStem } from "../language/words/Commonness.ts"
import { wordsOf } from "../language/words/UnicodeWords.ts"
import { spacedWords, UNSPACED } from "../language/words/Words.ts"

/** A word by which questions are compared, or a pair of characters of a script without spaces. */
export interface Term {
  readonly stem: string
  /** The word as the user writes it. */
  readonly spelling: string
  /** The stem of the word that follows immediately; empty where a function word or the end of the question does. */
  readonly next: string
  /** The share of all texts in the word's language that hold it, 0–1. */
  readonly commonness: number
}

/** The most terms of a question, and of a topic. */
export const TERMS_MAX = 40
const TERM_MAX_LENGTH = 40
const WRITTEN_WORD = /[\p{L}\p{M}\p{N}]+/gu
const UNSPACED_RUN = new RegExp(`[${UNSPACED}]{2}`, "u")
const CAPITAL_WITHIN = /.\p{Lu}/u
/** Matches what names a person or an order: addresses of e-mail and of pages, and numbers of five digits or more. */
const PERSONAL = /\S+@\S+|https?:\/\/\S+|\p{N}(?:[\s().+-]?\p{N}){4,}/gu

/** Whether a text has an address or a long number, which may be somebody's. */
export const isPersonal = (text: BoundedText): boolean => text.search(PERSONAL) !== -1

/**
 * Returns the terms of a question: its words without function words, each once. Addresses and long numbers are left out,
 * since topics outlive the questions. A word at the beginning is in lower case, unless it has a capital within.
 */
export const termsOf = (question: string): ReadonlyArray<Term> => {
  const text = bounded(bounded(question, MESSAGE_MAX_LENGTH).replaceAll(PERSONAL, " "), MESSAGE_MAX_LENGTH)
  const language = locales[languageShownIn(text) ?? "en"].stemmer
  const spellings = new Map<string, string>()
  for (const [word] of text.matchAll(WRITTEN_WORD)) {
    const isFirst = spellings.size === 0 && !CAPITAL_WITHIN.test(word)
    spellings.set(word.toLowerCase(), isFirst ? word.toLowerCase() : word)
  }
  const isTelling = (word: string) =>
    word.length > 1 && word.length <= TERM_MAX_LENGTH && !isFunctionWord(word, language)
  // Pairs of characters of a script without spaces do not stand across two words, of which many are function words.
  const apart = UNSPACED_RUN.test(text) ? bounded(wordsOf(text).filter(isTelling).join(" "), MESSAGE_MAX_LENGTH) : text
  const words = spacedWords(bounded(apart.toLowerCase(), MESSAGE_MAX_LENGTH), language).split(" ")
  const terms = new Map<string, Term>()
  for (const [index, word] of words.entries()) {
    const stem = roughStem(word)
    if (!isTelling(word) || terms.has(stem)) continue
    const following = words[index + 1]
    const next = following !== undefined && isTelling(following) ? roughStem(following) : ""
    terms.set(stem, { stem, spelling: spellings.get(word) ?? word, next, commonness: commonness(word) })
    if (terms.size === TERMS_MAX) break
  }
  return Array.from(terms.values())
}
