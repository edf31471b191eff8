import { bounded, type BoundedText } from "../../text/BoundedText.ts"
import { joined, joinedRuns, lowerCased, wordCount, writtenTokensOf } from "../words/PhraseBook.ts"
import { languageOfReply } from "../Detection.ts"
import type { SpokenLanguage } from "../Locales.ts"
import { functionBook, type Role } from "./Books.ts"
import { smallTalkIn, withoutSmallTalk } from "./SmallTalk.ts"

/*
 * Finds what the last message of a conversation asks, since many messages cannot stand alone: "why?", "how much is it?",
 * "and for students?". Such a message is completed with the last message of the user that stands alone.
 */

/** A text to search for, and to answer. */
export interface SearchText {
  readonly text: BoundedText
  /** Words of which an answer has to hold one: those in which the text differs from an earlier question. */
  readonly needed: ReadonlyArray<string>
  /** The least share of the information in them that it has to hold, 0–1. */
  readonly share: number
}

/**
 * A message that stands alone, one that asks something else about the subject before it ("why?", "when does it open?"),
 * or one that asks the same of something else ("and for students?").
 */
type Kind = "alone" | "reference" | "variation"

/** A word of a message, or a phrase of several that does one thing. */
interface Part {
  readonly tokens: ReadonlyArray<string>
  /** The roles of a function word; empty for other words. */
  readonly roles: ReadonlyArray<Role>
}

interface Message {
  readonly kind: Kind
  readonly parts: ReadonlyArray<Part>
}

/** A message of more words stands alone. */
const WORDS_MAX = 12
/** A question with more words of its own that nothing answers is not asked again with the subject. */
const UNANSWERED_WORDS_MAX = 3
/** The length of these words together, in UTF-16 code units. Longer ones are many words, written without spaces. */
const UNANSWERED_MAX_LENGTH = 120
/** The least share of such a question's own information in what answers it with the subject. */
const ALONE_SHARE = 0.5
/** A reference with more words of its own is understood without the subject. */
const OWN_WORDS_MAX = 2
const VARIATION_WORDS_MAX = 5
/** The most words of a subject that are added to a message. */
const SUBJECT_WORDS_MAX = 12
/** The most parts of a question that variations were added to. */
const PARTS_MAX = 24
/** The length of a message's beginning that is read, in UTF-16 code units. */
const READ_MAX_LENGTH = 600
/** The length that is read of all messages before the last one together. */
const BEFORE_MAX_LENGTH = 4_000

/** Returns the messages of the user among some turns, the last one first, as far as they are analysed. */
export const messagesBefore = (
  turns: ReadonlyArray<{ readonly role: "assistant" | "user"; readonly content: string }>,
): ReadonlyArray<BoundedText> => {
  const messages: Array<BoundedText> = []
  let left = BEFORE_MAX_LENGTH
  for (const { content } of turns.filter(({ role }) => role === "user").toReversed()) {
    const message = bounded(content, READ_MAX_LENGTH)
    // An empty message counts too: there may be many.
    left -= message.length + 1
    if (left < 0) break
    messages.push(message)
  }
  return messages
}

/**
 * Returns what the last message of a conversation asks, as texts to search for in turn until one is answered. At most
 * two texts of at most `maxLength` UTF-16 code units.
 *
 * @param before the messages of the user before it, the last one first
 */
export const searchTextsOf = (
  message: BoundedText,
  before: ReadonlyArray<BoundedText>,
  { maxLength, name }: { readonly maxLength: number; readonly name: BoundedText },
): readonly [SearchText, ...ReadonlyArray<SearchText>] => {
  const own = { text: bounded(withoutSmallTalk(message, name), maxLength), needed: [], share: 0 }
  const subject = subjectOf(before, own.text)
  if (subject.length === 0) return [own]
  const { kind, parts } = readMessage(own.text, languageOfReply(own.text, [bounded(textOf(subject)), ...before]))
  const words = contentOf(parts)
  const isMuch = words.length > UNANSWERED_WORDS_MAX || words.join("").length > UNANSWERED_MAX_LENGTH
  if (kind === "alone" && (words.length === 0 || isMuch)) return [own]
  const mark = /[?？؟]\s*$/.exec(own.text)?.[0].trim() ?? ""
  const completed =
    kind === "variation" ? textOf(varied(subject, parts)) : [textOf(parts), ...addedTo(parts, subject)].join(" ")
  const text = bounded(completed + mark, maxLength)
  switch (kind) {
    case "alone":
      // It may ask about something else: "Can I take my dog?" is not answered by how long a journey takes.
      return [own, { text, needed: words, share: ALONE_SHARE }]
    case "reference":
      return parts.some(({ roles }) => roles.length === 0) ? [{ ...own, text }, own] : [{ ...own, text }]
    case "variation": {
      const asked = { text, needed: words, share: 0 }
      return isJoined(parts) ? [asked] : [asked, own]
    }
  }
}

