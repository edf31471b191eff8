import { toolTrials } from "./Chats.ts"
import { positiveDuration, integer } from "./Kinds.ts"
import type { Group } from "./Setting.ts"

const allConversations = {
  searchedMessages: integer(100, 10_000_000).or(
    "CONVERSATION_SEARCH_MESSAGES",
    "20000",
    "Messages that one request looks through for a text, about. The answer says how far it came, and the next page goes on there.",
  ),
}

const consoleSessions = {
  lifetime: positiveDuration.or(
    "CONSOLE_SESSION",
    "12h",
    "How long somebody who has signed in at the console stays signed in.",
  ),
}

const events = {
  interval: positiveDuration.or(
    "EVENTS_INTERVAL",
    "1s",
    "How often the database is asked what has changed in an organization, while somebody listens to its events.",
  ),
}

export const consoleAndEvents = {
  title: "Console and events",
  introduction: "Signing in at the console, searches in conversations, and the streams of what changes.",
  sections: { consoleSessions, allConversations, events, toolTrials },
} satisfies Group
