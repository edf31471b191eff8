import { Array as Arr, Option, Schema } from "effect"
import type { Citation } from "../../domain/chat/Chat.ts"
import type { Message } from "../../domain/chat/Conversation.ts"
import {
  EXPECTATIONS_MAX,
  type FindExpectation,
  HISTORY_MAX,
  HISTORY_MAX_LENGTH,
} from "../../domain/evaluation/ChatbotTest.ts"
import { DocumentId } from "../../domain/Ids.ts"
import type { TestContent } from "../../storage/evaluation/Tests.ts"
import { sentencesOf } from "../../text/Sentences.ts"

/** Messages before a reply that its test can hold: the question, and the turns before it. */
export const MESSAGES_BEFORE = HISTORY_MAX + 1

/** The longest text that a passage is expected to hold, in UTF-16 code units. */
const CONTAINED_MAX_LENGTH = 200
const TITLE_MAX_LENGTH = 500

/**
 * The test of a reply, by the messages before it, the latest first, as far as they fit: the search must find again what
 * the reply rests on. Undefined where there is no question before the reply.
 */
export const testOfReply = (reply: Message, earlier: ReadonlyArray<Message>): TestContent | undefined => {
  const at = earlier.findIndex(({ sender_type }) => sender_type === "user")
  const question = earlier[at]?.content ?? ""
  if (question.trim() === "") return undefined
  let length = 0
  const isWithin = ({ content }: Message): boolean => (length += content.length) <= HISTORY_MAX_LENGTH
  const history = Arr.takeWhile(earlier.slice(at + 1), isWithin).toReversed()
  const find = (reply.sources ?? []).flatMap(expectationOf)
  return {
    question,
    history: history.map(({ content, sender_type }) => ({
      role: sender_type === "user" ? "user" : "assistant",
      content,
    })),
    expectations: find.length === 0 ? {} : { find: find.slice(0, EXPECTATIONS_MAX) },
    tags: [],
  }
}

const decodeId = Schema.decodeUnknownOption(DocumentId)

const expectationOf = ({ document_id, quote, title }: Citation): ReadonlyArray<FindExpectation> =>
  Option.match(decodeId(document_id), {
    onNone: () => [],
    onSome: (id) => {
      const contains = beginning(quote)
      const named = title.trim() === "" ? {} : { title: title.slice(0, TITLE_MAX_LENGTH).toWellFormed() }
      return [{ document_id: id, ...named, ...(contains !== "" && { contains }) }]
    },
  })

/** The first sentence of a quote, as far as it fits. What follows it may be from elsewhere in the passage. */
const beginning = (quote: string): string => {
  const sentence = (sentencesOf(quote)[0] ?? "").trim()
  if (sentence.length <= CONTAINED_MAX_LENGTH) return sentence
  const start = sentence.slice(0, CONTAINED_MAX_LENGTH)
  return start.slice(0, start.search(/\s\S*$/) + 1).trim() || start.toWellFormed()
}
