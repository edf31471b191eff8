import { cut } from "../../text/Cut.ts"
import { type FunctionWords, functionWords, type SpokenLanguage } from "../../text/FunctionWords.ts"
import { joined, lowerCased, PhraseBook, tokensOf, wordCount, writtenTokensOf } from "../../text/PhraseBook.ts"
import type { ChatTurn } from "./Chat.ts"
import { languageOfReply } from "./ReplyLanguage.ts"
import { smallTalkIn, withoutSmallTalk } from "./SmallTalk.ts"

/*
 * Finds what the last message of a conversation asks, since many messages cannot stand alone: "why?", "how much is it?",
 * "and for students?". Such a message is completed with what the conversation is about: the last message of the user
 * that stands alone, and what later ones put in place of its parts.
 *
 * There are three kinds of messages. One that stands alone is the subject of those after it. A reference asks something
 * else about the subject ("why?", "when does it open?"), and is searched with the words of the subject. A variation asks
 * the same of something else ("and for students?"), and is searched with the question before it, in which it takes the
 * place of an earlier variation with the same preposition.
 */

/** What the last message of a conversation asks. */
export interface SearchText {
  /** The text to search for, which says all that is needed by itself. */
  readonly text: string
  /**
   * The message itself, where it may also have been meant by itself, so that it is worth another search when nothing
   * answers `text`.
   */
  readonly plain: string | undefined
  /** Words of which an answer to `text` has to hold one: those that vary an earlier question. Mostly empty. */
  readonly needed: ReadonlyArray<string>
}

type Kind = "alone" | "reference" | "variation"

/** A message of more words stands alone. */
const WORDS_MAX = 12
/** A reference with more words of its own is understood without the subject. */
const OWN_WORDS_MAX = 2
const VARIATION_WORDS_MAX = 5
/** The most words of a subject that are added to a reference. */
const SUBJECT_WORDS_MAX = 12
/** The most variations of one question that hold at once. */
const VARIATIONS_MAX = 3
/** The most messages of the user before the last one that are looked at. */
const MESSAGES_MAX = 60
/** How much of a message is looked at, in UTF-16 code units. */
const MESSAGE_MAX_LENGTH = 600

type Role = keyof FunctionWords

/** The function words of each language. One word may do different things in different languages. */
const books: ReadonlyMap<string, PhraseBook<Role>> = new Map(
  Object.entries(functionWords).map(([language, words]) => [
    language,
    new PhraseBook<Role>(
      (["joins", "questions", "pronouns", "verbs", "prepositions", "others"] as const).map(
        (role) => [words[role], role] as const,
      ),
    ),
  ]),
)

/** A word of a message, or a phrase of several that does one thing. */
interface Part {
  readonly tokens: ReadonlyArray<string>
  /** What a function word does, in any language; empty for other words. */
  readonly roles: ReadonlyArray<Role>
}

interface Message {
  readonly text: string
  readonly parts: ReadonlyArray<Part>
  readonly kind: Kind
}

/** What a conversation is about. */
interface Subject {
  /** The message that stands alone. */
  readonly base: Message
  readonly variations: ReadonlyArray<Message>
  /** The last reference with something to ask, which later variations vary in place of the base. */
  readonly reference: Message | undefined
}

/** What the last of the messages of a conversation asks, in a text of at most `maxLength` UTF-16 code units. */
export const searchTextOf = (message: string, before: ReadonlyArray<ChatTurn>, maxLength: number): SearchText => {
  const own = withoutSmallTalk(message)
  const earlier = before
    .filter(({ content, role }) => role === "user" && smallTalkIn(content) === undefined)
    .slice(-MESSAGES_MAX)
    .map(({ content }) => withoutSmallTalk(content.slice(0, MESSAGE_MAX_LENGTH)))
  const subject = subjectOf(earlier)
  const read = subject && readMessage(own, languageOfReply(own, [subject.base.text]), true)
  if (read === undefined || read.kind === "alone") return { text: cut(own, maxLength), plain: undefined, needed: [] }
  const content = contentOf(read)
  const isVariation = read.kind === "variation"
  const isWhole = content.length > 0 && !(isVariation && isContinuation(read))
  return {
    text: cut(completed(read, subject), maxLength),
    plain: isWhole ? own : undefined,
    needed: isVariation ? content : [],
  }
}

/** Whether a message begins with what continues a conversation, such as `and` and `for`. */
const isContinuation = ({ parts }: Message): boolean =>
  parts[0]?.roles.some((role) => role === "joins" || role === "prepositions") === true

const subjectOf = (messages: ReadonlyArray<string>): Subject | undefined => {
  let subject: Subject | undefined
  for (const text of messages) {
    const language = languageOfReply(text, subject === undefined ? [] : [subject.base.text])
    const message = readMessage(text, language, subject !== undefined)
    if (message.parts.length > 0) subject = withMessage(message, subject)
  }
  return subject
}

const withMessage = (message: Message, subject: Subject | undefined): Subject => {
  if (subject === undefined || message.kind === "alone") return { base: message, variations: [], reference: undefined }
  if (message.kind === "reference") {
    return isBare(message) ? subject : { ...subject, reference: message }
  }
  return { ...subject, variations: variationsWith(message, subject) }
}

