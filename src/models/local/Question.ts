import { languageOfReply } from "../../languages/Detection.ts"
import { bounded, type BoundedText } from "../../text/BoundedText.ts"
import type { QuestionWords } from "../../languages/Locale.ts"
import { locales, type SpokenLanguage, spokenLanguages } from "../../languages/Locales.ts"
import { functionBook } from "../../languages/messages/Books.ts"
import { normalize } from "../../text/Normalization.ts"
import { joined, lowerCased, PhraseBook, tokensOf, wordCount, writtenTokensOf } from "../../text/PhraseBook.ts"
import { wordsOf } from "../../text/UnicodeWords.ts"

/*
 * Reads a question: the words that its answer is about, and what it wants of them.
 */

/** Kind of thing that the answer to a question holds. */
export type Wanted = Exclude<keyof QuestionWords, "not" | "compare" | "number">

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

type AskingRole = Exclude<keyof QuestionWords, "number">

interface Meaning {
  readonly language: SpokenLanguage
  readonly role: AskingRole
}

const KEPT = "+"
const ROLES: ReadonlyArray<AskingRole> = ["way", "amount", "time", "name", "several", "not", "compare"]

const bookOf = (isKept: boolean) =>
  new PhraseBook<Meaning>(
    spokenLanguages.flatMap((language) =>
      ROLES.flatMap((role) => {
        const phrases = locales[language].asking[role].split(", ").filter((each) => each.includes(KEPT) === isKept)
        return phrases.length === 0 ? [] : [[phrases.join(", ").replaceAll(KEPT, ""), { language, role }] as const]
      }),
    ),
  )
/** The words that only ask, and those that also say what about. */
const [asking, telling] = [bookOf(false), bookOf(true)]

const numbers = new PhraseBook<SpokenLanguage>(
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
  const last = askedIn(message)
  const asked = last === undefined ? undefined : readOne(last)
  return asked !== undefined && asked.words.length >= ASKED_WORDS_MIN ? asked : readOne(message)
}

/** The last of several sentences that ends with a question mark. */
const askedIn = (message: BoundedText): BoundedText | undefined => {
  const sentences = message.match(/[^.!?？؟。！]+(?:[.!?？؟。！]+(?=\s|$)|[？。！]|$|[.!?؟])/gu) ?? []
  const asked = sentences.length < 2 ? undefined : sentences.findLast((sentence) => /[?？؟]$/u.test(sentence))
  return asked === undefined ? undefined : bounded(asked.trim())
}

const readOne = (text: BoundedText): Question => {
  const language = languageOfReply(text)
  const written = writtenTokensOf(text).slice(0, WORDS_MAX)
  const tokens = written.map(lowerCased)
  const isOfLanguage = (meaning: { readonly language: SpokenLanguage }) => meaning.language === language
  const runs: Array<Array<string>> = []
  const implied = new Set<string>()
  const roles = new Set<AskingRole>()
  let wanted: Wanted | undefined
  let hasAsked = false
  let startsWithVerb = false
  let selects = false
  let isAfterAsking = false
  let joins = false
  let isRun = false
  for (let at = 0; at < tokens.length;) {
    const asked = asking.at(tokens, at, isOfLanguage)
    const told = telling.at(tokens, at, isOfLanguage)
    const common = functionBook().at(tokens, at, isOfLanguage)
    const length = Math.max(1, told?.length ?? 0, asked?.length ?? 0, common?.length ?? 0)
    const isFunction = common?.length === length && !common.meanings.every(({ role }) => role === "attributes")
    const isTold = told?.length === length
    for (const { role } of [...(asked?.length === length ? asked.meanings : []), ...(isTold ? told.meanings : [])]) {
      roles.add(role)
      if (role !== "not" && role !== "compare" && (!isTold || runs.length === 0)) wanted ??= role
    }
    if (common?.length === length && common.meanings.some(({ role }) => role === "questions")) {
      hasAsked = true
      // In many languages, what is several ends with an s.
      if (asked === undefined && /^\p{L}{3,}s$/u.test(tokens[at + length] ?? "")) wanted ??= "several"
    }
    joins ||= at > 0 && isFunction && common.meanings.some(({ role }) => role === "joins")
    startsWithVerb ||= at === 0 && isFunction && common.meanings.some(({ role }) => role === "verbs")
    const isDropped = !isTold && (isFunction || (asked?.length === length && !isOnly(asked.meanings, "not")))
    const own = tokens.slice(at, at + length)
    if (!isDropped) {
      // The characters of a script without spaces belong together.
      if (isRun && wordCount(own) < 1) runs.at(-1)?.push(...own)
      else runs.push(own)
      if (isTold) implied.add(joined(own))
      selects ||= isAfterAsking
    }
    isAfterAsking = isFunction && common.meanings.some(({ role }) => role === "questions")
    isRun = !isDropped && wordCount(own) < 1
    at += length
  }
  const names = namesIn(text, language)
  const codes = Array.from(names).filter((name) => name.includes("_"))
  const words = [...new Set([...codes, ...runs.map(joined)])]
  return {
    text,
    language,
    wanted,
    words,
    implied,
    names,
    isBare: wanted === undefined && !hasAsked && !startsWithVerb && words.length <= BARE_WORDS_MAX,
    isDecision: startsWithVerb && wanted === undefined,
    selects: selects && wanted !== "amount",
    joins,
    denies: roles.has("not"),
    compares: roles.has("compare"),
  }
}

const isOnly = (meanings: ReadonlyArray<Meaning>, role: Meaning["role"]): boolean =>
  meanings.every((meaning) => meaning.role === role)

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
  has(asking, text, (meaning) => meaning.role === role && meaning.language === language)

/** Whether a text has a word for a number. */
export const hasNumberWord = (text: BoundedText, language: SpokenLanguage): boolean =>
  has(numbers, text, (meaning) => meaning === language)

const has = <A>(book: PhraseBook<A>, text: BoundedText, isWanted: (meaning: A) => boolean): boolean => {
  const tokens = tokensOf(text)
  return tokens.some((_, at) => book.at(tokens, at, isWanted) !== undefined)
}
