import { mayLackAccents, plainLetters, withoutPairs } from "../../language/words/PlainLetters.ts"
import type { Language } from "../../language/Language.ts"
import { type Term, termOf } from "../segments/Lexemes.ts"
import { rankOf, type Segment, termsWithPlain } from "../segments/Segment.ts"
import type { LexicalQuery, QueryWord } from "./LexicalQuery.ts"

/*
 * Words that passages write with other letters than a question: without accents, in traditional characters, with the
 * letters of another keyboard. People who type accents mean them, so a word that passages hold as it is typed has no other
 * form in Latin and Greek, unless the whole question was typed without any.
 */

/** Endings that stemmers take away, as `sécur` of `sécurité`, and do not know without their accents. */
const ENDINGS: { readonly [Name in Language]?: RegExp } = {
  catalan: /(?:cio|sio|tat)$/,
  french: /(?:te|ee)s?$/,
  italian: /ta$/,
  portuguese: /(?:[cs]ao|[cs]oes|encia|ancia)$/,
  spanish: /[csx]ion$/,
}
/** The most letters that the stem of such a word lacks of it, and the least length of the stem. */
const DROPPED_MAX = 5
const STEM_LEAST = 4

/** A question with the terms of the other forms in which passages write its words. */
export const inWrittenForms = (query: LexicalQuery, segments: ReadonlyArray<Segment>): LexicalQuery => {
  const isHeld = (term: Term) => segments.some((segment) => rankOf(segment, term) >= 0)
  const withPlain = (plain: string, language: Language) => {
    const term = termOf(plain, language)
    const found = segments.flatMap((segment) => termsWithPlain(segment, term))
    return isHeld(term) ? [term, ...found] : found
  }
  const isPlain = query.every(({ spelling }) => spelling === undefined || spelling.word === plainLetters(spelling.word))
  const formsOf = (word: string, { language, text }: { language: Language; text: string }): ReadonlyArray<Term> => {
    const own = termOf(text, language)
    const plain = plainLetters(text)
    const isTyped = isHeld(own)
    if (isTyped && mayLackAccents(text) && (!isPlain || plain !== text)) return []
    const forms = withPlain(plain, language).filter((term) => term !== own)
    if (isTyped || forms.length > 0 || !mayLackAccents(text)) return forms
    // A stemmer may take an ending away that it does not know with its accents.
    for (const other of [withoutPairs(plain, language), plainLetters(word)]) {
      const others = withPlain(other, language)
      if (others.length > 0) return others
    }
    return isPlain ? stemsOf(word, language) : []
  }
  const stemsOf = (word: string, language: Language): ReadonlyArray<Term> => {
    if (ENDINGS[language]?.test(word) !== true) return []
    const least = Math.max(STEM_LEAST, word.length - DROPPED_MAX)
    for (let length = word.length - 1; length >= least; length--) {
      const found = withPlain(word.slice(0, length), language)
      if (found.length > 0) return found
    }
    return []
  }
  return query.map((word): QueryWord => {
    const { spelling } = word
    if (spelling === undefined) return word
    let isOtherwise = false
    const stems = word.stems.map((terms, index) => {
      const lexeme = spelling.lexemes[index]
      const forms = lexeme === undefined ? [] : formsOf(spelling.word, lexeme)
      isOtherwise ||= forms.length > 0
      return forms.length === 0 ? terms : Array.from(new Set([...terms, ...forms]))
    })
    return isOtherwise ? { ...word, stems } : word
  })
}
