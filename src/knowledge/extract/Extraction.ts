import type { Format } from "../../domain/Formats.ts"

/*
 * What the format functions take and give. Plain data without Effect: it crosses the border to another process, whose
 * start should cost nothing that reading a document does not need.
 */

export interface Source {
  readonly format: Format
  /** The file's name as uploaded; never trusted, only shown. */
  readonly name: string
  readonly bytes: Uint8Array
}

/** Where a page begins: `page` counts from 1, `start` is an offset in UTF-16 code units into the text. */
export interface PageStart {
  readonly page: number
  readonly start: number
}

/** A document as text in plain Markdown: `#` headings, lists, tables, fenced code; links with their addresses, images as their text. */
export interface ExtractedText {
  readonly title: string
  readonly text: string
  readonly pages?: ReadonlyArray<PageStart>
}

/** A piece of a document that is searched for: what is kept of a `Chunk`. */
export interface Passage {
  /** From 1, without gaps. */
  readonly ordinal: number
  readonly headings: ReadonlyArray<string>
  readonly text: string
  readonly page: number | null
}

/** A document in pieces, in order; none when it has no text. */
export interface SplitText {
  readonly title: string
  readonly passages: ReadonlyArray<Passage>
}

/** Why a document cannot be read. Stable codes: clients see them. */
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
export type FailureCode = (typeof failureCodes)[number]

/** Thrown by the format functions; `message` is shown to the user. `Extract` turns it into `ExtractionFailed`. */
export class Unreadable extends Error {
  readonly code: FailureCode
  constructor(code: FailureCode, message: string) {
    super(message)
    this.name = "Unreadable"
    this.code = code
  }
}

/** What a format function makes: text still to be normalised, whole or by pages, and the title it gives itself. */
export interface Draft {
  readonly title: string | undefined
  readonly text: string | ReadonlyArray<string>
}

/** How a format is read. `textLimit` is the most characters (UTF-16 code units) that the text may have. */
export type Reader = (bytes: Uint8Array, textLimit: number) => Draft | Promise<Draft>

export const tooLarge = (textLimit: number) =>
  new Unreadable(
    "too_large_when_extracted",
    `The document holds more than ${textLimit.toLocaleString("en")} characters of text.`,
  )

/** What a process that reads documents is asked; the file's bytes go with it. */
export interface Request {
  readonly format: Format
  readonly name: string
  readonly textLimit: number
  /** In pieces rather than as one text. */
  readonly isSplit: boolean
}

/**
 * What it answers: exactly one reply to each request. The text of a document goes with it; the passages follow in so
 * many frames, so that the server is never busy for long with one of them.
 */
export type Reply =
  | { readonly kind: "read"; readonly title: string; readonly pages?: ReadonlyArray<PageStart> }
  | { readonly kind: "split"; readonly title: string; readonly frames: number }
  | { readonly kind: "unreadable"; readonly code: FailureCode; readonly message: string }
  | { readonly kind: "out of memory" }
  /** A fault of ours; `cause` is for the log. */
  | { readonly kind: "fault"; readonly cause: string }
