import { Schema, Struct } from "effect"
import { bounded, MESSAGE_MAX_LENGTH } from "../../text/BoundedText.ts"
import { questionForm } from "../../language/words/QuestionForm.ts"
import { DocumentId, idOf } from "../Ids.ts"
import { boundedList } from "../schema/Bounded.ts"
import { textBetween } from "../schema/Text.ts"
import { Timestamp } from "../schema/Timestamp.ts"
import { unexpressed } from "../schema/Unexpressed.ts"
import { SourceId } from "./Source.ts"

/*
 * Questions with the answers that people have approved.
 */

const QUESTION_MAX_LENGTH = 500
const VARIANTS_MAX = 50
const ANSWER_MAX_LENGTH = 20_000
/** The most rows of one import, which takes a minute or two with them; no client waits much longer. */
export const IMPORT_ROWS_MAX = 5_000
/** The largest file of an import, in bytes: some kilobytes for each row. */
export const IMPORT_MAX_BYTES = 20 * 1024 * 1024

export const QuestionId = idOf("a question").pipe(Schema.brand("QuestionId"))
export type QuestionId = typeof QuestionId.Type

const questionProblem = (text: string) => {
  if (/[\p{Cc}\u2028\u2029]/u.test(text)) return "Expected one line"
  return questionForm(bounded(text, MESSAGE_MAX_LENGTH)) !== "" || "Expected a text with words"
}

const Asked = textBetween(1, QUESTION_MAX_LENGTH).check(Schema.makeFilter(questionProblem, unexpressed))

const Answer = textBetween(1, ANSWER_MAX_LENGTH).check(
  Schema.makeFilter((text: string) => text.trim() !== "" || "Expected a text that is not blank", unexpressed),
)

/** The fields of a new question. */
export const QuestionInput = Schema.Struct({
  question: Asked.annotate({ examples: ["How do I reset my password?"] }),
  variants: Schema.optionalKey(
    boundedList(
      Asked,
      { maximum: VARIANTS_MAX },
      { description: "Other ways to ask it. Absent: none.", examples: [["I forgot my password."]] },
    ),
  ),
  answer: Answer.annotate({ description: "Markdown.", examples: ["Choose **Forgot password** when you sign in."] }),
})
export type QuestionInput = typeof QuestionInput.Type

/** A question with its answer. */
export type Pair = Required<QuestionInput>

/** A change of a question. A field that is absent stays as it is. */
export const QuestionPatch = QuestionInput.mapFields(Struct.map(Schema.optionalKey))
export type QuestionPatch = typeof QuestionPatch.Type

/** A question as the API shows it. */
export const Question = Schema.Struct({
  id: QuestionId,
  source_id: SourceId,
  document_id: DocumentId.annotate({ description: "The document in which searches find the question." }),
  question: Schema.String,
  variants: Schema.Array(Schema.String),
  answer: Schema.String,
  created_at: Timestamp,
  updated_at: Timestamp,
}).annotate({
  identifier: "Question",
  examples: [
    {
      id: QuestionId.make("01a1f949-8d21-7a3b-9b0e-5c1d2e3f4a5b"),
      source_id: SourceId.make("01a1f949-7c10-7d5e-8a41-0c6a2b9f3d11"),
      document_id: DocumentId.make("01a1f949-8d20-74eb-b296-3f233cb51b4b"),
      question: "How do I reset my password?",
      variants: ["I forgot my password."],
      answer: "Choose **Forgot password** when you sign in.",
      created_at: Timestamp.make("2026-11-20T14:08:16.357+00:00"),
      updated_at: Timestamp.make("2026-11-20T14:08:16.357+00:00"),
    },
  ],
})
export type Question = typeof Question.Type

/** A row of a file that an import has not taken. */
const RefusedRow = Schema.Struct({
  row: Schema.Int.annotate({ description: "Its number in the file, whose first row is the header." }),
  reason: Schema.String,
})
export type RefusedRow = typeof RefusedRow.Type

export const QuestionImport = Schema.Struct({
  added: Schema.Int,
  updated: Schema.Int,
  unchanged: Schema.Int,
  refused: Schema.Array(RefusedRow),
}).annotate({
  identifier: "QuestionImport",
  examples: [
    {
      added: 12,
      updated: 0,
      unchanged: 0,
      refused: [{ row: 2, reason: "answer: Expected a text that is not blank" }],
    },
  ],
})
export type QuestionImport = typeof QuestionImport.Type

/**
 * The Markdown of the document of a question: the question as its title, and the variants as headings above the answer,
 * so that searches weigh them like it.
 */
export const questionMarkdown = ({ answer, question, variants }: Pair): string =>
  [`# ${question}`, ...variants.map((variant) => `## ${variant}`), answer].join("\n\n")
