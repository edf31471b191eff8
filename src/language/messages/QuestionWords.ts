import type { BoundedText } from "../../text/BoundedText.ts"
import { PhraseBook, tokensOf, wordCount } from "../words/PhraseBook.ts"
import { locales, type SpokenLanguage, spokenLanguages } from "../Locales.ts"
import { functionBook } from "./Books.ts"

interface Meaning {
  readonly language: SpokenLanguage
  readonly token: ReadonlyArray<string>
}

/** Stands for all beginnings that ask for a way. No word looks like it. */
const HOW = "?how"

const book = new PhraseBook<Meaning>(() =>
  spokenLanguages.flatMap((language) => {
    const { how, silent } = locales[language].asking
    return [
      ...(silent === undefined ? [] : [[silent, { language, token: [] }] as const]),
      ...(how === undefined ? [] : [[how, { language, token: [HOW] }] as const]),
    ]
  }),
)

/** A question with fewer words about its subject is recognized only by all of its words, since many others share them. */
const WORDS_MIN = 2

/**
 * The words of a question that tell it from others, in order: without articles, politeness and the like, and with one
 * token for all ways to ask for a way. Everything that changes the meaning stays: denials, numbers, names, prepositions
 * and question words. Empty where these words are too few to recognize the question by.
 */
export const questionWords = (question: BoundedText, language: SpokenLanguage): ReadonlyArray<string> => {
  const tokens = tokensOf(question)
  const words: Array<string> = []
  const subject: Array<string> = []
  let asks = false
  for (let at = 0; at < tokens.length;) {
    const isOwn = (meaning: { readonly language: SpokenLanguage }) => meaning.language === language
    const phrase = functionBook.at(tokens, at, isOwn)
    const found = book.at(tokens, at, isOwn)
    const same = (found?.length ?? 0) < (phrase?.length ?? 0) ? undefined : found
    const length = same?.length ?? phrase?.length ?? 1
    const own = same?.meanings[0]?.token ?? tokens.slice(at, at + length)
    const roles = phrase?.meanings.map(({ role }) => role) ?? []
    words.push(...own)
    asks ||= own.includes(HOW) || roles.includes("questions")
    if (same === undefined && (roles.length === 0 || roles.includes("attributes"))) subject.push(...own)
    at += length
  }
  const count = wordCount(subject)
  return count >= WORDS_MIN || (count > 0 && asks) ? words : []
}
