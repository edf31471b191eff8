import { languageOfReply } from "../../languages/Detection.ts"
import { bounded, type BoundedText } from "../../text/BoundedText.ts"
import type { QuestionWords } from "../../languages/Locale.ts"
import { locales, type SpokenLanguage, spokenLanguages } from "../../languages/Locales.ts"
import { sentencesIn } from "../../text/Lines.ts"
import { normalize } from "../../text/Normalization.ts"
import { joined, joinedRuns, PhraseBook, tokensOf } from "../../text/PhraseBook.ts"
import { wordsOf } from "../../text/UnicodeWords.ts"

/*
 * Reads a question: the words that its answer is about, and what it wants of them.
 */

/** Kind of thing that the answer to a question holds. */
export type Wanted = Exclude<keyof QuestionWords, "compare" | "how" | "not" | "number" | "silent">

export interface Question {
  readonly text: BoundedText
  readonly language: SpokenLanguage
  /** Undefined where no word says it. */
  readonly wanted: Wanted | undefined
  /** Its words in lower case and in order, without those that only ask, and without articles and the like. */
  readonly words: ReadonlyArray<string>
  /** Those of `words` that only say what is wanted, such as `price`: an answer may hold the value alone. */
  readonly implied: ReadonlySet<string>
  /** Those of `words` that are names, numbers or codes, for which texts rarely have another word. */
  readonly names: ReadonlySet<string>
  /** Whether it has a word that asks. */
  readonly asks: boolean
  /** Whether it is a few words without any that ask, such as `payment methods`. */
  readonly isBare: boolean
  /** Whether it asks if something is so, as `Is it open?` does, and not which one. */
  readonly isDecision: boolean
  /** Whether it asks which one, as `Which store is open?` does. */
  readonly selects: boolean
  /** Whether it names several things, joined by a word such as `and`. */
  readonly joins: boolean
  /** Whether it denies something, so that its answer has to do so, too. */
  readonly denies: boolean
  /** Whether it compares, with a number (`less than 100`) or all there is (`the cheapest`). */
  readonly compares: boolean
}

const WANTED = ["way", "amount", "time", "name", "several"] as const satisfies ReadonlyArray<Wanted>
const ASKING = [...WANTED, "not", "compare"] as const
/** Without attributes, which a question may be about. */
const FUNCTIONS = ["joins", "questions", "pronouns", "verbs", "others"] as const
type Role = (typeof ASKING)[number] | (typeof FUNCTIONS)[number]

interface Meaning {
  readonly language: SpokenLanguage
  readonly role: Role
  /** Whether the phrase also says what the question is about. */
  readonly isKept: boolean
}

const KEPT = "+"

const book = new PhraseBook<Meaning>(() =>
  spokenLanguages.flatMap((language) => {
    const { asking, functionWords } = locales[language]
    const lists = [
      ...ASKING.map((role) => [role, asking[role]] as const),
      ...FUNCTIONS.map((role) => [role, functionWords[role]] as const),
    ]
    return lists.flatMap(([role, list]) =>
      list
        .split(", ")
        .map((phrase) => [phrase.replace(KEPT, ""), { language, role, isKept: phrase.includes(KEPT) }] as const),
    )
  }),
)

const numbers = new PhraseBook<SpokenLanguage>(() =>
  spokenLanguages.map((language) => [locales[language].asking.number, language] as const),
)

/** A question is read up to so many words: further ones tell no more about it. */
const WORDS_MAX = 400
/** A question of fewer words than these is about what was said before it. */
const ASKED_WORDS_MIN = 2
/** The most words of a message that is no sentence. */
const BARE_WORDS_MAX = 4

/** Reads a message in any language. Of several sentences, the last one that asks is the question. */
export const readQuestion = (message: BoundedText): Question => {
  const last = sentencesIn(message).findLast((sentence) => /[?？؟]$/u.test(sentence))
  const asked = last === undefined ? undefined : readOne(last)
  return asked !== undefined && asked.words.length >= ASKED_WORDS_MIN ? asked : readOne(message)
}

/** A word of a question, or a phrase that does one thing. */
interface Part {
  readonly tokens: ReadonlyArray<string>
  readonly roles: ReadonlySet<Role>
  /** Whether the answer is about it. */
  readonly isOwn: boolean
  readonly isImplied: boolean
}

