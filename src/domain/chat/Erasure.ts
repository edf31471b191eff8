import { Schema } from "effect"
import { ChatbotId } from "../Ids.ts"
import { textBetween } from "../schema/Text.ts"

const Email = textBetween(3, 320).annotate({
  description:
    "The e-mail address that the chatbot was given, in whatever case. Conversations in which an address was said only in passing are not found by it.",
  examples: ["ada@example.com"],
})
const SessionToken = textBetween(1, 200).annotate({
  description: "The `sessionToken` that the conversations were opened with.",
  examples: ["visitor-4711"],
})

/** The visitor whose conversations are to be erased, by exactly one of two names. */
export type Visitor =
  | { readonly email: string; readonly session_token?: undefined }
  | { readonly email?: undefined; readonly session_token: string }

/** A request to erase everything of a visitor. */
export const ErasureRequest = Schema.Struct({
  email: Schema.optionalKey(Email),
  session_token: Schema.optionalKey(SessionToken),
  chatbot_id: Schema.optionalKey(
    ChatbotId.pipe(
      Schema.annotateEncoded({
        description: "Only conversations with this chatbot. Absent: with every chatbot that the key serves.",
      }),
    ),
  ),
}).annotate({ identifier: "ErasureRequest", examples: [{ session_token: "visitor-4711" }] })
export type ErasureRequest = typeof ErasureRequest.Type

/** What an erasure has deleted. */
export const Erased = Schema.Struct({
  conversations: Schema.Int,
  messages: Schema.Int,
}).annotate({ identifier: "Erased", examples: [{ conversations: 2, messages: 14 }] })
export type Erased = typeof Erased.Type
