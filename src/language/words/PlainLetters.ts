import { Converter } from "opencc-js/t2cn"
import type { Language } from "../Language.ts"
import { normalize } from "../../text/Normalization.ts"

/*
 * The same word is written with other letters: `hoàn tiền` and `hoan tien`, `расчёт` and `расчет`, 機場 and 机场. Their
 * plain letters are the same. Text is kept, and searched, as it is written; plain letters find what is written otherwise.
 */

const ASCII = /^[\0-\x7f]*$/
const ACCENTED = /^[\p{Script=Latin}\p{Script=Greek}\p{M}]+$/u
const MARKS = /\p{M}/gu
/** Letters of Latin that are not made of another one and a mark. */
const LATIN: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  ð: "d",
  ø: "o",
  þ: "th",
  đ: "d",
  ı: "i",
  ł: "l",
  œ: "oe",
}
/** Letters of other scripts that keyboards, or habits, exchange. */
const OTHERS: Readonly<Record<string, string>> = {
  ё: "е",
  آ: "ا",
  أ: "ا",
  إ: "ا",
  ٱ: "ا",
  ة: "ه",
  ۀ: "ه",
  ۃ: "ه",
  ى: "ی",
  ي: "ی",
  ئ: "ی",
  ؤ: "و",
  ك: "ک",
  "ँ": "ं",
}
const LATIN_LETTER = new RegExp(`[${Object.keys(LATIN).join("")}]`, "gu")
/** Vowel points of Hebrew and Arabic, the stretching of Arabic and the dot below of Devanagari. */
const POINTS = /[[\u0591-\u05c7\u064b-\u065f\u0670\u093c]&&\p{Mn}]|\u0640/v
const KATAKANA = /[ァ-ヶ]/v
/** From a letter of Katakana back to that of Hiragana. */
const KANA_DISTANCE = 0x60
const OTHER_LETTER = new RegExp(`[${Object.keys(OTHERS).join("")}]|${POINTS.source}|${KATAKANA.source}`, "gv")
const plainLetter = (letter: string): string =>
  OTHERS[letter] ?? (KATAKANA.test(letter) ? String.fromCharCode(letter.charCodeAt(0) - KANA_DISTANCE) : "")
const HAN = /\p{Script=Han}/u

/** Writes traditional characters as simplified ones. */
let simplified: ((text: string) => string) | undefined

/** Whether a word is written in a script whose letters people type without their accents. */
export const mayLackAccents = (word: string): boolean => ACCENTED.test(word)

/** A word of `spacedWords` in its plain letters; itself where it has no others. */
export const plainLetters = (word: string): string => {
  if (ASCII.test(word)) return word
  if (ACCENTED.test(word)) {
    return normalize(word, "NFD")
      .replace(MARKS, "")
      .replace(LATIN_LETTER, (letter) => LATIN[letter] ?? letter)
  }
  if (HAN.test(word)) return (simplified ??= Converter({ from: "t", to: "cn" }))(word)
  return word.replace(OTHER_LETTER, plainLetter)
}

/** Pairs of letters in which Danish and Norwegian write one where the keyboard lacks it, in plain letters. */
const PAIRS: { readonly [Name in Language]?: RegExp } = { danish: /aa|oe/g, norwegian: /aa|oe/g }

/** A word in plain letters with one letter for each pair that may stand for it. */
export const withoutPairs = (plain: string, language: Language): string => {
  const pairs = PAIRS[language]
  return pairs === undefined ? plain : plain.replace(pairs, ([letter = ""]) => letter)
}
