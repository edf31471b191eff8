import { bounded, type BoundedText } from "../../text/BoundedText.ts"
import { functionBook, spokenLanguages } from "../../text/FunctionBook.ts"
import type { SpokenLanguage } from "../../text/FunctionWords.ts"
import { PhraseBook, tokensOf } from "../../text/PhraseBook.ts"
import { smallTalkPhrases } from "./SmallTalkPhrases.ts"

/*
 * Recognizes what people say besides questions, in the languages that chatbots speak by themselves. A message is small
 * talk when it consists of nothing but known phrases, so that no question is taken for it.
 */

export type SmallTalk = "greeting" | "thanks" | "goodbye" | "about" | "documents"

/** What a phrase of small talk is in a language. */
interface SmallTalkMeaning {
  readonly language: SpokenLanguage
  readonly kind: SmallTalk | "courtesy"
}

/** Of several kinds in one message, the first one of these is replied to. */
const KINDS: ReadonlyArray<SmallTalk> = ["documents", "about", "goodbye", "thanks", "greeting"]

/** The phrases of small talk of all languages. */
export const smallTalkBook = new PhraseBook<SmallTalkMeaning>(
  spokenLanguages.flatMap((language) =>
    ([...KINDS, "courtesy"] as const).map((kind) => [smallTalkPhrases[language][kind], { language, kind }] as const),
  ),
)

/** A longer message says more than small talk, in UTF-16 code units. */
const MAX_LENGTH = 200

const signs: ReadonlyArray<readonly [RegExp, SmallTalk]> = [
  [/👋|🙋|🖐|🤗/u, "greeting"],
  [
    /👍|🙏|👌|❤|♥|💙|💚|💜|🧡|💛|😊|🙂|😀|😃|😄|😁|😍|🥰|😘|🎉|💯|✅|👏|🙌|🤝|😎|🔥|⭐|🌟|:-?\)|:-?D|;-?\)|<3/u,
    "thanks",
  ],
]

export interface SmallTalkSetting {
  /** The name of the chatbot, by which it may be addressed. */
  readonly name?: BoundedText | undefined
  /** Whether the message is the first of its conversation, which is no goodbye. */
  readonly isFirst?: boolean
}

/** What a message is besides a question, above all, or undefined when it says anything else. */
export const smallTalkIn = (message: BoundedText, setting: SmallTalkSetting = {}): SmallTalk | undefined =>
  smallTalkKinds(message, setting)[0]

/** All that a message is besides a question, the most important first. Empty when it says anything else. */
export const smallTalkKinds = (
  message: BoundedText,
  { isFirst = true, name }: SmallTalkSetting = {},
): ReadonlyArray<SmallTalk> => kindsIn(message, wordsOfName(name), isFirst)

const wordsOfName = (name: BoundedText | undefined): ReadonlySet<string> =>
  new Set(name === undefined ? [] : tokensOf(name))

const kindsIn = (message: BoundedText, names: ReadonlySet<string>, isFirst = true): ReadonlyArray<SmallTalk> => {
  if (message.length > MAX_LENGTH) return []
  const tokens = tokensOf(message).map(shortened)
  if (tokens.length === 0) return signs.flatMap(([sign, kind]) => (sign.test(message) ? [kind] : [])).slice(0, 1)
  const found = new Set<SmallTalkMeaning["kind"]>()
  for (let at = 0; at < tokens.length;) {
    const phrase = smallTalkBook.at(tokens, at)
    if (phrase === undefined) {
      if (!names.has(tokens[at] ?? "")) {
        return found.has("thanks") && isRemark(tokens.slice(at), message) ? ["thanks"] : []
      }
      at++
      continue
    }
    // Some words, such as “ciao”, greet and take leave.
    const kinds = new Set(phrase.meanings.map(({ kind }) => kind))
    if (kinds.has("greeting") && kinds.has("goodbye")) kinds.delete(isFirst ? "goodbye" : "greeting")
    for (const kind of kinds) found.add(kind)
    at += phrase.length
  }
  const kinds = KINDS.filter((kind) => found.has(kind))
  // A message of nothing but praise is a thank-you.
  return kinds.length === 0 && found.size > 0 ? ["thanks"] : kinds
}

/** A word without the letters by which people lengthen it, as in `hiiii` and `heyyy`. */
const shortened = (token: string): string => token.replace(/(\p{L})\1{2,}/gu, "$1")

/** Whether tokens after a thank-you only say why, such as `that was what I was looking for`. */
const isRemark = (tokens: ReadonlyArray<string>, message: string): boolean =>
  !/[?？؟]/.test(message) && functionBook.at(tokens, 0)?.meanings.some(({ role }) => role === "pronouns") === true

/** Greetings and thanks before and after a question, which say nothing about it. */
const AROUND: ReadonlySet<SmallTalkMeaning["kind"]> = new Set(["greeting", "thanks", "goodbye", "courtesy"])

/** What separates a greeting from what follows it. */
const CLAUSE_END = /[,.!?;:…–—，。！？、؛؟،\n]+\s*/gu

/**
 * A message to a chatbot of this name without the greetings and the thanks around its question. A message of nothing
 * else is returned whole.
 */
export const withoutSmallTalk = (message: BoundedText, name?: BoundedText): BoundedText => {
  const clauses = clausesOf(message)
  const names = wordsOfName(name)
  let first = 0
  let last = clauses.length
  while (first < last && isAround(clauses[first], names)) first++
  while (last > first && isAround(clauses[last - 1], names)) last--
  if (first === last) return bounded(message.trim())
  const kept = bounded(clauses.slice(first, last).join("").trim())
  return withoutGreeting(kept)
}

const clausesOf = (message: BoundedText): ReadonlyArray<BoundedText> => {
  const clauses: Array<BoundedText> = []
  let start = 0
  for (const { 0: mark, index } of message.matchAll(CLAUSE_END)) {
    clauses.push(bounded(message.slice(start, index + mark.length)))
    start = index + mark.length
  }
  if (start < message.length) clauses.push(bounded(message.slice(start)))
  return clauses
}

const isAround = (clause: BoundedText | undefined, names: ReadonlySet<string>): boolean => {
  if (clause === undefined) return false
  const [kind] = kindsIn(clause, names)
  return tokensOf(clause).length === 0 || (kind !== undefined && AROUND.has(kind))
}

/** The first words of a message that may be a greeting. */
const GREETING_WORDS_MAX = 4

/** Leaves out a greeting that no punctuation mark separates from the question, such as `hi how much is a ticket`. */
const withoutGreeting = (text: BoundedText): BoundedText => {
  const start = bounded(text.slice(0, MAX_LENGTH))
  const tokens = tokensOf(start).slice(0, GREETING_WORDS_MAX + 1)
  const greeting = smallTalkBook.at(tokens, 0, ({ kind }) => kind === "greeting")
  if (greeting === undefined || greeting.length >= tokens.length) return text
  // A word that greets may also mean something else, such as “morning”, so that what follows has to be a question.
  const rest = bounded(text.replace(new RegExp(`^\\s*(?:[\\p{L}\\p{M}\\p{N}'’]+[\\s-]*){${greeting.length}}`, "u"), ""))
  return rest === text || !asks(rest) ? text : rest
}

const asks = (text: BoundedText): boolean =>
  functionBook.at(
    tokensOf(bounded(text.slice(0, MAX_LENGTH))),
    0,
    ({ role }) => role === "questions" || role === "verbs",
  ) !== undefined
