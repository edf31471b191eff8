import { functionBook } from "../../language/messages/Books.ts"
import { locales, type SpokenLanguage } from "../../language/Locales.ts"
import { bounded, type BoundedText } from "../../text/BoundedText.ts"
import { plain, PhraseBook, tokensOf } from "../../language/words/PhraseBook.ts"
import { wordsOf } from "../../language/words/UnicodeWords.ts"
import { type Quantity, quantitiesIn, readable } from "./Quantities.ts"

/*
 * Takes a sentence apart into clauses, with what each says: its words and quantities, and whether it denies.
 */

export interface Clause {
  /** The words that say what it is about, as they are compared. */
  readonly words: ReadonlyArray<string>
  readonly quantities: ReadonlyArray<Quantity>
  readonly isDenied: boolean
  /** Whether it has a word such as `only`, with which it says the same with and without a denial. */
  readonly isLimited: boolean
  /** Whether its quantities are the least or the most. */
  readonly bound: "least" | "most" | undefined
}

/** The most clauses of a sentence that are read. */
const CLAUSES_MAX = 20

const END = /(?<!\d)[,:]|[,:](?!\d)|[;–—，；：،؛、|]|\s(?:but|and|aber|sondern|und|et|mais|y|pero|и|а|но|ولكن|لكن)\s/gu
const MOST =
  /at (?:the )?most|no more than|not more than|up to|maximum|höchstens|maximal|bis zu|nicht (?:mehr|größer|länger|höher) als|au (?:plus|maximum)|pas plus de|(?:como|al) máximo|a lo sumo|не (?:более|больше)|максимум|على الأكثر|كحد أقصى|最多|最长|最大|以下|不超过|以内/giu
const LEAST =
  /at least|no less than|minimum|or more|mindestens|wenigstens|minimal|au (?:moins|minimum)|(?:al|por lo) menos|mínim[ao]|como mínimo|не (?:менее|меньше)|минимум|على الأقل|كحد أدنى|至少|少なくとも|最低|以上/giu

export const clausesIn = (sentence: BoundedText, languages: ReadonlyArray<SpokenLanguage>): ReadonlyArray<Clause> => {
  const text = readable(sentence)
  const quantities = quantitiesIn(text, languages)
  const ends = Array.from(text.matchAll(END), ({ 0: mark, index }) => [index, index + mark.length] as const).filter(
    ([at]) => !quantities.some(({ end, start }) => start < at && at < end),
  )
  const clauses: Array<Clause> = []
  let from = 0
  for (const [end, next] of [...ends, [text.length, text.length] as const].slice(0, CLAUSES_MAX)) {
    const inside = quantities.filter(({ start }) => start >= from && start < end)
    const clause = clauseOf(text, from, end, inside, languages[0] ?? "en")
    // `… — no`
    const last = clauses.at(-1)
    if (clause.words.length > 0 || inside.length > 0) clauses.push(clause)
    else if (last !== undefined && clause.isDenied) clauses[clauses.length - 1] = { ...last, isDenied: true }
    from = next
  }
  return clauses
}

const clauseOf = (
  whole: string,
  start: number,
  end: number,
  quantities: ReadonlyArray<Quantity>,
  language: SpokenLanguage,
): Clause => {
  const text = whole.slice(start, end)
  const unmeasured = quantities
    .toReversed()
    .reduce(
      (left, { start: at, unitEnd }) => `${left.slice(0, at - start)} ${left.slice(Math.min(unitEnd, end) - start)}`,
      text,
    )
  const isMost = text.search(MOST) >= 0
  const isLeast = text.search(LEAST) >= 0
  const words = Array.from(new Set(keysIn(bounded(unmeasured)))).filter((key) => !isSilent(key, language))
  const tokens = tokensOf(bounded(text.replaceAll(MOST, ",").replaceAll(LEAST, ",")))
  const kinds = new Set<Kind>()
  for (let at = 0; at < tokens.length;) {
    const phrase = bookOf(language).at(tokens, at)
    for (const kind of phrase?.meanings ?? []) kinds.add(kind)
    at += phrase?.length ?? 1
  }
  return {
    words,
    quantities,
    isDenied: kinds.has("denials"),
    isLimited: kinds.has("limits"),
    bound: isMost === isLeast ? undefined : isMost ? "most" : "least",
  }
}

type Kind = "denials" | "limits"

const books = new Map<SpokenLanguage, PhraseBook<Kind>>()

const bookOf = (language: SpokenLanguage): PhraseBook<Kind> => {
  const known = books.get(language)
  if (known !== undefined) return known
  const { asking, claims } = locales[language]
  const made = new PhraseBook<Kind>(() => [
    [asking.not, "denials"],
    ...(claims === undefined ? [] : [[claims.denials, "denials"] as const, [claims.limits, "limits"] as const]),
  ])
  books.set(language, made)
  return made
}

const hasRole = (word: string, language: SpokenLanguage, isWanted: (role: string) => boolean): boolean =>
  functionBook.at([word], 0, (meaning) => meaning.language === language && isWanted(meaning.role)) !== undefined

/** Whether a word says nothing about the subject of a sentence. */
export const isSilent = (word: string, language: SpokenLanguage): boolean =>
  hasRole(word, language, (role) => role !== "attributes") || bookOf(language).at([word], 0) !== undefined

const ARABIC = /^\p{Script=Arabic}/u
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u
const NO_SIGN = /^[\p{Script=Latin}\p{Script=Katakana}ー\p{M}]+$/u

/**
 * The words of a text as they are compared: in lower case, without accents, and in Arabic without particles. The signs of
 * Chinese and Japanese are compared one by one.
 */
export const keysIn = (text: BoundedText): ReadonlyArray<string> =>
  UNSPACED.test(text)
    ? [
        ...tokensOf(text).filter((token) => /^\p{Script=Han}/u.test(token)),
        ...wordsOf(text).filter((word) => NO_SIGN.test(word)),
      ]
    : wordsOf(text).flatMap((word) => {
        const key = plain(word.replace(/['’]s?$/, ""))
        return /\p{L}/u.test(key) ? [ARABIC.test(key) ? arabicStem(key) : key] : []
      })

const arabicStem = (word: string): string =>
  word
    .replace(/^[وف]?(?:ال|بال|كال|لل|[بلكس])?(?=.{3})/u, "")
    .replace(/(?<=.{3})(?:ها|هم|هن|كم|نا|ات|ون|ين|ان|يه|ه|ي|ا|ك)$/u, "")
