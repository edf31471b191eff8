import { Schema } from "effect"
import { SourceInput } from "./Source.ts"
import { PageOutcome } from "./SourcePage.ts"

/*
 * The archive of a knowledge base: a zip of the files of its documents, of a CSV for each source of questions, and of a
 * list of the contents.
 */

/** The list of the contents: JSON in lines, of which the first is an `ArchiveHead` and each other an `ArchivedItem`. */
export const CONTENTS_FILE = "knowledge-base.jsonl"

/** The file of the questions of a source. */
export const questionsFile = (source: string): string => `questions/${source}.csv`

/** Says what the archive is. */
export const ArchiveHead = Schema.Struct({
  format: Schema.Literal("parley-knowledge-base"),
  version: Schema.Literal(1),
})

const ArchivedSource = Schema.Struct({
  type: Schema.Literal("source"),
  /** Names the source within the archive. */
  key: Schema.String,
  source: SourceInput,
  /** Hashes of the blocks that repeat on its pages. */
  repeated: Schema.NullOr(Schema.Json),
})
export type ArchivedSource = typeof ArchivedSource.Type

const ArchivedDocument = Schema.Struct({
  type: Schema.Literal("document"),
  key: Schema.String,
  file: Schema.String,
  name: Schema.String,
  content_type: Schema.String,
  source: Schema.NullOr(Schema.String),
  url: Schema.NullOr(Schema.String),
})
export type ArchivedDocument = typeof ArchivedDocument.Type

/** The fields of a page of a source by which its next run finds what has changed since. */
export const pageFacts = {
  url: Schema.String,
  depth: Schema.Int,
  found_on: Schema.NullOr(Schema.String),
  outcome: Schema.NullOr(PageOutcome),
  detail: Schema.NullOr(Schema.String),
  title: Schema.NullOr(Schema.String),
  language: Schema.NullOr(Schema.String),
  published_at: Schema.NullOr(Schema.String),
  text_hash: Schema.NullOr(Schema.String),
}

const ArchivedPage = Schema.Struct({
  type: Schema.Literal("page"),
  source: Schema.String,
  document: Schema.NullOr(Schema.String),
  ...pageFacts,
})
export type ArchivedPage = typeof ArchivedPage.Type

/** A source, a document that is a file or a page, or what is known of a page; each after what it refers to. */
export const ArchivedItem = Schema.Union([ArchivedSource, ArchivedDocument, ArchivedPage])
export type ArchivedItem = typeof ArchivedItem.Type

const Counts = Schema.Struct({
  added: Schema.Int,
  known: Schema.Int.annotate({ description: "Those that the knowledge base had already." }),
})

/** What an import has done. */
export const ArchiveImport = Schema.Struct({
  documents: Counts,
  sources: Counts,
  questions: Counts,
  problems: Schema.Array(Schema.String).annotate({ description: "What was left out, and why; at most 100 lines." }),
}).annotate({
  identifier: "KnowledgeImport",
  examples: [
    {
      documents: { added: 118, known: 2 },
      sources: { added: 2, known: 0 },
      questions: { added: 40, known: 0 },
      problems: [],
    },
  ],
})
export type ArchiveImport = typeof ArchiveImport.Type
