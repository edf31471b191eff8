import { normalize } from "../../text/Normalization.ts"

/*
 * Codes, such as part numbers, versions, telephone numbers and quantities with their units, are written in many ways:
 * `PPR-9087`, `PPR 9087` and `PPR9087` are one code, `500 mg` and `500mg` one quantity. The words of a text are kept as
 * it writes them, so a question is expanded by the other ways in which passages write its codes.
 */

/** Another way to write some words of a question, from index `from` to before `to`. */
export interface Writing {
  readonly from: number
  readonly to: number
  readonly pieces: ReadonlyArray<string>
}

/** The most words of a question that are one code, such as those of an account number in groups of four digits. */
const WORDS_MAX = 9
/** The most characters of a code. */
const LENGTH_MAX = 40
/** The most letters that stand together in a code. */
const LETTERS_MAX = 5
/** The same where it is not known which words passages hold. */
const TRIED = { words: 4, letters: 3 }
/** From so many digits on, a number may be written in groups, each of two or more. */
const GROUPED_MIN = 6
const GROUP_MIN = 2
/** The most writings of one code and of a question, and the most pieces that are looked up to find them. */
const WRITINGS_MAX = 8
const ALL_WRITINGS_MAX = 40
const LOOKUPS_MAX = 2_000

const HAS_DIGIT = /\p{Nd}/u
const isPiece = (word: string, lettersMax: number): boolean =>
  HAS_DIGIT.test(word) || (word.length <= lettersMax && /^\p{L}+$/u.test(word))

/** The letters of words that have digits as well, such as `ppr9087`: other writings keep them apart. */
export const lettersOf = (words: ReadonlyArray<string>): ReadonlyArray<string> =>
  words.flatMap((word) => (HAS_DIGIT.test(word) ? (word.match(/\p{L}+/gu) ?? []) : []))

/**
 * The other ways in which the codes among the words of a question are written.
 *
 * @param isKnown whether any passage holds a word; undefined where that is not known, and only few ways are tried
 */
export const writingsOf = (
  words: ReadonlyArray<string>,
  isKnown?: (piece: string) => boolean,
): ReadonlyArray<Writing> => {
  if (!words.some((word) => HAS_DIGIT.test(word))) return []
  let lookups = 0
  const mayBe = (piece: string): boolean => lookups++ < LOOKUPS_MAX && (isKnown === undefined || isKnown(piece))
  const [wordsMax, lettersMax] = isKnown === undefined ? [TRIED.words, TRIED.letters] : [WORDS_MAX, LETTERS_MAX]
  const all: Array<Writing> = []
  for (let from = 0; from < words.length && all.length < ALL_WRITINGS_MAX && lookups < LOOKUPS_MAX;) {
    let end = from
    while (end < words.length && end - from < wordsMax && isPiece(words[end] ?? "", lettersMax)) end++
    let next = from + 1
    // The longest code that passages write in another way; all that may be one where that is not known.
    for (let to = end; to > from && (next === from + 1 || isKnown === undefined); to--) {
      const code = words.slice(from, to)
      if (!code.some((word) => HAS_DIGIT.test(word))) break
      const splits = splitsOf(code, mayBe, isKnown !== undefined)
      for (const pieces of splits) all.push({ from, to, pieces })
      if (splits.length > 0 && isKnown !== undefined) next = to
    }
    from = next
  }
  return all
}

const VERSION = /^v?\d+(?:\.\d+)+$/

/** The other ways to split the characters of a code into words. */
const splitsOf = (
  code: ReadonlyArray<string>,
  mayBe: (piece: string) => boolean,
  areGrouped: boolean,
): ReadonlyArray<ReadonlyArray<string>> => {
  const whole = code.join("")
  if (code.length === 1 && VERSION.test(whole)) {
    const other = whole.startsWith("v") ? whole.slice(1) : `v${whole}`
    return mayBe(other) ? [[other]] : []
  }
  if (whole.length > LENGTH_MAX) return []
  const found: Array<ReadonlyArray<string>> = []
  const mayCut = cutsOf(code, areGrouped)
  const split = (from: number, pieces: ReadonlyArray<string>): void => {
    // Long pieces first: those are of codes, short ones are everywhere.
    for (let to = whole.length; to > from && found.length < WRITINGS_MAX; to--) {
      if (!mayCut(from, to)) continue
      const piece = whole.slice(from, to)
      if (!mayBe(piece)) continue
      if (to < whole.length) split(to, [...pieces, piece])
      // A word at an end that stays as it is belongs to no other writing of the code.
      else if ((pieces[0] ?? piece) !== code[0] && piece !== code.at(-1)) found.push([...pieces, piece])
    }
  }
  split(0, [])
  return found
}

