import type { Format } from "../../domain/knowledge/Formats.ts"

/*
 * The input and output of the readers of each format. They are plain data without Effect, because they are sent to
 * another process, which should start without loading what reading a document does not need.
 */

/** A file to read. */
export interface Source {
  readonly format: Format
  /** The file's name as uploaded. It is shown as a title, and never used as a path. */
  readonly name: string
  readonly bytes: Uint8Array
}

/** A file to read that is not in memory. */
export interface StoredSource extends Omit<Source, "bytes"> {
  readonly content: Blob
}

/** Start of a page: `page` counts from 1, and `start` is an offset into the text, in UTF-16 code units. */
export interface PageStart {
  readonly page: number
  readonly start: number
}

/**
 * The text of a document in plain Markdown: `#` headings, lists, tables, fenced code, links with their addresses, and
 * the alternative text of images.
 */
export interface ExtractedText {
  readonly title: string
  readonly text: string
  readonly pages?: ReadonlyArray<PageStart>
}

/** A piece of a document that searches return: the stored part of a `Chunk`. */
export interface Passage {
  /** The passage's place in the document, from 1, without gaps. */
  readonly ordinal: number
  readonly headings: ReadonlyArray<string>
  readonly text: string
  readonly page: number | null
}

/** A document as passages in their order; there are none when it has no text. */
export interface SplitText {
  readonly title: string
  readonly passages: ReadonlyArray<Passage>
}

/** The reasons why a document cannot be read. The codes are part of the API and never change. */
export const failureCodes = [
  "empty_document",
  "no_text",
  "password_protected",
  "corrupt_document",
  "invalid_encoding",
  "too_large_when_extracted",
  "unsupported_format",
  "extraction_timed_out",
  "extraction_out_of_memory",
  "extraction_crashed",
] as const
type FailureCode = (typeof failureCodes)[number]

/** Thrown when a document cannot be read. Users see `message`. `Extract` turns it into `ExtractionFailed`. */
export class Unreadable extends Error {
  readonly code: FailureCode
  constructor(code: FailureCode, message: string) {
    super(message)
    this.name = "Unreadable"
    this.code = code
  }
}

/** The result of a reader, before `read` normalises it and joins its pages. */
export interface Draft {
  /** The title that the document gives itself. */
  readonly title: string | undefined
  /** The whole text, or one text per page. */
  readonly text: string | ReadonlyArray<string>
  /** The files in it, such as those of a mail, which `read` reads and appends. */
  readonly attachments?: ReadonlyArray<Attachment>
}

/** A file in a document. A message within a message may have been read already. */
export interface Attachment {
  /** The file's name, by which its format is detected. */
  readonly name: string
  readonly content: Uint8Array | Draft
}

/**
 * Reads a file of one format, and throws or rejects with `Unreadable`. `textLimit` is the longest text that is allowed,
 * in UTF-16 code units.
 */
export type Reader = (bytes: Uint8Array, textLimit: number) => Draft | Promise<Draft>

/** The failure of a document whose text is longer than `textLimit`. */
export const tooLarge = (textLimit: number) =>
  new Unreadable(
    "too_large_when_extracted",
    `The document holds more than ${textLimit.toLocaleString("en")} characters of text.`,
  )

/** A request to a process that reads documents. The file's bytes are sent with it. */
export interface Request {
  readonly format: Format
  readonly name: string
  readonly textLimit: number
}

/**
 * The reply of a process that reads documents; every request gets exactly one. The passages follow in `frames` messages,
 * each small enough to be decoded without delaying the server's other work.
 */
export type Reply =
  | { readonly kind: "split"; readonly title: string; readonly frames: number }
  | { readonly kind: "unreadable"; readonly code: FailureCode; readonly message: string }
  | { readonly kind: "out of memory" }
  /** The reader has a bug. `cause` is for the log. */
  | { readonly kind: "fault"; readonly cause: string }
