import { UNKNOWN_SHARE } from "../../language/words/Commonness.ts"
import type { Language } from "../../language/Language.ts"
import { compoundsWith, partsOf } from "../segments/Compounds.ts"
import { type Term, termOf } from "../segments/Lexemes.ts"
import { postingCount, rankOf, type Segment } from "../segments/Segment.ts"
import type { LexicalQuery, QueryWord } from "./LexicalQuery.ts"

/*
 * Corrects typing errors in words of a question that no passage holds. An index knows terms and not their texts, so
 * everything that one error may have made of a word is made, and looked up: one letter too many, one missing, a wrong
 * one, or two in the wrong order. The stem of a misspelled word may be wrong by more than the error ("prcies" is no
 * plural), so that the word itself is corrected too, and its beginnings are looked up in place of its stem.
 *
 * A name that the passages lack must not become another one that they hold. So the first letter stays, unless it was
 * swapped; a word that texts in general know is no error, as far as they know it; and in short words no letter is
 * replaced, and neither end is changed. What is found in place of a word counts less than the word itself, in score and
 * in similarity.
 */

/** The least length of a word that is corrected, in letters. */
const LEAST_LENGTH = 4
/** The length from which on letters are replaced, and both ends may change. */
const LONG_LENGTH = 6
/** The number of letters at the beginning of a word by which `commonness` knows it. */
const KNOWN_LETTERS = 6
/** The least length of a beginning that stands for a stem. */
const LEAST_STEM = 4
/** The most letters of a word that its stem leaves out. */
const MOST_DROPPED = 3

/** The letters of each script in which words are corrected. */
const ALPHABETS: ReadonlyArray<readonly [script: RegExp, letters: string]> = [
  [/^\p{Script=Latin}+$/u, "abcdefghijklmnopqrstuvwxyz"],
  [/^\p{Script=Cyrillic}+$/u, "абвгдежзийклмнопрстуфхцчшщъыьэюя"],
  [/^\p{Script=Greek}+$/u, "αβγδεζηθικλμνξοπρσςτυφχψω"],
  [/^\p{Script=Arabic}+$/u, "ءابةتثجحخدذرزسشصضطظعغفقكلمنهوىي"],
  [/^\p{Script=Hebrew}+$/u, "אבגדהוזחטיךכלםמןנסעףפץצקרשת"],
]

/** The letters that a language has beside those of its script. */
const MORE_LETTERS: { readonly [Name in Language]?: string } = {
  catalan: "àçéèíïóòúü",
  danish: "æøå",
  finnish: "äö",
  french: "àâçéèêëîïôûù",
  german: "äöüß",
  greek: "άέήίόύώ",
  hungarian: "áéíóöőúüű",
  italian: "àèéìòù",
  lithuanian: "ąčęėįšųūž",
  norwegian: "æøå",
  portuguese: "áâãàçéêíóôõú",
  romanian: "ăâîșț",
  russian: "ё",
  spanish: "áéíñóúü",
  swedish: "åäö",
  turkish: "çğıöşü",
}

/**
 * The most work for one question: the sum of the squared lengths of its misspelled words, for each language. It lets six
 * words of ten letters be corrected, in some ten milliseconds.
 */
const MOST_WORK = 600

/**
 * The question with each word that no passage holds replaced by the terms of its parts, or by that of the similar word
 * that most passages hold, in each language. Words without a similar one stay as they are.
 */
export const corrected = (
  query: LexicalQuery,
  isMissing: (word: QueryWord) => boolean,
  segments: ReadonlyArray<Segment>,
): LexicalQuery => {
  let work = 0
  return query.map((word) => {
    if (!isMissing(word)) return word
    work += (word.spelling?.word.length ?? 0) ** 2 * word.stems.length
    return work > MOST_WORK ? word : correctedWord(word, segments)
  })
}