/** Whether a piece of a code from one index may end at another one. */
const cutsOf = (code: ReadonlyArray<string>, areGrouped: boolean): ((from: number, to: number) => boolean) => {
  const whole = code.join("")
  const isNumber = Array.from({ length: whole.length }, (_, at) => /[\p{Nd}.]/u.test(whole[at] ?? ""))
  const ends = new Set([isNumber.length])
  let end = 0
  for (const word of code) ends.add((end += word.length))
  for (let at = 1; at < isNumber.length; at++) if (isNumber[at - 1] !== isNumber[at]) ends.add(at)
  return (from, to) => {
    if (ends.has(to)) return true
    let [first, last] = [to, to]
    while (isNumber[first - 1] === true) first--
    while (isNumber[last] === true) last++
    const isLong = last - first >= GROUPED_MIN
    return areGrouped && isLong && to - Math.max(from, first) >= GROUP_MIN && last - to >= GROUP_MIN
  }
}

/** What may stand between the characters of a code. */
const SEPARATORS = String.raw`[-–_./ ]?`
/** A character of a code. Words of other scripts stand beside it without a space. */
const CHARACTER = String.raw`[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Nd}]`
const TOKEN = new RegExp(`${CHARACTER}+(?:[-–_./]${CHARACTER}+)*`, "gu")
const DATE_OR_AMOUNT = /^(?:(?:\d{1,2}|\d{4})(?:[-–./](?:\d{1,2}|\d{4})){1,2}|\d{1,3}(?:\.\d{3})+)$/
/** The least number of digits of a code after its letters, of one of groups of digits, and of one of nothing but digits. */
const DIGITS_MIN = { letters: 3, groups: 6, plain: 8 }
/** The most codes of a question that are looked for in passages. */
const CODES_MAX = 8

const charactersOf = (code: string): string => code.replaceAll(/[-–_./ ]/g, "")

/** The codes of a text that name one thing, such as an error or an article, in lower case. */
const codesIn = (text: string): ReadonlyArray<string> =>
  (text.match(TOKEN) ?? []).filter((token) => {
    const digits = token.replaceAll(/\P{Nd}/gu, "").length
    const kind = /^\p{L}{1,5}[-–_./]?\p{Nd}/u.test(token) ? "letters" : /^\p{Nd}+$/u.test(token) ? "plain" : "groups"
    const isCode = kind !== "groups" || /^[\p{Nd}\-–/]+$/u.test(token)
    return isCode && digits >= DIGITS_MIN[kind] && token.length <= LENGTH_MAX && !DATE_OR_AMOUNT.test(token)
  })

/**
 * Leaves out the texts that hold a neighbour of a code for which a question asks, such as `E-1042` for `E-1043`, where no
 * text holds the code itself: what is said of the one is wrong of the other.
 */
export const withoutNeighbours = <A>(question: string, found: ReadonlyArray<A>, textOf: (found: A) => string) => {
  const codes = codesIn(normalize(question, "NFKC").toLowerCase()).slice(0, CODES_MAX).map(charactersOf)
  if (codes.length === 0) return found
  const alike = codes.map((code) => {
    const characters = Array.from(code, (character) => (HAS_DIGIT.test(character) ? String.raw`\p{Nd}` : character))
    return new RegExp(`(?<!${CHARACTER})${characters.join(SEPARATORS)}(?!${CHARACTER})`, "gu")
  })
  const held = found.map((each) => {
    const text = normalize(textOf(each), "NFKC").toLowerCase()
    return alike.flatMap((pattern) => (text.match(pattern) ?? []).map(charactersOf))
  })
  const isHeld = held.some((those) => those.some((code) => codes.includes(code)))
  return isHeld ? found : found.filter((_, index) => held[index]?.length === 0)
}
