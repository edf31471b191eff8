import { Schema } from "effect"
import { ChatbotId, MessageId, SessionId } from "./Ids.ts"
import { Timestamp } from "./Timestamp.ts"

export const SenderType = Schema.Literals(["user", "bot"])
export type SenderType = typeof SenderType.Type

const Attachment = Schema.Struct({ name: Schema.String, url: Schema.String })

/** A stored message. */
export const Message = Schema.Struct({
  id: MessageId,
  session_id: SessionId,
  sender_type: SenderType,
  content: Schema.String,
  attachments: Schema.NullOr(Schema.Array(Attachment)),
  created_at: Timestamp,
  metadata: Schema.Struct({ mid: Schema.optionalKey(Schema.String) }).annotate({
    description: "Empty, or the id that the client gave the message.",
  }),
  migrated_data: Schema.Boolean,
  model: Schema.NullOr(Schema.String),
  provider: Schema.NullOr(Schema.String),
  session_token: Schema.Null,
  tokens_used: Schema.Number,
  tool_calls: Schema.NullOr(Schema.Array(Schema.Json)),
  tool_results: Schema.NullOr(Schema.Array(Schema.Json)),
})
export type Message = typeof Message.Type

/** A conversation of one user with one chatbot. */
export const Session = Schema.Struct({
  id: SessionId,
  chatbot_id: ChatbotId,
  session_token: Schema.NullOr(Schema.String),
  platform: Schema.String,
  state: Schema.Literals(["open", "closed"]),
  last_message: Schema.NullOr(Schema.Struct({ id: MessageId, content: Schema.String, sender_type: SenderType })),
  user_info: Schema.Struct({ email: Schema.optionalKey(Schema.String) }),
  message_count: Schema.Int,
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type Session = typeof Session.Type

/** What is remembered of the one who chats. */
export type UserInfo = Session["user_info"]
