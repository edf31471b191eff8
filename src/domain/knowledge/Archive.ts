import { Schema } from "effect"
import { SourceInput } from "./Source.ts"

/*
 * The archive of a knowledge base: a zip of the files of its documents, of a CSV for each source of questions, and of a
 * list of the contents.
 */

/** The list of the contents: JSON in lines, of which the first is an `ArchiveHead` and each other an `ArchivedItem`. */
export const CONTENTS_FILE = "knowledge-base.jsonl"

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
})
export type ArchivedSource = typeof ArchivedSource.Type

const ArchivedDocument = Schema.Struct({
  type: Schema.Literal("document"),
  file: Schema.String,
  name: Schema.String,
  content_type: Schema.String,
  source: Schema.NullOr(Schema.String),
  url: Schema.NullOr(Schema.String),
})
export type ArchivedDocument = typeof ArchivedDocument.Type

/** A source, or a document that is a file or a page. A page comes after its source. */
export const ArchivedItem = Schema.Union([ArchivedSource, ArchivedDocument])
export type ArchivedItem = typeof ArchivedItem.Type

const Counts = Schema.Struct({
  added: Schema.Int,
  known: Schema.Int.annotate({ description: "Those that the knowledge base had already." }),
})

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
