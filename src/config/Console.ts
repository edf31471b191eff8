import { positiveDuration, integer, limit } from "./Kinds.ts"
import type { Group } from "./Setting.ts"

const allConversations = {
  searchedMessages: integer(100, 10_000_000).or(
    "CONVERSATION_SEARCH_MESSAGES",
    "20000",
    "Messages that one request looks through for a text, about. The answer says how far it came, and the next page goes on there.",
  ),
}

const events = {
  interval: positiveDuration.or(
    "EVENTS_INTERVAL",
    "1s",
    "How often the database is asked what has changed in an organization, while somebody listens to its events.",
  ),
  streams: limit.or("SHARE_EVENTS", "64", "Streams of events of one organization at once, in one process."),
}

export const consoleAndEvents = {
  title: "Console and events",
  introduction: "What the console asks beside all others: searches in conversations, and what changes meanwhile.",
  sections: { allConversations, events },
} satisfies Group
