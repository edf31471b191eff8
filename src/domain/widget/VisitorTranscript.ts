import { citedIn, fenced, type Notation, ratedIn, type TranscriptFormat } from "../chat/Transcript.ts"
import type { WidgetConversation, WidgetMessage } from "./Widget.ts"

/*
 * Transcripts as a visitor of the chat widget receives them of its own conversations: what was said and cited, and
 * nothing of what the chatbot did to find it.
 */

type VisitorNotation = Notation<WidgetConversation, WidgetMessage>

const json: VisitorNotation = {
  mediaType: "application/json",
  fileExtension: "json",
  opening: (conversation) => `{"conversation":${JSON.stringify(conversation)},"messages":[`,
  message: (message, index) => `${index === 0 ? "" : ","}${JSON.stringify(message)}`,
  ending: "]}",
}

const markdown: VisitorNotation = {
  mediaType: "text/markdown; charset=utf-8",
  fileExtension: "md",
  opening: ({ created_at }) => `# Conversation of ${created_at}\n`,
  message: ({ content, created_at, feedback, role, sources }, index) => {
    const speaker = role === "user" ? "You" : "Reply"
    return `\n## ${index + 1}. ${speaker}, ${created_at}\n\n${fenced(content)}${citedIn(sources)}${ratedIn(feedback)}`
  },
  ending: "",
}

export const visitorNotations: Readonly<Record<TranscriptFormat, VisitorNotation>> = { json, markdown }
