import { Schema } from "effect"

/** A piece of a document that a search found. `similarity` is 0–1. */
export interface Passage {
  readonly documentId: string
  readonly title: string
  /** Its place in the document, from 1. */
  readonly chunk: number
  /** From 1; null where the document has no pages. */
  readonly page: number | null
  /** The headings above it in its document, outermost first, such as `Refunds > Students`. */
  readonly section?: string
  /** The address of its document; absent for an upload. */
  readonly url?: string
  /** Whether people have written its document as the answer to a question. */
  readonly isApproved?: boolean
  readonly content: string
  readonly similarity?: number
}

/** The similarity from which on a passage probably bears on the question. It is calibrated in `Similarity.ts`. */
export const LIKELY_SIMILARITY = 0.2

/** The longest query of a search, in UTF-16 code units. */
export const QUERY_MAX_LENGTH = 2_000

/** The most passages that one search of a chat finds. A search that finds fewer has found all that share a word. */
export const PASSAGES_PER_SEARCH = 5

/** A passage as a model sees it, and as the tool `searchKnowledgeBase` returns it. */
export type PassageJson = {
  readonly title: string
  readonly chunk: number
  /** The headings above it, outermost first; absent where there are none. */
  readonly section?: string
  readonly content: string
  readonly similarity?: number
  /** Whether people have written its document as the answer to a question. */
  readonly approved?: boolean
  readonly document_id: string
}

/** The result of the tool `searchKnowledgeBase`. */
export const Passages: Schema.Codec<ReadonlyArray<PassageJson>> = Schema.Array(
  Schema.Struct({
    title: Schema.String,
    chunk: Schema.Int,
    section: Schema.optionalKey(Schema.String),
    content: Schema.String,
    similarity: Schema.optionalKey(Schema.Finite),
    approved: Schema.optionalKey(Schema.Boolean),
    document_id: Schema.String,
  }),
)