const partsOf = (tokens: ReadonlyArray<string>, language: SpokenLanguage): ReadonlyArray<Part> => {
  const parts: Array<Part> = []
  for (let at = 0; at < tokens.length;) {
    const { length = 1, meanings = [] } = book.at(tokens, at, (meaning) => meaning.language === language) ?? {}
    const isImplied = meanings.some(({ isKept }) => isKept)
    const isOwn = isImplied || meanings.every(({ role }) => role === "not")
    parts.push({
      tokens: tokens.slice(at, at + length),
      roles: new Set(meanings.map(({ role }) => role)),
      isOwn,
      isImplied,
    })
    at += length
  }
  return parts
}

const readOne = (text: BoundedText): Question => {
  const language = languageOfReply(text)
  const tokens = tokensOf(text).slice(0, WORDS_MAX)
  const parts = partsOf(tokens, language)
  const has = (role: Role) => parts.some(({ roles }) => roles.has(role))
  const isAfterQuestion = (at: number) => parts[at - 1]?.roles.has("questions") === true
  const wants = parts.flatMap(({ isImplied, roles, tokens: [first = ""] }, at): ReadonlyArray<Wanted> => {
    if (isImplied && parts.slice(0, at).some(({ isOwn }) => isOwn)) return []
    const role = WANTED.find((each) => roles.has(each))
    // In many languages, what is several ends with an s.
    return role !== undefined ? [role] : isAfterQuestion(at) && /^\p{L}{3,}s$/u.test(first) ? ["several"] : []
  })
  const [wanted] = wants
  const names = namesIn(text, language)
  const codes = Array.from(names).filter((name) => name.includes("_"))
  const own = joinedRuns(parts.map((part) => (part.isOwn ? part.tokens : undefined)))
  const words = [...new Set([...codes, ...own])]
  const startsWithVerb = parts[0]?.roles.has("verbs") === true
  const isDecision = startsWithVerb && wanted === undefined
  return {
    text,
    language,
    wanted,
    words,
    implied: new Set(parts.flatMap((part) => (part.isImplied ? [joined(part.tokens)] : []))),
    names,
    asks: has("questions"),
    isBare: wanted === undefined && !has("questions") && !startsWithVerb && words.length <= BARE_WORDS_MAX,
    isDecision,
    selects: wanted !== "amount" && parts.some(({ isOwn }, at) => isOwn && isAfterQuestion(at)),
    joins: parts.slice(1).some(({ roles }) => roles.has("joins")),
    denies: has("not"),
    compares: has("compare"),
  }
}

/** Languages in which a capital letter does not make a name. Numbers and codes are names all the same. */
const NOUNS_HAVE_CAPITALS: ReadonlySet<SpokenLanguage> = new Set(["de"])

/** Words with a digit or a capital letter, unless it is that of the first word. */
const namesIn = (text: string, language: SpokenLanguage): ReadonlySet<string> => {
  if (NOUNS_HAVE_CAPITALS.has(language)) return new Set()
  const names =
    normalize(text, "NFKC").match(/(?<![\p{L}\p{M}\p{N}])(?:\p{Lu}|(?=[\p{L}_]{0,40}\p{N}))[\p{L}\p{M}\p{N}_]*/gu) ?? []
  const first = /[\p{L}\p{N}]+/u.exec(text)?.[0]
  return new Set(
    names
      .filter((name) => name !== first || /\p{N}|\p{Lu}.*\p{Lu}/u.test(name))
      .flatMap((name) => wordsOf(bounded(name))),
  )
}

/** Whether a text has one of the words by which a language denies or compares. */
export const says = (role: "not" | "compare", text: BoundedText, language: SpokenLanguage): boolean =>
  has(book, text, (meaning) => meaning.role === role && meaning.language === language)

/** Whether a text has a word for a number. */
export const hasNumberWord = (text: BoundedText, language: SpokenLanguage): boolean =>
  has(numbers, text, (meaning) => meaning === language)

const has = <A>(phrases: PhraseBook<A>, text: BoundedText, isWanted: (meaning: A) => boolean): boolean => {
  const tokens = tokensOf(text)
  return tokens.some((_, at) => phrases.at(tokens, at, isWanted) !== undefined)
}
