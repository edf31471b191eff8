import { Schema, Struct } from "effect"
import { idOf } from "../Ids.ts"
import { textBetween } from "../schema/Text.ts"
import { Timestamp } from "../schema/Timestamp.ts"

export const CannedAnswerId = idOf("a canned answer").pipe(Schema.brand("CannedAnswerId"))
export type CannedAnswerId = typeof CannedAnswerId.Type

const fields = {
  shortcut: textBetween(1, 50).annotate({ description: "What one types after `/` to find it.", examples: ["hours"] }),
  content: textBetween(1, 10_000).annotate({ examples: ["We are here from Monday to Friday, 9 to 17 o'clock."] }),
}

/** The most canned answers of a chatbot. */
export const CANNED_ANSWERS_MAX = 500

/** A text that people send often. */
export const CannedAnswer = Schema.Struct({
  id: CannedAnswerId,
  ...fields,
  created_at: Timestamp,
  updated_at: Timestamp,
}).annotate({ identifier: "CannedAnswer" })
export type CannedAnswer = typeof CannedAnswer.Type

export const CannedAnswerInput = Schema.Struct(fields)
export type CannedAnswerInput = typeof CannedAnswerInput.Type

export const CannedAnswerPatch = CannedAnswerInput.mapFields(Struct.map(Schema.optionalKey))
export type CannedAnswerPatch = typeof CannedAnswerPatch.Type