const correctedWord = (asked: QueryWord, segments: ReadonlyArray<Segment>): QueryWord => {
  const { commonness, droppedShare, isPair, spelling } = asked
  const alphabet = ALPHABETS.find(([script]) => script.test(spelling?.word ?? ""))?.[1]
  if (spelling === undefined || alphabet === undefined || isPair || droppedShare > 0) return asked
  const { lexemes, word } = spelling
  if (word.length < LEAST_LENGTH) return asked
  const inCompounds = lexemes.map((lexeme) => {
    if (lexeme === undefined) return []
    const { language, text } = lexeme
    return segments.flatMap(({ compounds }) => {
      const those = compounds.get(language)
      return those === undefined ? [] : compoundsWith(text, language, those)
    })
  })
  if (inCompounds.some((terms) => terms.length > 0)) return { ...asked, stems: inCompounds, isCorrected: true }
  const isKnown = commonness > UNKNOWN_SHARE
  if (isKnown && word.length <= KNOWN_LETTERS) return asked
  const from = isKnown ? KNOWN_LETTERS : 0
  const stems = lexemes.map((lexeme) => {
    if (lexeme === undefined) return []
    const { language, text } = lexeme
    const parts = partsOf(text, language, (term) => segments.some((segment) => rankOf(segment, term) >= 0))
    if (parts.length > 0) return parts
    const best = bestOf(word, text, from, language, alphabet + (MORE_LETTERS[language] ?? ""), segments)
    return best === undefined ? [] : [best]
  })
  return stems.some((terms) => terms.length > 0) ? { ...asked, stems, isCorrected: true } : asked
}

/**
 * The term that an error may have changed: one without dropped letters, and then the one that most passages hold.
 *
 * @param from the index of the first letter that may be wrong
 */
const bestOf = (
  word: string,
  stem: string,
  from: number,
  language: Language,
  alphabet: string,
  segments: ReadonlyArray<Segment>,
): Term | undefined => {
  let best: Term | undefined
  let fewest = MOST_DROPPED + 1
  let most = 0
  const isLong = word.length >= LONG_LENGTH
  const offer = (term: Term, dropped: number) => {
    if (dropped > fewest) return
    let count = 0
    for (const segment of segments) count += postingCount(segment, rankOf(segment, term))
    if (count === 0 || (dropped === fewest && count <= most)) return
    best = term
    fewest = dropped
    most = count
  }
  // Some stemmers leave out letters in front.
  const fromOfStem = Math.max(0, from - Math.max(0, word.indexOf(stem.slice(0, LEAST_STEM))))
  forEachEdit(stem, fromOfStem, alphabet, isLong, (edited) => offer(termOf(edited, language), 0))
  if (!isLong || best !== undefined) return best
  forEachEdit(word, from, alphabet, isLong, (edited) => {
    // A beginning that the word itself has would be the stem of another word.
    let same = 0
    while (edited[same] === word[same]) same++
    const least = Math.max(LEAST_STEM, same + 1, edited.length - MOST_DROPPED)
    for (let length = edited.length; length >= least; length--) {
      offer(termOf(edited.slice(0, length), language), edited.length - length)
    }
  })
  return best
}

/**
 * Calls `visit` with everything of which one error makes the text.
 *
 * @param first the index of the first letter that may be wrong
 * @param isLong whether letters may be replaced, and the last one may be changed
 */
const forEachEdit = (
  text: string,
  first: number,
  alphabet: string,
  isLong: boolean,
  visit: (edited: string) => void,
): void => {
  const { length } = text
  const last = isLong ? length : length - 1
  for (let index = first; index <= length; index++) {
    const [before, from, after] = [text.slice(0, index), text.slice(index), text.slice(index + 1)]
    const [letter, next] = [text[index], text[index + 1]]
    if (next !== undefined && letter !== next) visit(`${before}${next}${letter}${text.slice(index + 2)}`)
    if (index === 0) continue
    if (index < last) visit(`${before}${after}`)
    for (const other of alphabet) {
      if (index < length || isLong) visit(`${before}${other}${from}`)
      if (isLong && index < length && other !== letter) visit(`${before}${other}${after}`)
    }
  }
}
