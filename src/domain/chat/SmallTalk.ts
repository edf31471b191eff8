import { type FunctionWords, functionWords, type SpokenLanguage } from "../../text/FunctionWords.ts"
import { PhraseBook, tokensOf } from "../../text/PhraseBook.ts"
import { smallTalkPhrases } from "./SmallTalkPhrases.ts"

/*
 * Recognizes what people say besides questions, in the languages that chatbots speak by themselves. A message is small
 * talk when it consists of nothing but known phrases, so that no question is taken for it.
 */

export type SmallTalk = "greeting" | "thanks" | "goodbye" | "about" | "documents"

type Meaning = SmallTalk | "courtesy"

/** Of several kinds in one message, the first one of these is replied to. */
const KINDS: ReadonlyArray<SmallTalk> = ["documents", "about", "goodbye", "thanks", "greeting"]
const isMeaning = (name: string): name is Meaning => name === "courtesy" || KINDS.some((kind) => kind === name)

const languages = Object.keys(functionWords).filter((name): name is SpokenLanguage => name in smallTalkPhrases)

const book = new PhraseBook<Meaning>(
  languages.flatMap((language) =>
    Object.entries(smallTalkPhrases[language]).flatMap(([meaning, phrases]) =>
      isMeaning(meaning) ? [[phrases, meaning] as const] : [],
    ),
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

interface Setting {
  /** The name of the chatbot, by which it may be addressed. */
  readonly name?: string
  /** Whether the message is the first of its conversation, which is no goodbye. */
  readonly isFirst?: boolean
}

/** What a message is besides a question, or undefined when it says anything else. */
export const smallTalkIn = (message: string, { isFirst = true, name = "" }: Setting = {}): SmallTalk | undefined => {
  if (message.length > MAX_LENGTH) return undefined
  const tokens = tokensOf(message)
  if (tokens.length === 0) return signs.find(([sign]) => sign.test(message))?.[1]
  const names = new Set(tokensOf(name))
  const found = new Set<Meaning>()
  for (let at = 0; at < tokens.length;) {
    const phrase = book.at(tokens, at)
    if (phrase === undefined) {
      if (names.has(tokens[at] ?? "")) at++
      else return found.has("thanks") && isRemark(tokens.slice(at), message) ? "thanks" : undefined
      continue
    }
    // Some words, such as “ciao”, greet and take leave.
    const ambiguous = phrase.meanings.includes("greeting") && phrase.meanings.includes("goodbye")
    for (const meaning of phrase.meanings) {
      if (!ambiguous || meaning !== (isFirst ? "goodbye" : "greeting")) found.add(meaning)
    }
    at += phrase.length
  }
  // A message of nothing but praise is a thank-you.
  return found.size === 0 ? undefined : (KINDS.find((kind) => found.has(kind)) ?? "thanks")
}

/** Whether tokens after a thank-you only say why, such as `that was what I was looking for`. */
const isRemark = (tokens: ReadonlyArray<string>, message: string): boolean =>
  !/[?？؟]/.test(message) && functions.at(tokens, 0)?.meanings.includes("pronouns") === true

/** Greetings and thanks before and after a question, which say nothing about it. */
const AROUND: ReadonlySet<Meaning> = new Set(["greeting", "thanks", "goodbye", "courtesy"])

/** What separates a greeting from what follows it. */
const CLAUSE_END = /[,.!?;:…–—，。！？、؛؟،\n]+\s*/gu

/** A message without the greetings and the thanks around its question. A message of nothing else is returned whole. */
export const withoutSmallTalk = (message: string): string => {
  const clauses = clausesOf(message)
  let first = 0
  let last = clauses.length
  while (first < last && isAround(clauses[first])) first++
  while (last > first && isAround(clauses[last - 1])) last--
  if (first === last) return message.trim()
  const kept = clauses.slice(first, last).join("").trim()
  return withoutGreeting(kept)
}

const clausesOf = (message: string): ReadonlyArray<string> => {
  const clauses: Array<string> = []
  let start = 0
  for (const { 0: mark, index } of message.matchAll(CLAUSE_END)) {
    clauses.push(message.slice(start, index + mark.length))
    start = index + mark.length
  }
  if (start < message.length) clauses.push(message.slice(start))
  return clauses
}

const isAround = (clause = ""): boolean => {
  const kind = smallTalkIn(clause)
  return tokensOf(clause).length === 0 || (kind !== undefined && AROUND.has(kind))
}

/** The first words of a message that may be a greeting. */
const GREETING_WORDS_MAX = 4

/** Leaves out a greeting that no punctuation mark separates from the question, such as `hi how much is a ticket`. */
const withoutGreeting = (text: string): string => {
  const start = text.slice(0, MAX_LENGTH)
  const tokens = tokensOf(start).slice(0, GREETING_WORDS_MAX + 1)
  const greeting = book.at(tokens, 0)
  if (greeting === undefined || !greeting.meanings.includes("greeting") || greeting.length >= tokens.length) return text
  // A word that greets may also mean something else, such as “morning”, so that what follows has to be a question.
  const rest = text.replace(new RegExp(`^\\s*(?:[\\p{L}\\p{M}\\p{N}'’]+[\\s-]*){${greeting.length}}`, "u"), "")
  return rest === text || !asks(rest) ? text : rest
}

const functions = new PhraseBook<keyof FunctionWords>(
  languages.flatMap((language) =>
    (["questions", "verbs", "pronouns"] as const).map((role) => [functionWords[language][role], role] as const),
  ),
)

const asks = (text: string): boolean => {
  const meanings = functions.at(tokensOf(text.slice(0, MAX_LENGTH)), 0)?.meanings ?? []
  return meanings.includes("questions") || meanings.includes("verbs")
}