/** The variations that hold after a further one, which replaces those with the same preposition. */
const variationsWith = (message: Message, { variations }: Subject): ReadonlyArray<Message> =>
  [...variations.filter((other) => prepositionOf(other) !== prepositionOf(message)), message].slice(-VARIATIONS_MAX)

/** Whether a message asks nothing but why. */
const isBare = ({ parts }: Message): boolean => parts.filter(({ roles }) => !roles.includes("joins")).length <= 1

const completed = (message: Message, subject: Subject | undefined): string => {
  if (subject === undefined || message.kind === "alone") return message.text
  if (message.kind === "reference") {
    const asked = isBare(message) && subject.reference !== undefined ? [subject.reference.text] : []
    const own = new Set(tokensOf(message.text))
    const words = subjectWords(subject).filter((word) => !own.has(lowerCased(word)))
    return [message.text, ...asked, ...words.slice(0, SUBJECT_WORDS_MAX)].join(" ")
  }
  const variations = variationsWith(message, subject)
  const { base, reference } = subject
  const asked =
    reference === undefined
      ? [variations.reduce((text, variation) => withoutVaried(text, variation), base)]
      : [reference, { ...base, parts: base.parts.filter(({ roles }) => roles.length === 0) }]
  return [
    ...asked.map(({ parts }) => joined(parts.flatMap(({ tokens }) => tokens))),
    ...variations.map(variationText),
  ].join(" ")
}

const subjectWords = ({ base, variations }: Subject): ReadonlyArray<string> => [
  ...new Set([...variations, base].flatMap(contentOf)),
]

/** A variation without what joins it to the conversation, and without articles. */
const variationText = ({ parts }: Message): string =>
  joined(
    parts
      .filter(({ roles }, place) => !(place === 0 && roles.includes("joins")) && !isOther(roles))
      .flatMap(({ tokens }) => tokens),
  )

const isOther = (roles: ReadonlyArray<Role>): boolean => roles.length > 0 && roles.every((role) => role === "others")

/**
 * A question without the part that a variation replaces: from the same preposition on, as far as words follow that are
 * no function words.
 */
const withoutVaried = (question: Message, variation: Message): Message => {
  const { parts } = question
  const preposition = prepositionOf(variation)
  const start = parts.findLastIndex(
    ({ tokens }) => preposition !== undefined && lowerCased(joined(tokens)) === preposition,
  )
  if (start <= 0) return question
  const length = parts.slice(start + 1).findIndex(({ roles }) => roles.length > 0 && !isOther(roles))
  return { ...question, parts: parts.toSpliced(start, length === -1 ? parts.length : length + 1) }
}

const prepositionOf = ({ parts }: Message): string | undefined => {
  const found = parts.find(({ roles }) => !roles.includes("joins"))
  return found?.roles.includes("prepositions") === true ? lowerCased(joined(found.tokens)) : undefined
}

/** The words that say what a message is about. */
const contentOf = ({ parts }: Message): ReadonlyArray<string> => {
  const runs: Array<Array<string>> = []
  let last: Part | undefined
  for (const part of parts) {
    if (part.roles.length === 0) {
      // The characters of a script without spaces belong together.
      const isRun = last?.roles.length === 0 && wordCount(part.tokens) < 1
      if (isRun) runs.at(-1)?.push(...part.tokens)
      else runs.push([...part.tokens])
    }
    last = part
  }
  return runs.map(joined)
}

const readMessage = (text: string, language: SpokenLanguage, isLater: boolean): Message => {
  const book = books.get(language)
  const written = writtenTokensOf(text.slice(0, MESSAGE_MAX_LENGTH))
  const tokens = written.map(lowerCased)
  const parts: Array<Part> = []
  for (let at = 0; at < tokens.length;) {
    const phrase = book?.at(tokens, at)
    const length = phrase?.length ?? 1
    parts.push({ tokens: written.slice(at, at + length), roles: phrase?.meanings ?? [] })
    at += length
  }
  return { text, parts, kind: isLater ? kindOf(parts) : "alone" }
}

const kindOf = (parts: ReadonlyArray<Part>): Kind => {
  if (wordCount(parts.flatMap(({ tokens }) => tokens)) > WORDS_MAX || parts.length === 0) return "alone"
  const [first] = parts
  const isJoined = first?.roles.includes("joins") === true
  const rest = isJoined ? parts.slice(1) : parts
  const has = (role: Role) => rest.some(({ roles }) => roles.includes(role))
  const content = wordCount(rest.filter(({ roles }) => roles.length === 0).flatMap(({ tokens }) => tokens))
  if (content === 0) return "reference"
  const asks = has("questions")
  if (isJoined && !asks) return content <= VARIATION_WORDS_MAX ? "variation" : "alone"
  if (has("pronouns") && content <= OWN_WORDS_MAX) return "reference"
  if (asks) return isJoined && content <= 1 ? "reference" : "alone"
  if (has("verbs")) return "alone"
  const startsWithPreposition = rest[0]?.roles.includes("prepositions") === true
  return content <= (startsWithPreposition ? VARIATION_WORDS_MAX : 1) ? "variation" : "alone"
}
