import { normalize } from "../../../text/Normalization.ts"
import { germanic } from "./Germanic.ts"
import { otherFamilies } from "./OtherFamilies.ts"
import type { Kind, QuestionWords } from "./QuestionWords.ts"
import { romance } from "./Romance.ts"

/* The phrases that ask, as they are looked for in questions. */

/** The words that ask, by the code of their language in ISO 639. */
export const QUESTION_WORDS: Readonly<Record<string, QuestionWords>> = { ...germanic, ...romance, ...otherFamilies }

/** What a phrase does in a question. */
export type Role = Kind | "particle" | "filler"

/** Words that ask, in a language. */
export interface Phrase {
  readonly language: string
  readonly role: Role
  /**
   * The words of the phrase; `*s` stands for any word with the end `s`. Such a word, and one that follows a `+`, is not
   * only a word that asks.
   */
  readonly words: ReadonlyArray<string>
}

/** Of two phrases at one place the longer one decides, and of two as long the one whose role is earlier here. */
export const ROLES: ReadonlyArray<Role> = [
  ...(["comparison", "date", "number", "how-to", "why", "place", "person", "list", "definition", "yes-no"] as const),
  ...(["particle", "other", "filler"] as const),
]
/** Matches scripts without spaces, and Korean, which glues particles to its words. */
export const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u

/** The phrases of a list. */
export const itemsOf = (list: string | undefined): ReadonlyArray<string> => list?.split(", ") ?? []

/** All phrases, the longest first. */
export const phrases: ReadonlyArray<Phrase> = Object.entries(QUESTION_WORDS)
  .flatMap(([language, lists]) =>
    ROLES.flatMap((role) => itemsOf(lists[role]).map((phrase) => ({ language, role, words: phrase.split(" ") }))),
  )
  .toSorted((a, b) => b.words.length - a.words.length)

/** Accents of Latin letters, which many leave out when they type. */
const withoutAccents = (word: string): string =>
  /\p{Script=Latin}/u.test(word) ? normalize(word, "NFD").replaceAll(/\p{M}/gu, "") : word

type Spelling = (word: string) => string

/** The phrases of scripts with spaces by their first word, the longest first. */
const byFirstWord = (spelling: Spelling): ReadonlyMap<string, ReadonlyArray<Phrase>> =>
  Map.groupBy(
    phrases
      .filter(({ words }) => !UNSPACED.test(words.join("")))
      .map((phrase) => ({ ...phrase, words: phrase.words.map(spelling) })),
    ({ words }) => words[0] ?? "",
  )

/**
 * The phrases as they are written, and without accents, with the spelling of words that each of both is compared with.
 * The second is made when a question needs it.
 */
export const spellings: ReadonlyArray<{
  readonly spelling: Spelling
  readonly phrases: () => ReturnType<typeof byFirstWord>
}> = [(word: string) => word, withoutAccents].map((spelling) => {
  let made: ReturnType<typeof byFirstWord> | undefined
  return { spelling, phrases: () => (made ??= byFirstWord(spelling)) }
})
