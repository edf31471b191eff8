import { languageOfReply } from "../../language/Detection.ts"
import { functionBook, type Role } from "../../language/messages/Books.ts"
import { locales, type SpokenLanguage, spokenLanguages } from "../../language/Locales.ts"
import { bounded, type BoundedText } from "../../text/BoundedText.ts"
import { sentencesIn } from "../../text/Lines.ts"
import { normalize } from "../../text/Normalization.ts"
import { joined, joinedRuns, PhraseBook, tokensOf } from "../../language/words/PhraseBook.ts"
import { wordsOf } from "../../language/words/UnicodeWords.ts"

/*
 * Reads a question: the words that its answer is about.
 */

export interface Question {
  readonly language: SpokenLanguage
  /** Its words in lower case and in order, without those that only ask, and without articles and the like. */
  readonly words: ReadonlyArray<string>
  /** Those of `words` that only say what is wanted, such as `price`: an answer may hold the value alone. */
  readonly implied: ReadonlySet<string>
  /** Those of `words` that are names, numbers or codes, for which texts rarely have another word. */
  readonly names: ReadonlySet<string>
  /** Whether it is a few words that are no sentence, such as `payment methods`. */
  readonly isBare: boolean
}

const asking = new PhraseBook<SpokenLanguage>(() =>
  spokenLanguages.map((language) => [locales[language].asking.asks, language] as const),
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
  readonly roles: ReadonlyArray<Role>
}

const partsOf = (tokens: ReadonlyArray<string>, language: SpokenLanguage): ReadonlyArray<Part> => {
  const parts: Array<Part> = []
  for (let at = 0; at < tokens.length;) {
    const known = functionBook.at(tokens, at, (meaning) => meaning.language === language)
    const asks = asking.at(tokens, at, (meaning) => meaning === language)
    const isAsking = asks !== undefined && asks.length >= (known?.length ?? 0)
    const length = (isAsking ? asks : known)?.length ?? 1
    const roles = isAsking ? ["questions" as const] : (known?.meanings ?? []).map(({ role }) => role)
    parts.push({ tokens: tokens.slice(at, at + length), roles })
    at += length
  }
  return parts
}

const readOne = (text: BoundedText): Question => {
  const language = languageOfReply(text)
  const parts = partsOf(tokensOf(text).slice(0, WORDS_MAX), language)
  const names = namesIn(text, language)
  const codes = Array.from(names).filter((name) => name.includes("_"))
  const isOwn = ({ roles }: Part) => roles.every((role) => role === "attributes")
  const own = joinedRuns(parts.map((part) => (isOwn(part) ? part.tokens : undefined)))
  const words = [...new Set([...codes, ...own])]
  const isSentence = parts.some(({ roles }) => roles.includes("questions") || roles.includes("verbs"))
  return {
    language,
    words,
    implied: new Set(parts.flatMap((part) => (isOwn(part) && part.roles.length > 0 ? [joined(part.tokens)] : []))),
    names,
    isBare: !isSentence && words.length <= BARE_WORDS_MAX,
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
