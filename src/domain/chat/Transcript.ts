import type { Message, Session } from "./Conversation.ts"

/*
 * A conversation to keep or to hand on, in pieces: an opening, messages, an ending. What was said stands in Markdown
 * exactly as it was said, inside a fence that is longer than any in it: so it can neither look like another turn, nor
 * bring headings, links or HTML along.
 */

export const transcriptFormats = ["json", "markdown"] as const
export type TranscriptFormat = (typeof transcriptFormats)[number]

/** How a transcript is written down. */
export interface Notation {
  readonly mediaType: string
  readonly fileExtension: string
  readonly opening: (session: Session) => string
  /** `index` counts from 0. */
  readonly message: (message: Message, index: number) => string
  readonly ending: string
}

const fenced = (text: string, language = ""): string => {
  const longest = (text.match(/`+/g) ?? []).reduce((length, run) => Math.max(length, run.length), 2)
  const fence = "`".repeat(longest + 1)
  return `${fence}${language}\n${text}\n${fence}\n`
}

const rated = ({ feedback }: Message): string => {
  if (feedback === undefined) return ""
  const comment = feedback.comment === null ? "" : `\n${fenced(feedback.comment)}`
  return `\nRated ${feedback.rating}.\n${comment}`
}

const json: Notation = {
  mediaType: "application/json",
  fileExtension: "json",
  opening: (session) => `{"session":${JSON.stringify(session)},"messages":[`,
  message: (message, index) => `${index === 0 ? "" : ","}${JSON.stringify(message)}`,
  ending: "]}",
}

const markdown: Notation = {
  mediaType: "text/markdown; charset=utf-8",
  fileExtension: "md",
  opening: ({ last_message: _, ...session }) =>
    `# Conversation ${session.id}\n\n${fenced(JSON.stringify(session, null, 2), "json")}`,
  message: (message, index) => {
    const speaker = message.sender_type === "user" ? "User" : "Bot"
    return `\n## ${index + 1}. ${speaker}, ${message.created_at}\n\n${fenced(message.content)}${rated(message)}`
  },
  ending: "",
}

export const notations: Readonly<Record<TranscriptFormat, Notation>> = { json, markdown }