/** The last message that stands alone, in which later variations have taken the place of its parts. */
const subjectOf = (before: ReadonlyArray<BoundedText>, own: BoundedText): ReadonlyArray<Part> => {
  const read: Array<Message> = []
  for (const earlier of before) {
    if (smallTalkIn(earlier) !== undefined) continue
    const text = withoutSmallTalk(earlier)
    read.push(readMessage(text, languageOfReply(text, [own])))
    if (read.at(-1)?.kind === "alone") break
  }
  return read.reduceRight<ReadonlyArray<Part>>(
    (subject, { kind, parts }) =>
      kind === "variation" ? varied(subject, parts) : subject.length === 0 ? parts : subject,
    [],
  )
}

/**
 * A question with a variation in place of what follows the same preposition or article, or else at its end: `for adults`
 * with `and for students`.
 */
const varied = (question: ReadonlyArray<Part>, variation: ReadonlyArray<Part>): ReadonlyArray<Part> => {
  const own = isJoined(variation) ? variation.slice(1) : variation
  const [first] = own
  const start = first?.roles.includes("others") === true ? question.findLastIndex((part) => isSame(part, first)) : -1
  if (start === -1) return [...question, ...own].slice(-PARTS_MAX)
  const length = question.slice(start + 1).findIndex(({ roles }) => roles.length > 0 && !roles.includes("others"))
  return question.toSpliced(start, length === -1 ? question.length : length + 1, ...own)
}

const isSame = (one: Part, other: Part): boolean => lowerCased(joined(one.tokens)) === lowerCased(joined(other.tokens))

const isJoined = ([first]: ReadonlyArray<Part>): boolean => first?.roles.includes("joins") === true

const textOf = (parts: ReadonlyArray<Part>): string => joined(parts.flatMap(({ tokens }) => tokens))

/** The words of a subject that a message does not have: none that ask for a property, when the message asks for one. */
const addedTo = (parts: ReadonlyArray<Part>, subject: ReadonlyArray<Part>): ReadonlyArray<string> => {
  const asksForAttribute = parts.some(isAttribute)
  const own = new Set(parts.flatMap(({ tokens }) => tokens.map(lowerCased)))
  return contentOf(subject.filter((part) => !(asksForAttribute && isAttribute(part))))
    .filter((word) => !own.has(lowerCased(word)))
    .slice(0, SUBJECT_WORDS_MAX)
}

const isAttribute = ({ roles }: Part): boolean => roles.includes("attributes")

/** The words that say what a message is about. */
const contentOf = (parts: ReadonlyArray<Part>): ReadonlyArray<string> =>
  joinedRuns(parts.map((part) => (part.roles.length === 0 || isAttribute(part) ? part.tokens : undefined)))

/** Matches the word for `and` in Arabic and Hebrew, which is a part of the word that it joins. */
const ATTACHED_AND = /^[^\p{L}]*[\u0648\u05d5](?=\p{L}{4})/u

const readMessage = (text: BoundedText, language: SpokenLanguage): Message => {
  const written = writtenTokensOf(bounded(text.replace(ATTACHED_AND, "$& "), READ_MAX_LENGTH))
  const tokens = written.map(lowerCased)
  const parts: Array<Part> = []
  for (let at = 0; at < tokens.length;) {
    const phrase = functionBook.at(tokens, at, (meaning) => meaning.language === language)
    const length = phrase?.length ?? 1
    parts.push({ tokens: written.slice(at, at + length), roles: phrase?.meanings.map(({ role }) => role) ?? [] })
    at += length
  }
  return { parts, kind: wordCount(tokens) > WORDS_MAX ? "alone" : kindOf(parts) }
}

const kindOf = (parts: ReadonlyArray<Part>): Kind => {
  const rest = isJoined(parts) ? parts.slice(1) : parts
  const has = (role: Role) => rest.some(({ roles }) => roles.includes(role))
  const words = wordCount(rest.filter(({ roles }) => roles.length === 0).flatMap(({ tokens }) => tokens))
  if (words === 0) return "reference"
  if (isJoined(parts) && !has("questions")) return words <= VARIATION_WORDS_MAX ? "variation" : "alone"
  if (has("pronouns") && words <= OWN_WORDS_MAX) return "reference"
  if (has("questions")) {
    return words <= (isJoined(parts) ? OWN_WORDS_MAX : has("verbs") ? 0 : 1) ? "reference" : "alone"
  }
  return has("verbs") || words > 1 ? "alone" : "variation"
}
