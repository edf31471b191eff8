import type { Source } from "./Chat.ts"
import type { Feedback, Message, Session } from "./Conversation.ts"

/*
 * Transcripts: a conversation as a file, written in pieces (an opening, messages, an ending). In Markdown each message
 * stands unchanged inside a code fence that is longer than any fence in it, so that it can neither pass for another
 * turn nor add headings, links or HTML.
 */

export const transcriptFormats = ["json", "markdown"] as const
export type TranscriptFormat = (typeof transcriptFormats)[number]

/** A format of transcripts, of conversations and messages as they are shown to whoever receives the transcript. */
export interface Notation<Conversation = Session, Said = Message> {
  readonly mediaType: string
  readonly fileExtension: string
  readonly opening: (conversation: Conversation) => string
  /** `index` counts from 0. */
  readonly message: (message: Said, index: number) => string
  readonly ending: string
}

/** A text as a code fence of Markdown that nothing in it ends. */
export const fenced = (text: string, language = ""): string => {
  const longest = (text.match(/`+/g) ?? []).reduce((length, run) => Math.max(length, run.length), 2)
  const fence = "`".repeat(longest + 1)
  return `${fence}${language}\n${text}\n${fence}\n`
}

/** The sources of a reply, as a part of its message in Markdown. */
export const citedIn = (sources: ReadonlyArray<Pick<Source, "page" | "quote" | "title">> = []): string => {
  if (sources.length === 0) return ""
  const lines = sources.map(({ page, quote, title }) => `${title}${page === null ? "" : `, page ${page}`}: ${quote}`)
  return `\nSources:\n\n${fenced(lines.join("\n"))}`
}

/** Rating of a reply by the user, with any comment, as a part of the reply's message in Markdown. */
export const ratedIn = (feedback: Feedback | undefined): string => {
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
    return `\n## ${index + 1}. ${speaker}, ${message.created_at}\n\n${fenced(message.content)}${citedIn(message.sources)}${ratedIn(message.feedback)}`
  },
  ending: "",
}

export const notations: Readonly<Record<TranscriptFormat, Notation>> = { json, markdown }
