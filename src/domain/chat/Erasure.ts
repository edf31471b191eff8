import { Schema } from "effect"
import { ChatbotId, optionalId } from "../Ids.ts"
import { textBetween } from "../schema/Text.ts"

const Email = textBetween(3, 320).annotate({
  description:
    "The e-mail address that the chatbot was given, in upper or lower case. Conversations in which an address was said only in passing are not found by it.",
  examples: ["ada@example.com"],
})
const SessionToken = textBetween(1, 200).annotate({
  description: "The `sessionToken` that the conversations were opened with.",
  examples: ["visitor-4711"],
})

const VisitorId = textBetween(1, 64).annotate({
  description: "The `visitor_id` of a conversation in the chat widget: erases all conversations of that visitor.",
  examples: ["Vb8w0bq3nW2m6yKx1tZ4dQ"],
})

/** The visitor whose conversations are to be erased, by exactly one of its names. */
export interface Visitor {
  readonly by: VisitorNaming
  readonly name: string
}
export type VisitorNaming = "email" | "session_token" | "visitor_id"

/** A request to erase everything of a visitor. */
export const ErasureRequest = Schema.Struct({
  email: Schema.optionalKey(Email),
  session_token: Schema.optionalKey(SessionToken),
  visitor_id: Schema.optionalKey(VisitorId),
  chatbot_id: optionalId(
    ChatbotId,
    "Only conversations with this chatbot. Absent: with every chatbot that the key serves.",
  ),
}).annotate({ identifier: "ErasureRequest", examples: [{ session_token: "visitor-4711" }] })
export type ErasureRequest = typeof ErasureRequest.Type

/** Counts of the conversations and messages that an erasure has deleted. */
export const Erased = Schema.Struct({
  conversations: Schema.Int,
  messages: Schema.Int,
}).annotate({ identifier: "Erased", examples: [{ conversations: 2, messages: 14 }] })
export type Erased = typeof Erased.Type
