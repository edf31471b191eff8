import type { SentAttachment } from "./Attachment.ts"
import type { Citation } from "./Chat.ts"
import type { Unsupported } from "./Grounding.ts"
import type { WrittenBy } from "./WrittenBy.ts"
import type { Feedback, Session, TranscriptMessage } from "./Conversation.ts"

/*
 * Transcripts: a conversation as a file, written in pieces (an opening, messages, an ending). In Markdown each message
 * stands unchanged inside a code fence that is longer than any fence in it, so that it can neither pass for another
 * turn nor add headings, links or HTML.
 */

export const transcriptFormats = ["json", "markdown"] as const
export type TranscriptFormat = (typeof transcriptFormats)[number]

/** A format of transcripts, of conversations and messages as they are shown to the receiver of the transcript. */
export interface Notation<Conversation, Said> {
  readonly mediaType: string
  readonly fileExtension: string
  readonly opening: (conversation: Conversation) => string
  /** `index` counts from 0. */
  readonly message: (message: Said, index: number) => string
  readonly ending: string
}

/** The fields of a message that a transcript in Markdown shows. */
interface SaidInMarkdown {
  readonly content: string
  readonly attachments?: ReadonlyArray<SentAttachment> | null
  readonly created_at: string
  readonly sources?: ReadonlyArray<Pick<Citation, "page" | "quote" | "title" | "url">>
  readonly unsupported?: ReadonlyArray<string | Pick<Unsupported, "sentence">>
  readonly feedback?: Feedback
  readonly written_by?: WrittenBy
}

/** A text as a code fence of Markdown that nothing in it ends. */
export const fenced = (text: string, language = ""): string => {
  const longest = (text.match(/`+/g) ?? []).reduce((length, run) => Math.max(length, run.length), 2)
  const fence = "`".repeat(longest + 1)
  return `${fence}${language}\n${text}\n${fence}\n`
}

/** The files of a message, as a part of it in Markdown. */
const attachedIn = (attachments: SaidInMarkdown["attachments"]): string =>
  attachments?.length
    ? `\nAttachments:\n\n${fenced(attachments.map(({ name, url }) => `${name}: ${url}`).join("\n"))}`
    : ""

/** The sources of a reply, as a part of its message in Markdown. */
const citedIn = (sources: ReadonlyArray<Pick<Citation, "page" | "quote" | "title" | "url">> = []): string => {
  if (sources.length === 0) return ""
  const lines = sources.map(
    ({ page, quote, title, url }) =>
      `${title}${page === null ? "" : `, page ${page}`}${url === undefined ? "" : ` <${url}>`}: ${quote}`,
  )
  return `\nSources:\n\n${fenced(lines.join("\n"))}`
}

/** The sentences of a reply that no passage supports, as a part of its message in Markdown. */
const unsupportedIn = (unsupported: SaidInMarkdown["unsupported"] = []): string =>
  unsupported.length === 0
    ? ""
    : `\nNot found in the documents:\n\n${fenced(unsupported.map((each) => (typeof each === "string" ? each : each.sentence)).join("\n"))}`

/** The author of a reply by kind, as a part of its heading in Markdown. */
const authorIn = (author: WrittenBy | undefined): string => (author === undefined ? "" : ` (${author})`)

/** Rating of a reply by the user, with any comment, as a part of the reply's message in Markdown. */
const ratedIn = (feedback: Feedback | undefined): string => {
  if (feedback === undefined) return ""
  const comment = feedback.comment === null ? "" : `\n${fenced(feedback.comment)}`
  return `\nRated ${feedback.rating}.\n${comment}`
}

/** Makes the notations of transcripts that call the conversation by this name, and a message's speaker as it says. */
export const notationsOf = <Conversation, Said extends SaidInMarkdown>(
  name: string,
  openingInMarkdown: (conversation: Conversation) => string,
  speakerOf: (message: Said) => string,
): Readonly<Record<TranscriptFormat, Notation<Conversation, Said>>> => ({
  json: {
    mediaType: "application/json",
    fileExtension: "json",
    opening: (conversation) => `{"${name}":${JSON.stringify(conversation)},"messages":[`,
    message: (message, index) => `${index === 0 ? "" : ","}${JSON.stringify(message)}`,
    ending: "]}",
  },
  markdown: {
    mediaType: "text/markdown; charset=utf-8",
    fileExtension: "md",
    opening: openingInMarkdown,
    message: (message, index) =>
      `\n## ${index + 1}. ${speakerOf(message)}${authorIn(message.written_by)}, ${message.created_at}\n\n${fenced(message.content)}${attachedIn(message.attachments)}${citedIn(message.sources)}${unsupportedIn(message.unsupported)}${ratedIn(message.feedback)}`,
    ending: "",
  },
})

/** A name without what could be taken for a part of a document. */
const plainName = (name: string): string => name.replaceAll(/[^\p{L}\p{M}\p{N} .'-]/gu, "")

export const notations = notationsOf<Session, TranscriptMessage>(
  "session",
  ({ last_message: _, ...session }) =>
    `# Conversation ${session.id}\n\n${fenced(JSON.stringify(session, null, 2), "json")}`,
  ({ sender, sender_type }) =>
    sender === undefined ? (sender_type === "user" ? "User" : "Bot") : `Agent ${plainName(sender.name)}`.trim(),
)
