import type { BoundedText } from "./BoundedText.ts"
import type { Language } from "./Language.ts"
import { normalize } from "./Normalization.ts"

/*
 * Splits text into words between single spaces, ready for stemming. The database's own parser is not used: it depends
 * on the database's locale, keeps paths and host names whole, and takes a Chinese sentence for one word.
 */

/** Scripts written without spaces, as a part of an expression. */
export const UNSPACED = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}`
/** Scripts whose words are split into pairs: also Korean, which glues particles to its words. */
const PAIRED = String.raw`${UNSPACED}\p{Script=Hangul}`
const HAS_PAIRED = new RegExp(`[${PAIRED}]`, "u")
const PAIRED_RUN = new RegExp(`[${PAIRED}][${PAIRED}\\p{M}ー]*`, "gu")

/** Invisible characters that hyphenation leaves within words. */
const SOFT_HYPHEN = /\u00ad/g
const ASCII_WORD = /[A-Za-z0-9]+(?:_[A-Za-z0-9]+)*/g
const MAY_BE_COMPOUND = /_|[a-z][A-Z]|[A-Z]{2}[a-z]/
const NAME_PART = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+/g
const NOT_IN_WORDS = /(?:[^\p{L}\p{M}\p{N}.]|(?<!\p{N})\.|\.(?!\p{N}))+/gu
/**
 * Matches a character beyond ASCII. A text without one, as most are, is split by the expression below in half the time.
 */
const BEYOND_ASCII = /[^\0-\x7f]/
const NOT_IN_ASCII_WORDS = /(?:[^a-z0-9.]|(?<![0-9])\.|\.(?![0-9]))+/g

/**
 * The words of a text in lower case. Names in code are returned whole and in parts (`readFile` → `readfile read file`),
 * a point is kept only between digits, and runs of a script without spaces become overlapping pairs of characters.
 */
export const spacedWords = (text: BoundedText, language?: Language): string => {
  const isAscii = !BEYOND_ASCII.test(text)
  const plain = isAscii ? text : normalize(text, "NFKC").replace(SOFT_HYPHEN, "")
  const whole = MAY_BE_COMPOUND.test(plain) ? plain.replace(ASCII_WORD, nameAndParts) : plain
  // Turkish has two letters i, which the common rules of case would merge.
  const lower = language === "turkish" ? whole.toLocaleLowerCase("tr") : whole.toLowerCase()
  if (isAscii && language !== "turkish") return lower.replace(NOT_IN_ASCII_WORDS, " ").trim()
  const words = lower.replace(NOT_IN_WORDS, " ")
  return (HAS_PAIRED.test(words) ? words.replace(PAIRED_RUN, pairs).replace(/ {2,}/g, " ") : words).trim()
}

/** Whether a word is a pair of characters of a script without spaces. */
export const isPair = (word: string): boolean => HAS_PAIRED.test(word)

const nameAndParts = (name: string): string => {
  if (!MAY_BE_COMPOUND.test(name)) return name
  const parts = name.match(NAME_PART) ?? []
  return parts.length > 1 ? `${name.replaceAll("_", "")} ${parts.join(" ")}` : name
}

const pairs = (run: string): string => {
  const characters = Array.from(run)
  if (characters.length === 1) return ` ${run} `
  let out = " "
  for (let index = 1; index < characters.length; index++) out += `${characters[index - 1]}${characters[index]} `
  return out
}
