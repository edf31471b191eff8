import { bounded, type BoundedText } from "../../text/BoundedText.ts"
import { tokensOf } from "../words/PhraseBook.ts"
import type { SmallTalkPhrases } from "../Locale.ts"
import { functionBook, type Role, talkBook } from "./Books.ts"

/*
 * Recognizes what people say besides questions, in the languages that chatbots speak by themselves. A message is small
 * talk when it consists of known phrases and words that say nothing, so that no question is taken for it.
 */

export type SmallTalk = "greeting" | "thanks" | "goodbye" | "about" | "documents"

/** Of several kinds in one message, the first one of these is replied to. */
const KINDS: ReadonlyArray<SmallTalk> = ["documents", "about", "goodbye", "thanks", "greeting"]

/** A longer message says more than small talk, in UTF-16 code units. */
const MAX_LENGTH = 200

const signs: ReadonlyArray<readonly [RegExp, SmallTalk]> = [
  [/👋|🙋|🖐|🤗/u, "greeting"],
  [/👍|🙏|👌|❤|💙|😊|🙂|😀|😃|😄|😁|😍|🥰|🎉|💯|✅|👏|🙌|🔥|⭐|:-?\)|:-?D|;-?\)|<3/u, "thanks"],
]

export interface SmallTalkSetting {
  /** The name of the chatbot, by which it may be addressed. */
  readonly name?: BoundedText | undefined
  /** Whether the message is the first of its conversation, which is no goodbye. */
  readonly isFirst?: boolean
}

/** Returns what a message is besides a question, above all, or undefined when it says anything else. */
export const smallTalkIn = (message: BoundedText, setting: SmallTalkSetting = {}): SmallTalk | undefined =>
  smallTalkKinds(message, setting)[0]

/** Returns all that a message is besides a question, the most important first. Empty when it says anything else. */
export const smallTalkKinds = (
  message: BoundedText,
  { isFirst = true, name }: SmallTalkSetting = {},
): ReadonlyArray<SmallTalk> => kindsIn(message, isFirst, namesIn(name))

/** The words by which a chatbot of this name may be addressed. */
const namesIn = (name: BoundedText | undefined): ReadonlySet<string> =>
  new Set(name === undefined ? [] : tokensOf(name))

const kindsIn = (message: BoundedText, isFirst: boolean, names: ReadonlySet<string>): ReadonlyArray<SmallTalk> => {
  if (message.length > MAX_LENGTH) return []
  const tokens = tokensOf(message).map(shortened)
  if (tokens.length === 0) return signs.flatMap(([sign, kind]) => (sign.test(message) ? [kind] : [])).slice(0, 1)
  const found = new Set<keyof SmallTalkPhrases>()
  for (let at = 0; at < tokens.length;) {
    const phrase = talkBook.at(tokens, at, (kind) => kind !== "refusal")
    const length = phrase?.length ?? (names.has(tokens[at] ?? "") ? 1 : wordWith(tokens, at, ["joins", "others"]))
    if (length === 0) return found.has("thanks") && isRemark(tokens.slice(at), message) ? ["thanks"] : []
    const kinds = new Set(phrase?.meanings)
    // Some words, such as “ciao”, greet and take leave.
    if (kinds.has("greeting") && kinds.has("goodbye")) kinds.delete(isFirst ? "goodbye" : "greeting")
    for (const kind of kinds) found.add(kind)
    at += length
  }
  const kinds = KINDS.filter((kind) => found.has(kind))
  // A message of nothing but praise is a thank-you.
  return kinds.length === 0 && found.has("courtesy") ? ["thanks"] : kinds
}

/** A word without the letters by which people lengthen it, as in `hiiii` and `heyyy`. */
const shortened = (token: string): string => token.replace(/(\p{L})\1{2,}/gu, "$1")

/** The number of tokens of a function word with one of these roles at a place; 0 when there is none. */
const wordWith = (tokens: ReadonlyArray<string>, at: number, roles: ReadonlyArray<Role>): number =>
  functionBook.at(tokens, at, ({ role }) => roles.includes(role))?.length ?? 0

/** Whether tokens after a thank-you only say why, such as `that was what I was looking for`. */
const isRemark = (tokens: ReadonlyArray<string>, message: string): boolean =>
  !/[?？؟]/.test(message) && wordWith(tokens, 0, ["pronouns"]) > 0

/** Greetings and thanks before and after a question, which say nothing about it. */
const AROUND: ReadonlySet<SmallTalk | undefined> = new Set<SmallTalk>(["greeting", "thanks", "goodbye"])

/** Matches a clause with what separates it from the next one. */
const CLAUSE = /[^,.!?;:…–—，。！？、；؛؟،\n]*(?:[,.!?;:…–—，。！？、；؛؟،\n]+\s*|$)/gu

/**
 * Returns a message to a chatbot of this name without the greetings and the thanks around its question. A message of
 * nothing else is returned whole.
 */
export const withoutSmallTalk = (message: BoundedText, name?: BoundedText): BoundedText => {
  const clauses = message.match(CLAUSE)?.map((clause) => bounded(clause)) ?? []
  const names = namesIn(name)
  const says = (clause: BoundedText) => tokensOf(clause).length > 0 && !AROUND.has(kindsIn(clause, true, names)[0])
  const first = clauses.findIndex(says)
  if (first === -1) return bounded(message.trim())
  return withoutGreeting(
    bounded(
      clauses
        .slice(first, clauses.findLastIndex(says) + 1)
        .join("")
        .trim(),
    ),
  )
}

/** Leaves out a greeting that no punctuation mark separates from the question, such as `hi how much is a ticket`. */
const withoutGreeting = (text: BoundedText): BoundedText => {
  const tokens = tokensOf(bounded(text.slice(0, MAX_LENGTH)))
  const greeting = talkBook.at(tokens, 0, (kind) => kind === "greeting")?.length ?? 0
  // A word that greets may also mean something else, such as “morning”, so that what follows has to be a question.
  if (greeting === 0 || wordWith(tokens, greeting, ["questions", "verbs"]) === 0) return text
  return bounded(text.replace(new RegExp(`^\\s*(?:[\\p{L}\\p{M}\\p{N}'’]+[\\s-]*){${greeting}}`, "u"), ""))
}
