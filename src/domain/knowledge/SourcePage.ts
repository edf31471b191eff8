import { Schema } from "effect"
import { DocumentId, idOf } from "../Ids.ts"
import { Timestamp } from "../schema/Timestamp.ts"

export const SourcePageId = idOf("a page of a source").pipe(Schema.brand("SourcePageId"))
export type SourcePageId = typeof SourcePageId.Type

/** What became of a page in the last run that met it. */
export const PageOutcome = Schema.Literals([
  "new",
  "changed",
  "unchanged",
  "duplicate",
  "excluded",
  "not_text",
  "too_large",
  "login",
  "needs_browser",
  "failed",
  "gone",
  "removed",
])
export type PageOutcome = typeof PageOutcome.Type

/** Meanings of the outcomes, for the OpenAPI document. */
const meanings =
  "`new`, `changed`, `unchanged`: it is a document. `duplicate`: another page has the same text. `excluded`: by a pattern, the scope, robots.txt, `noindex`, a canonical link, the depth or the most pages; `detail` says which. `not_text`: of a type that cannot be read, or without text. `too_large`. `login`: it asks for a password. `needs_browser`: only scripts make it. `failed`: `detail` says why; what was read before stays. `gone`: the server says so; it is deleted after the second run. `removed`: somebody has deleted its document, and it is not read again unless a run asks for it."

/** A page that a run has met. */
export const SourcePage = Schema.Struct({
  id: SourcePageId,
  url: Schema.String,
  outcome: Schema.NullOr(PageOutcome).annotate({ description: `Null: it was not read yet. ${meanings}` }),
  detail: Schema.NullOr(Schema.String).annotate({ description: "The reason, in plain words." }),
  http_status: Schema.NullOr(Schema.Int),
  waiting: Schema.Boolean.annotate({ description: "Whether the run under way has yet to read it." }),
  depth: Schema.Int,
  found_on: Schema.NullOr(Schema.String).annotate({ description: "A page that links to it." }),
  title: Schema.NullOr(Schema.String),
  language: Schema.NullOr(Schema.String),
  published_at: Schema.NullOr(Schema.String),
  document_id: Schema.NullOr(DocumentId),
  fetched_at: Schema.NullOr(Timestamp),
}).annotate({
  identifier: "SourcePage",
  examples: [
    {
      id: SourcePageId.make("01a1f949-7e30-7d5e-8a41-0c6a2b9f3d13"),
      url: "https://docs.example.com/guide/install",
      outcome: "excluded",
      detail: "robots.txt forbids it.",
      http_status: null,
      waiting: false,
      depth: 1,
      found_on: "https://docs.example.com/guide/",
      title: null,
      language: null,
      published_at: null,
      document_id: null,
      fetched_at: null,
    },
  ],
})
export type SourcePage = typeof SourcePage.Type

/** A part of a source's pages, by the beginning of their addresses. */
export const PageBranch = Schema.Struct({
  prefix: Schema.String.annotate({ description: "What the addresses of its pages begin with." }),
  name: Schema.String.annotate({
    description: "The host, or a segment of the path; empty for the page at the prefix itself.",
  }),
  page_count: Schema.Int,
  counts: Schema.Record(Schema.String, Schema.Int).annotate({
    description:
      "Numbers of pages by outcome, and `waiting` and `unread`: those to be read yet, and those that were not read.",
  }),
}).annotate({
  identifier: "PageBranch",
  examples: [
    { prefix: "https://docs.example.com/guide/", name: "guide", page_count: 40, counts: { new: 38, excluded: 2 } },
  ],
})
export type PageBranch = typeof PageBranch.Type
