import type { Format } from "../../domain/knowledge/Formats.ts"
import { type Omission, type OmissionKind, PLACE_MAX_LENGTH, PLACES_MAX } from "../../domain/knowledge/Omission.ts"
import { OCR_COMMAND } from "../../system/Variables.ts"
import { bounded } from "../../text/BoundedText.ts"
import { cleanTitle } from "./Text.ts"

/*
 * The input and output of the readers of each format. They are plain data without Effect, because they are sent to
 * another process, which should start without loading what reading a document does not need.
 */

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
  /** What the document has that its text has not. */
  readonly omissions: ReadonlyArray<Omission>
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
export interface SplitText extends Pick<ExtractedText, "title" | "omissions"> {
  readonly passages: ReadonlyArray<Passage>
}

/** A PDF of which is asked only whether it is active, see `PdfActions`. */
export interface PdfToExamine {
  readonly examined: Blob
}

/** Content of a PDF: nothing active; something active; or objects that cannot be examined. */
export const pdfContents = ["passive", "active", "unknown"] as const
export type PdfContent = (typeof pdfContents)[number]

/** A web page as it was fetched. */
export interface PageSource {
  /** The address of the page after redirects. */
  readonly url: string
  /** The value of the header `Content-Type`, or an empty string. */
  readonly contentType: string
  readonly bytes: Uint8Array
}

/** What a web page says: its main content, and what it says about itself. All addresses are absolute. */
export interface PageText {
  /** One line that is safe to show, without the name of the site; empty when the page has none. */
  readonly title: string
  /** The main content in plain Markdown, block by block, without a first heading that is the title. */
  readonly blocks: ReadonlyArray<string>
  /**
   * The addresses of all links that may be followed, with `http` or `https`, without fragments, each once, in the order
   * of the page.
   */
  readonly links: ReadonlyArray<string>
  readonly canonical?: string | undefined
  /** Whether the page asks not to be kept. */
  readonly noindex: boolean
  /** Whether the page asks not to follow any of its links. */
  readonly nofollow: boolean
  /** The page that replaces this one within seconds. */
  readonly refresh?: string | undefined
  /** The primary subtag of the language that the page names, in lower case. */
  readonly language?: string | undefined
  /** The date of its publication or else of its last change: a date, or a date with time, as of ISO 8601. */
  readonly published?: string | undefined
  /** Whether only scripts make the text of the page. */
  readonly needsBrowser: boolean
  /** Whether the page is a login form, and little else. */
  readonly needsLogin: boolean
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

/** Whether a failure is that of a part, without which the rest of the document can be read: its size is that of all. */
export const isOfPart = (cause: unknown): cause is Unreadable =>
  cause instanceof Unreadable && cause.code !== "too_large_when_extracted"

/** Collects what a reader leaves out of a document: how many of each kind, and where the first are. */
export class Omitted {
  /** Why the first part could not be read, which is why the document has no text where nothing else has any. */
  failure: Unreadable | undefined
  private readonly found = new Map<OmissionKind, { count: number; readonly where: Set<string> }>()

  add(kind: OmissionKind, where: string | number = "", count = 1): void {
    if (count === 0) return
    const entry = this.found.get(kind) ?? { count: 0, where: new Set() }
    entry.count += count
    this.found.set(kind, entry)
    if (entry.where.size >= PLACES_MAX || where === "") return
    const name = cleanTitle(bounded(String(where)))
    if (name !== undefined) entry.where.add(name.slice(0, PLACE_MAX_LENGTH).toWellFormed())
  }

  /** Adds what was left out of a file in the document. */
  addAll(inner: Omitted | undefined, file: string): void {
    for (const { count, kind } of inner?.list ?? []) this.add(kind, file, count)
  }

  /** Reads a part without which the rest of the document can be read; `undefined` for one that cannot be read. */
  attempt<A>(kind: OmissionKind, where: string | number, read: () => A): A | undefined {
    try {
      return read()
    } catch (cause) {
      if (!isOfPart(cause)) throw cause
      this.failure ??= cause
      this.add(kind, where)
      return undefined
    }
  }

  get list(): ReadonlyArray<Omission> {
    return Array.from(this.found, ([kind, { count, where }]) => ({ kind, count, where: [...where] }))
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
  readonly omitted?: Omitted
}

/** A file in a document. A message within a message may have been read already. */
export interface Attachment {
  /** The file's name, by which its format is detected. */
  readonly name: string
  readonly content: Uint8Array | Draft
}

/** The page that an image shows, from 1, and the number of pages of the document whose images are recognized. */
export interface ImagePlace {
  readonly page: number
  readonly of: number
}

/** Recognizes the text in an image of one page: PNG, JPEG, TIFF or WebP. The text may be empty. */
export type Recognize = (image: Uint8Array, place: ImagePlace) => Promise<string>

/** The most pages of a document whose images are recognized, which takes about a quarter of an hour. */
export const SCANNED_PAGES_MAX = 500

/** The largest image of a page. */
export const IMAGE_MAX_BYTES = 64 * 1024 * 1024

/**
 * Reads a file of one format, and throws or rejects with `Unreadable`. `textLimit` is the longest text that is allowed,
 * in UTF-16 code units. Without `recognize`, images have no text.
 */
export type Reader = (bytes: Uint8Array, textLimit: number, recognize?: Recognize) => Draft | Promise<Draft>

/** The failure of a document that has no text but images, in which none was recognized or nothing could recognize it. */
export const noText = (hasOcr: boolean) =>
  new Unreadable(
    "no_text",
    hasOcr
      ? "The file has no text, and none was recognized in its images."
      : `The file has no text but images, as a scan has. The server does not read them: its ${OCR_COMMAND} is off. Make the file searchable first (OCR).`,
  )

/** The failure of a document with more than `SCANNED_PAGES_MAX` images of pages. */
export const tooManyScans = () =>
  new Unreadable(
    "too_large_when_extracted",
    `The document has more than ${SCANNED_PAGES_MAX} pages that are images. Divide it into several.`,
  )

/** The failure of a document whose text is longer than `textLimit`. */
export const tooLarge = (textLimit: number) =>
  new Unreadable(
    "too_large_when_extracted",
    `The document holds more than ${textLimit.toLocaleString("en")} characters of text.`,
  )

/**
 * A request to a process that reads documents: for a file, for a web page, or to examine a PDF. The bytes are sent with
 * it. `hasOcr`: the server recognizes text in images.
 */
export type Request = { readonly textLimit: number } & (
  | { readonly format: Format; readonly name: string; readonly hasOcr: boolean }
  | { readonly url: string; readonly contentType: string }
  | { readonly isExamined: true }
)

export type PageFacts = Omit<PageText, "blocks" | "links">

/**
 * The reply of a process that reads documents; every request gets exactly one. The passages, or the blocks and then the
 * links of a page, follow in `frames` messages, each small enough to be decoded without delaying the server's other work.
 * Before it, the process may send images, one after the other, and gets the text of each in a frame's body.
 */
export type Reply =
  | { readonly kind: "page"; readonly page: PageFacts; readonly blocks: number; readonly frames: number }
  | ({ readonly kind: "image" } & ImagePlace)
  | ({ readonly kind: "split"; readonly frames: number } & Omit<SplitText, "passages">)
  | { readonly kind: "examined"; readonly content: PdfContent }
  | { readonly kind: "unreadable"; readonly code: FailureCode; readonly message: string }
  | { readonly kind: "out of memory" }
  /** The reader has a bug. `cause` is for the log. */
  | { readonly kind: "fault"; readonly cause: string }
