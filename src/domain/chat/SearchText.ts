import { bounded, type BoundedText } from "../../text/BoundedText.ts"
import { functionBook, type Role } from "../../text/FunctionBook.ts"
import type { SpokenLanguage } from "../../text/FunctionWords.ts"
import { joined, lowerCased, tokensOf, wordCount, writtenTokensOf } from "../../text/PhraseBook.ts"
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

/** A text to search for, and to answer. */
export interface SearchText {
  /** Says all that is needed by itself. */
  readonly text: BoundedText
  /** Words of which an answer has to hold one: those in which the text differs from an earlier question. */
  readonly needed: ReadonlyArray<string>
  /**
   * The same text without some words of the earlier question, each with others left out: what a variation such as `and
   * pptx?` takes the place of is not known, so that these are answered in turn when the text itself is not.
   */
  readonly variants: ReadonlyArray<BoundedText>
}

type Kind = "alone" | "reference" | "variation"

/** A message of more words stands alone. */
const WORDS_MAX = 12
/** A question with more words of its own that nothing answers is not asked again with the subject. */
const UNANSWERED_WORDS_MAX = 3
/** A reference with more words of its own is understood without the subject. */
const OWN_WORDS_MAX = 2
const VARIATION_WORDS_MAX = 5
/** A message of fewer words, without a verb or a preposition, varies the question before it: more name a subject. */
const BARE_WORDS = 2
/** The most words of a subject that are added to a reference. */
const SUBJECT_WORDS_MAX = 12
/** The most variations of one question that hold at once. */
const VARIATIONS_MAX = 3
/** The most variants of a text. */
const VARIANTS_MAX = 6
/** So many words side by side are probably more than one thing. */
const LONG_RUN = 3
/** How much of a message is read, in UTF-16 code units. */
const READ_MAX_LENGTH = 600
/** How much is read of all messages before the last one together. */
const BEFORE_MAX_LENGTH = 4_000

/** A word of a message, or a phrase of several that does one thing. */
interface Part {
  readonly tokens: ReadonlyArray<string>
  /** What a function word does, in any language; empty for other words. */
  readonly roles: ReadonlyArray<Role>
}

