import { wordsOf } from "../../../src/language/words/UnicodeWords.ts"
import type { Kind } from "./Case.ts"
import { bounded } from "../../../src/text/BoundedText.ts"

/* What a question asks for, by its form, and what a hasty writer makes of it. */

interface Forms {
  readonly number: RegExp
  readonly date: RegExp
  readonly definition: RegExp
}

const FORMS: Readonly<Record<string, Forms>> = {
  en: {
    number: /^how (?:many|much)\b|\bhow (?:many|much)\b|what (?:percent|percentage|number)\b/i,
    date: /^when\b|\b(?:what|which) (?:year|date|century|decade|month|day)\b/i,
    definition: /^what (?:is|are|was|were) (?:an? |the )?[^ ?]+(?: [^ ?]+){0,2}\?$/i,
  },
  de: {
    number: /\bwie ?viele?n?\b|^wie hoch\b/i,
    date: /^(?:seit )?wann\b|welche[mns]? (?:jahr|datum|jahrhundert|jahrzehnt|monat|tag)/i,
    definition: /^was (?:ist|sind|war|waren) (?:eine? |der |die |das )?[^ ?]+(?: [^ ?]+){0,2}\?$/i,
  },
  ru: {
    number: /сколько|какой процент|какое количество/i,
    date: /^когда|в каком (?:году|веке)|какого числа/i,
    definition: /^что (?:такое|значит|означает)/i,
  },
  ar: {
    number: /(?:^|\s)كم(?:\s|$)/,
    date: /^متى|(?:أي|اي) (?:عام|سنة|قرن|تاريخ)/,
    definition: /^ما (?:هو|هي) [^ ?؟]+(?: [^ ?؟]+){0,2}[?؟]$|المقصود/,
  },
  tr: {
    number: /(?:^|\s)kaç(?:\s|$)|ne kadar/i,
    date: /ne zaman|hangi (?:yıl|tarih|yüzyıl|ay|gün)/i,
    definition: /^[^ ?]+(?: [^ ?]+){0,2} nedir\?$|ne demek/i,
  },
  zh: {
    number: /多少|几/,
    date: /何时|什么时候|哪一?年|什么时间|哪个世纪|几世纪/,
    definition: /^什么是|^.{2,8}是什么[?？]$/,
  },
}

/** The shortest answer that explains something: shorter ones are mostly names. */
const EXPLANATION_MIN_LENGTH = 16
const EXPLANATION_MIN_LENGTH_HAN = 6

/** What kind of fact a question of a language asks for. */
export const kindOf = (question: string, language: string, answers: ReadonlyArray<string>): Kind => {
  const forms = FORMS[language]
  const text = question.trim()
  if (forms?.date.test(text) === true) return "date"
  if (forms?.number.test(text) === true) return "number"
  const least = language === "zh" ? EXPLANATION_MIN_LENGTH_HAN : EXPLANATION_MIN_LENGTH
  const explains = answers.every((answer) => answer.length >= least && !/\d/.test(answer))
  return forms?.definition.test(text) === true && explains ? "definition" : "sentence"
}

const LONG_WORD = 7
const VERY_LONG_WORD = 13

/**
 * A question with a typing error in a long word of the text that answers it: two letters swapped, one left out, or one
 * doubled; in a very long word two of these. Undefined when it has no such word.
 */
export const mistyped = (question: string, text: string, draw: () => number): string | undefined => {
  const starts = new Set(wordsOf(bounded(text)).map(beginning))
  const words = Array.from(question.matchAll(/[\p{L}\p{M}]+/gu)).filter(
    ([word]) => word.length >= LONG_WORD && starts.has(beginning(word.toLowerCase())),
  )
  const chosen = words[Math.floor(draw() * words.length)]
  if (chosen === undefined) return undefined
  const [word] = chosen
  const once = withError(word, draw)
  const wrong = word.length >= VERY_LONG_WORD ? withError(once, draw) : once
  return question.slice(0, chosen.index) + wrong + question.slice(chosen.index + word.length)
}

/** Whether a question says who or what it is about. "What school did he attend?" does not. */
export const namesItsSubject = (question: string, language: string): boolean =>
  language !== "en" || !/\b(?:he|she|they|his|him|her|their|it|its)\b/i.test(question) || /\s\p{Lu}/u.test(question)

/** The part of a word that its forms share, mostly. */
export const beginning = (word: string): string => word.slice(0, 5)

/** The first letter stays: few people mistype it. */
const withError = (word: string, draw: () => number): string => {
  const at = 1 + Math.floor(draw() * (word.length - 2))
  const [letter = "", next = ""] = word.slice(at, at + 2)
  const kind = Math.floor(draw() * 3)
  if (kind === 0 && letter !== next) return word.slice(0, at) + next + letter + word.slice(at + 2)
  if (kind === 1) return word.slice(0, at) + word.slice(at + 1)
  return word.slice(0, at) + letter + word.slice(at)
}
