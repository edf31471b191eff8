import { Schema } from "effect"
import { ChatbotId, DocumentId } from "../Ids.ts"
import { normalize } from "../../text/Normalization.ts"
import { Timestamp } from "../schema/Timestamp.ts"
import { Omissions } from "./Omission.ts"
import { SourceId } from "./Source.ts"

export const DocumentStatus = Schema.Literals(["queued", "extracting", "embedding", "ready", "failed"])
export type DocumentStatus = typeof DocumentStatus.Type

/** Documents that somebody looks after: those that are read, or that could not be. */
export const DocumentState = Schema.Literals(["in_progress", "failed"])

/** What lists of documents are in the order of. */
export const DocumentSort = Schema.Literals([
  "created_at",
  "updated_at",
  "name",
  "status",
  "source",
  "chunk_count",
  "size_bytes",
])

/** Which documents a list has, and in which order: absent fields leave none out, and the oldest come first. */
export interface DocumentQuery {
  readonly status?: DocumentStatus
  readonly state?: typeof DocumentState.Type
  readonly search?: string
  readonly sort?: typeof DocumentSort.Type
  readonly order?: "asc" | "desc"
}

export const DocumentError = Schema.Struct({
  code: Schema.String.annotate({ examples: ["no_text"] }),
  message: Schema.String,
})
export type DocumentError = typeof DocumentError.Type

/** A document in a chatbot's knowledge base: an uploaded file, or what a source has brought. */
export const Document = Schema.Struct({
  id: DocumentId,
  chatbot_id: ChatbotId,
  name: Schema.String,
  content_type: Schema.String,
  size_bytes: Schema.Int,
  sha256: Schema.String.annotate({ description: "Of the file's bytes, hexadecimal." }),
  status: DocumentStatus.annotate({
    description:
      "`queued` → `extracting` → `embedding` → `ready` or `failed`. While a new document is `embedding` for more than some seconds, searches find it by its words; `chunk_count` is then above 0.",
  }),
  progress: Schema.Finite.annotate({ description: "0 to 1." }),
  chunk_count: Schema.Int,
  error: Schema.NullOr(DocumentError).annotate({
    description:
      "Why ingestion failed. On a `ready` document: why its replacement failed; the old content still serves. On one that is `embedding`: why it waits for the embedding model. It goes on by itself.",
  }),
  source_id: Schema.NullOr(SourceId).annotate({ description: "The source that has brought it; null for an upload." }),
  url: Schema.NullOr(Schema.String).annotate({ description: "The address of the page that it was read from." }),
  omissions: Omissions.annotate({
    description:
      "What the file has that its text has not, one entry for each kind. Those of the text that serves; empty until there is one, and for a document that was read before such lists were kept.",
  }),
  duplicate: Schema.Boolean.annotate({ description: "True when an upload brought bytes that were already there." }),
  created_at: Timestamp,
  updated_at: Timestamp,
}).annotate({
  identifier: "Document",
  examples: [
    {
      id: DocumentId.make("01a1f949-59a4-732f-9087-acc9a37116fd"),
      chatbot_id: ChatbotId.make("01a1f949-589d-74eb-b296-3f233cb51b4b"),
      name: "handbook.pdf",
      content_type: "application/pdf",
      size_bytes: 20_367,
      sha256: "4075ba324f66b1b4e0819a34f4f1142c83b8b4a78acff936eaa33bf5112c5f95",
      status: "ready",
      progress: 1,
      chunk_count: 3,
      error: null,
      source_id: null,
      url: null,
      omissions: [],
      duplicate: false,
      created_at: Timestamp.make("2026-11-20T14:08:16.357+00:00"),
      updated_at: Timestamp.make("2026-11-20T14:08:16.891+00:00"),
    },
  ],
})
export type Document = typeof Document.Type

/** A passage of a document, as searches find it. */
export const DocumentPassage = Schema.Struct({
  chunk: Schema.Int.annotate({ description: "Its number in the document, from 1." }),
  page: Schema.NullOr(Schema.Int).annotate({ description: "Page on which it begins; null where there are none." }),
  section: Schema.NullOr(Schema.String).annotate({
    description: "The headings above it, outermost first, such as `Refunds > Students`; null where there are none.",
  }),
  content: Schema.String,
}).annotate({
  identifier: "DocumentPassage",
  examples: [{ chunk: 3, page: 2, section: "Refunds > Students", content: "Refunds take five days." }],
})
export type DocumentPassage = typeof DocumentPassage.Type

/** Whether processing of the document has ended, with success or not. */
export const isSettled = (document: Pick<Document, "status">): boolean =>
  document.status === "ready" || document.status === "failed"

const NAME_MAX_LENGTH = 255

/** File names are shown, never used as paths: no path parts, no control or bidirectional-control characters. */
export const displayName = (fileName: string): string => {
  const last = fileName.split(/[/\\]/).at(-1) ?? ""
  const visible = normalize(last.toWellFormed(), "NFC")
    .replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, "")
    .trim()
  if (/^\.{0,2}$/.test(visible)) return "untitled"
  if (visible.length <= NAME_MAX_LENGTH) return visible
  // The end is kept, because the extension says what the file is. Either cut may split a surrogate pair.
  return (visible.slice(0, 200) + visible.slice(-55)).replaceAll(/\p{Surrogate}/gu, "")
}
