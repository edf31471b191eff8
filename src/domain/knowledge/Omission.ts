import { Schema } from "effect"

/** What a document may have that its text has not. The kinds are part of the API and never change. */
export const OmissionKind = Schema.Literals([
  "hidden_sheets",
  "hidden_slides",
  "hidden_text",
  "comments",
  "deletions",
  "images",
  "scans",
  "charts",
  "formulas",
  "files",
  "pages",
  "parts",
])
export type OmissionKind = typeof OmissionKind.Type

/** The most places that are named of a kind, and the longest name of one. */
export const PLACES_MAX = 5
export const PLACE_MAX_LENGTH = 100
const KINDS_MAX = 20

/** Something that was left out of a document's text. */
export const Omission = Schema.Struct({
  kind: OmissionKind.annotate({
    description:
      "Sheets and slides that are hidden; text that is; comments and deletions; pictures without a description; pages without text but with images (`scans`); charts without data; formulas without stored results; files within the document that were not read; and pages and other parts that cannot be read.",
  }),
  count: Schema.Int.check(Schema.isGreaterThan(0)),
  where: Schema.Array(Schema.String.check(Schema.isMaxLength(PLACE_MAX_LENGTH)))
    .check(Schema.isMaxLength(PLACES_MAX))
    .annotate({
      description:
        "The names or numbers of the first five of them, or those of the files, sheets and pages that have them.",
    }),
}).annotate({
  identifier: "Omission",
  examples: [{ kind: "hidden_sheets", count: 2, where: ["Prices 2019", "Draft"] }],
})
export type Omission = typeof Omission.Type

export const Omissions = Schema.Array(Omission).check(Schema.isMaxLength(KINDS_MAX))
