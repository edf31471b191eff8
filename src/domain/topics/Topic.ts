import { Schema } from "effect"
import { ChatbotId, DocumentId, idOf, MessageId, SessionId } from "../Ids.ts"
import { Name } from "../schema/Text.ts"
import { Timestamp } from "../schema/Timestamp.ts"

/*
 * Topics: what the users of a chatbot ask, grouped by subject, with the questions that its knowledge does not answer.
 */

export const TopicId = idOf("a topic").pipe(Schema.brand("TopicId"))
export type TopicId = typeof TopicId.Type

/** Why a question shows a gap of the knowledge. */
export const GapKind = Schema.Literals(["unanswered", "rated_down", "weak"]).annotate({
  description:
    "`unanswered`: the reply is no answer. `rated_down`: the user rated it down. `weak`: nothing that was found is similar to the question.",
})
export type GapKind = typeof GapKind.Type

export const TopicState = Schema.Literals(["open", "ignored", "answered"]).annotate({
  description:
    "`ignored`: nobody needs to look at its gaps. `answered`: somebody has closed its gaps; a gap that appears afterwards opens it again.",
})
export type TopicState = typeof TopicState.Type

const Numbers = {
  questions: Schema.Int,
  unanswered: Schema.Int,
  rated_up: Schema.Int,
  rated_down: Schema.Int,
  weak: Schema.Int.annotate({ description: "Questions that were answered, though nothing similar was found." }),
}

export const TopicQuestion = Schema.Struct({
  message_id: MessageId.annotate({ description: "Of the reply." }),
  session_id: SessionId,
  question: Schema.String,
  gap: Schema.NullOr(GapKind),
  similarity: Schema.NullOr(Schema.Finite).annotate({
    description: "Of the nearest passage; null where none was found.",
  }),
  nearest: Schema.NullOr(Schema.Struct({ document_id: DocumentId, title: Schema.String, chunk: Schema.Int })).annotate({
    description: "The passage that was found nearest; null where none was, or where it is not kept any more.",
  }),
  created_at: Timestamp,
}).annotate({ identifier: "TopicQuestion" })
export type TopicQuestion = typeof TopicQuestion.Type

export const TopicWeek = Schema.Struct({ week: Schema.String, questions: Schema.Int, gaps: Schema.Int })

const TopicTests = Schema.Struct({
  total: Schema.Int,
  passed: Schema.Int.annotate({ description: "Those that passed when they were last run." }),
}).annotate({ description: "Tests that are kept from replies to its questions." })

export const Topic = Schema.Struct({
  id: TopicId,
  chatbot_id: ChatbotId,
  name: Schema.String,
  state: TopicState,
  ...Numbers,
  gaps: Schema.Int.annotate({ description: "Questions of the days asked for that show a gap." }),
  weeks: Schema.Array(TopicWeek).annotate({
    description:
      "Numbers by week, which begins on the Monday that names it, UTC. Weeks without questions are left out.",
  }),
  examples: Schema.Array(Schema.String).annotate({
    description: "Up to three of its questions, the typical ones first.",
  }),
  tests: TopicTests,
  first_at: Schema.NullOr(Timestamp),
  last_at: Schema.NullOr(Timestamp),
  created_at: Timestamp,
}).annotate({ identifier: "Topic" })
export type Topic = typeof Topic.Type

export const TopicPatch = Schema.Struct({
  name: Schema.optionalKey(Name),
  state: Schema.optionalKey(TopicState),
})
export type TopicPatch = typeof TopicPatch.Type

/** A question that could be offered to users before their first message. */
export const SuggestedQuestion = Schema.Struct({
  question: Schema.String,
  origin: Schema.Literals(["asked", "heading"]).annotate({
    description: "`asked`: users ask it. `heading`: a heading of a document, or a question that people have answered.",
  }),
  count: Schema.Int.annotate({ description: "How many users' questions are of its topic; 0 for a heading." }),
  language: Schema.NullOr(Schema.String),
}).annotate({ identifier: "SuggestedQuestion" })
export type SuggestedQuestion = typeof SuggestedQuestion.Type
