import type { ChatTurn } from "../domain/chat/Chat.ts"
import { QUERY_MAX_LENGTH } from "../domain/knowledge/Passage.ts"
import { messagesBefore, type SearchText, searchTextsOf } from "../language/messages/SearchText.ts"
import { withoutSmallTalk } from "../language/messages/SmallTalk.ts"
import { bounded, type BoundedText, MESSAGE_MAX_LENGTH } from "../text/BoundedText.ts"

/** What the last message of a conversation asks. */
export interface Asked {
  /** The texts to search for in turn, of which the first is the question as it is understood without other messages. */
  readonly texts: readonly [SearchText, ...ReadonlyArray<SearchText>]
  /** What approved answers are found by: the question, and in most cases the message with its greeting. */
  readonly wordings: readonly [BoundedText, ...ReadonlyArray<BoundedText>]
  /** The messages of the user before it, the last one first. */
  readonly before: ReadonlyArray<BoundedText>
}

/** Reads what the last message of a conversation with a chatbot of this name asks. */
export const askedIn = (history: ReadonlyArray<ChatTurn>, chatbotName: string): Asked => {
  const question = bounded(history.at(-1)?.content ?? "", MESSAGE_MAX_LENGTH)
  const before = messagesBefore(history.slice(0, -1))
  const name = bounded(chatbotName, MESSAGE_MAX_LENGTH)
  const texts = searchTextsOf(question, before, { maxLength: QUERY_MAX_LENGTH, name })
  const [{ text }] = texts
  // What a message says with its greeting counts as well, unless it is understood only by the messages before it.
  return { texts, wordings: [text, ...(text === withoutSmallTalk(question, name) ? [question] : [])], before }
}
