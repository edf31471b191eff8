import type { BoundedText } from "../../text/BoundedText.ts"
import type { Language } from "../Language.ts"
import { normalize } from "../../text/Normalization.ts"

/*
 * Splits text into words between single spaces, ready for stemming. The database's own parser is not used: it depends
 * on the database's locale, keeps paths and host names whole, and takes a Chinese sentence for one word.
 */

/** Scripts written without spaces, as a part of an expression. */
export const UNSPACED = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}`
/** Scripts without spaces whose characters are letters, of which several are a syllable. */
const SYLLABIC = /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
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
 * a point is kept only between digits, and runs of a script without spaces become overlapping pairs of characters, or
 * words with triples of characters where dictionaries tell the words.
 */
export const spacedWords = (text: BoundedText, language?: Language): string => {
  const isAscii = !BEYOND_ASCII.test(text)
  const plain = isAscii ? text : normalize(text, "NFKC").replace(SOFT_HYPHEN, "")
  const whole = MAY_BE_COMPOUND.test(plain) ? plain.replace(ASCII_WORD, nameAndParts) : plain
  // Turkish has two letters i, which the common rules of case would merge.
  const lower = language === "turkish" ? whole.toLocaleLowerCase("tr") : whole.toLowerCase()
  if (isAscii && language !== "turkish") return lower.replace(NOT_IN_ASCII_WORDS, " ").trim()
  const words = lower.replace(NOT_IN_WORDS, " ")
  return (HAS_PAIRED.test(words) ? words.replace(PAIRED_RUN, piecesOf).replace(/ {2,}/g, " ") : words).trim()
}

/** Whether a word is a piece, mostly a pair of characters, of a script without spaces. */
export const isPair = (word: string): boolean => HAS_PAIRED.test(word)

/** Scripts by the number of pieces that hold about as much as one word: by the same questions in XQuAD, and by JaQuAD. */
const PIECES_PER_WORD: ReadonlyArray<readonly [script: RegExp, pieces: number]> = [
  [SYLLABIC, 8],
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/u, 3],
  [/\p{Script=Hangul}/u, 3],
  [/\p{Script=Han}/u, 2],
]

/** The number of such words as this one that hold about as much as one word. */
export const termsPerWord = (word: string): number =>
  isPair(word) ? (PIECES_PER_WORD.find(([script]) => script.test(word))?.[1] ?? 1) : 1

const nameAndParts = (name: string): string => {
  if (!MAY_BE_COMPOUND.test(name)) return name
  const parts = name.match(NAME_PART) ?? []
  return parts.length > 1 ? `${name.replaceAll("_", "")} ${parts.join(" ")}` : name
}

/** Splits a text into words by dictionaries. Made when a text needs it: most processes read none. */
let segmenter: Intl.Segmenter | undefined
const CHARACTER = /\P{M}\p{M}*|^\p{M}+/gu

/**
 * The words of a run by a dictionary, and its overlapping triples of characters: names, which no dictionary has, are
 * split in another way in each sentence.
 */
const wordsAndTriples = (run: string): string => {
  // Dictionaries have the vowel am in one piece, which compatibility forms take apart.
  const whole = run.replaceAll("\u0e4d\u0e32", "\u0e33").replaceAll("\u0ecd\u0eb2", "\u0eb3")
  const characters = run.match(CHARACTER) ?? []
  let out = " "
  segmenter ??= new Intl.Segmenter("th", { granularity: "word" })
  for (const { segment } of segmenter.segment(whole)) out += `${segment} `
  for (let index = 2; index < characters.length; index++)
    out += `${characters[index - 2]}${characters[index - 1]}${characters[index]} `
  return out
}

const piecesOf = (run: string): string => {
  if (SYLLABIC.test(run)) return wordsAndTriples(run)
  const characters = Array.from(run)
  if (characters.length === 1) return ` ${run} `
  let out = " "
  for (let index = 1; index < characters.length; index++) out += `${characters[index - 1]}${characters[index]} `
  return out
}
