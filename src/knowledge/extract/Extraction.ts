import type { Format } from "../../domain/Formats.ts"

/*
 * What the format functions take and give. Plain data without Effect: it crosses the border to a worker, whose start
 * should cost nothing that reading a document does not need.
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

/** A document as text in plain Markdown: `#` headings, lists, tables, fenced code; links and images as their text. */
export interface ExtractedText {
  readonly title: string
  readonly text: string
  readonly pages?: ReadonlyArray<PageStart>
}

/** Why a document cannot be read. Stable codes: clients see them. */
export const failureCodes = [
  "empty_document",
  "no_text",
  "password_protected",
  "corrupt_document",
  "invalid_encoding",
  "too_large_when_extracted",
  "extraction_timed_out",
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

/** Most characters (UTF-16 code units) a document may have once it is text. */
export const maxTextCharacters = 20_000_000

export const tooLarge = () =>
  new Unreadable(
    "too_large_when_extracted",
    `The document holds more than ${maxTextCharacters.toLocaleString("en")} characters of text.`,
  )