interface Message {
  readonly text: BoundedText
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

/** The messages of the user among some turns, the last one first, as far as they are analysed. */
export const messagesBefore = (turns: ReadonlyArray<ChatTurn>): ReadonlyArray<BoundedText> => {
  const messages: Array<BoundedText> = []
  let left = BEFORE_MAX_LENGTH
  for (let at = turns.length - 1; at >= 0; at--) {
    const turn = turns[at]
    if (turn?.role !== "user") continue
    const message = bounded(turn.content, READ_MAX_LENGTH)
    // An empty message counts too: there may be many.
    left -= message.length + 1
    if (left < 0) break
    messages.push(message)
  }
  return messages
}

/**
 * What the last message of a conversation asks, as texts to search for in turn until one is answered. At most two texts
 * of at most `maxLength` UTF-16 code units.
 *
 * @param before the messages of the user before it, the last one first
 */
export const searchTextsOf = (
  message: BoundedText,
  before: ReadonlyArray<BoundedText>,
  { maxLength, name }: { readonly maxLength: number; readonly name: BoundedText },
): readonly [SearchText, ...ReadonlyArray<SearchText>] => {
  const own = { text: bounded(withoutSmallTalk(message, name), maxLength), needed: [], variants: [] }
  const subject = subjectOf(before, own.text)
  if (subject === undefined) return [own]
  const read = readMessage(own.text, languageOfReply(own.text, [subject.base.text]))
  const words = contentOf(read)
  const completed = { text: bounded(completedText(read, subject), maxLength), needed: words, variants: [] }
  switch (read.kind) {
    case "alone":
      return words.length > 0 && words.length <= UNANSWERED_WORDS_MAX ? [own, completed] : [own]
    case "reference":
      return wordsIn(read) > 0 ? [{ ...completed, needed: [] }, own] : [{ ...completed, needed: [] }]
    case "variation":
      return withVariants(completed, read, subject, isContinuation(read) ? [] : [own], maxLength)
  }
}

const withVariants = (
  completed: SearchText,
  message: Message,
  subject: Subject,
  others: ReadonlyArray<SearchText>,
  maxLength: number,
): readonly [SearchText, ...ReadonlyArray<SearchText>] => {
  const { parts } = subject.base
  // What stands last in a question is varied most often.
  const runs = subject.reference === undefined ? contentRuns(parts).toReversed() : []
  // Without its only words a question says nothing, so that one of them is left out at a time.
  const whole = runs.length > 1 ? runs : []
  const single = runs.flatMap(([start, end]) =>
    end - start < LONG_RUN
      ? []
      : Array.from({ length: end - start }, (_, index) => [end - index - 1, end - index] as const),
  )
  const variants = [...whole, ...single].slice(0, VARIANTS_MAX).map(([start, end]) => {
    const base = { ...subject.base, parts: parts.toSpliced(start, end - start) }
    return bounded(completedText(message, { ...subject, base }), maxLength)
  })
  return [{ ...completed, variants }, ...others]
}

/** Where words that are no function words stand side by side, from a part up to another one. */
const contentRuns = (parts: ReadonlyArray<Part>): ReadonlyArray<readonly [start: number, end: number]> => {
  const runs: Array<[number, number]> = []
  for (const [place, { roles }] of parts.entries()) {
    if (roles.length > 0) continue
    const last = runs.at(-1)
    if (last !== undefined && last[1] === place) last[1] = place + 1
    else runs.push([place, place + 1])
  }
  return runs
}

/** Whether a message begins with what continues a conversation, such as `and` and `for`. */
const isContinuation = ({ parts }: Message): boolean =>
  parts[0]?.roles.some((role) => role === "joins" || role === "prepositions") === true

/** What the messages before are about. They are read from the last one back to one that stands alone. */
const subjectOf = (before: ReadonlyArray<BoundedText>, own: BoundedText): Subject | undefined => {
  const read: Array<Message> = []
  for (const earlier of before) {
    if (smallTalkIn(earlier) !== undefined) continue
    const text = withoutSmallTalk(earlier)
    const message = readMessage(text, languageOfReply(text, [own]))
    if (message.parts.length === 0) continue
    read.push(message)
    if (message.kind === "alone") break
  }
  return read.reduceRight<Subject | undefined>((subject, message) => withMessage(message, subject), undefined)
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
const isBare = ({ parts }: Message): boolean => {
  const rest = parts.filter(({ roles }) => !roles.includes("joins"))
  return rest.length <= 1 && !rest.some(({ roles }) => roles.includes("attributes"))
}

const completedText = (message: Message, subject: Subject): string => {
  const { reference } = subject
  const own = new Set(tokensOf(message.text))
  const variations = message.kind === "variation" ? variationsWith(message, subject) : subject.variations
  const base = variations.reduce((text, variation) => withoutVaried(text, variation), subject.base)
  const varied = variations.map(variationText)
  const texts =
    message.kind === "variation"
      ? [...(reference === undefined ? [writtenText(base)] : [writtenText(reference), ...contentOf(base)]), ...varied]
      : [
          unjoinedText(message),
          ...(isBare(message) && reference !== undefined ? [unjoinedText(reference)] : []),
          ...[...varied, ...contentOf(asksForAttribute(message) ? withoutAttributes(base) : base)]
            .filter((word) => !own.has(lowerCased(word)))
            .slice(0, SUBJECT_WORDS_MAX),
        ]
  return `${texts.join(" ")}${/[?？؟]\s*$/.exec(message.text)?.[0].trim() ?? ""}`
}

const writtenText = ({ parts }: Pick<Message, "parts">): string => joined(parts.flatMap(({ tokens }) => tokens))

/** A message without what joins it to the conversation. */
const unjoinedText = ({ parts }: Message): string =>
  writtenText({ parts: parts[0]?.roles.includes("joins") === true ? parts.slice(1) : parts })

const asksForAttribute = ({ parts }: Message): boolean => parts.some(({ roles }) => roles.includes("attributes"))

const withoutAttributes = (message: Message): Message => ({
  ...message,
  parts: message.parts.filter(({ roles }) => !roles.includes("attributes")),
})

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
    if (part.roles.length === 0 || part.roles.includes("attributes")) {
      // The characters of a script without spaces belong together.
      const isRun = last?.roles.length === 0 && wordCount(part.tokens) < 1
      if (isRun) runs.at(-1)?.push(...part.tokens)
      else runs.push([...part.tokens])
    }
    last = part
  }
  return runs.map(joined)
}

/** The word for `and` in Arabic and Hebrew, which is a part of the word that it joins. */
const ATTACHED_AND = /^[^\p{L}]*[وו](?=\p{L}{4})/u

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
  return { text, parts, kind: kindOf(parts) }
}

/** The number of words of a message that are neither function words nor properties of something. */
const wordsIn = ({ parts }: Pick<Message, "parts">): number =>
  wordCount(parts.filter(({ roles }) => roles.length === 0).flatMap(({ tokens }) => tokens))

const kindOf = (parts: ReadonlyArray<Part>): Kind => {
  if (wordCount(parts.flatMap(({ tokens }) => tokens)) > WORDS_MAX || parts.length === 0) return "alone"
  const [first] = parts
  const isJoined = first?.roles.includes("joins") === true
  const rest = isJoined ? parts.slice(1) : parts
  const has = (role: Role) => rest.some(({ roles }) => roles.includes(role))
  const content = wordsIn({ parts: rest })
  if (content === 0) return "reference"
  const asks = has("questions")
  if (isJoined && !asks) return content <= VARIATION_WORDS_MAX ? "variation" : "alone"
  if (has("pronouns") && content <= OWN_WORDS_MAX) return "reference"
  if (asks) return content <= (isJoined ? OWN_WORDS_MAX : has("verbs") ? 0 : 1) ? "reference" : "alone"
  if (has("verbs")) return "alone"
  const startsWithPreposition = rest[0]?.roles.includes("prepositions") === true
  return content < (startsWithPreposition ? VARIATION_WORDS_MAX : BARE_WORDS) ? "variation" : "alone"
}
