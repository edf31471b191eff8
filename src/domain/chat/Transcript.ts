import type { Message, Session } from "./Conversation.ts"

/*
 * Transcripts: a conversation as a file, written in pieces (an opening, messages, an ending). In Markdown each message
 * stands unchanged inside a code fence that is longer than any fence in it, so that it can neither pass for another
 * turn nor add headings, links or HTML.
 */

export const transcriptFormats = ["json", "markdown"] as const
export type TranscriptFormat = (typeof transcriptFormats)[number]

/** A format of transcripts. */
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
