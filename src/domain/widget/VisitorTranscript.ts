import { notationsOf } from "../chat/Transcript.ts"
import type { WidgetConversation, WidgetMessage } from "./Widget.ts"

/**
 * Transcripts as a visitor of the chat widget receives them of its own conversations: what was said and cited, and
 * nothing of what the chatbot did to find it.
 */
export const visitorNotations = notationsOf<WidgetConversation, WidgetMessage>(
  "conversation",
  ({ created_at }) => `# Conversation of ${created_at}\n`,
  ({ role }) => (role === "user" ? "You" : "Reply"),
)
