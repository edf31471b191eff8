import { Schema } from "effect"
import { ChatTurn, Citation } from "./Chat.ts"
import { WrittenBy } from "./WrittenBy.ts"
import { PersonalityConfig, Settings } from "../chatbot/Chatbot.ts"
import { ChatbotId, DocumentId, MessageId, SessionId } from "../Ids.ts"
import { Timestamp } from "../schema/Timestamp.ts"

/*
 * What a reply rested on, so that it can be told later why the chatbot answered so, and what has changed since.
 */

/** The settings of a chatbot that make its replies. */
export const ChatbotSetup = Schema.Struct({
  name: Schema.String,
  personality: PersonalityConfig,
  settings: Settings,
}).annotate({ identifier: "ChatbotSetup" })
export type ChatbotSetup = typeof ChatbotSetup.Type

/** A passage that a search for a reply found. */
export const FoundPassage = Schema.Struct({
  document_id: DocumentId,
  title: Schema.String,
  chunk: Schema.Int.annotate({ description: "The passage's place in the document, from 1." }),
  revision: Schema.Int.annotate({
    description:
      "Of the document, which moves with every new content of it; or of an approved answer to the question itself, which moves with every change of it.",
  }),
  similarity: Schema.Finite,
  approved: Schema.optionalKey(
    Schema.Literal(true).annotate({ description: "Whether it is an answer that people have approved." }),
  ),
  content: Schema.optionalKey(
    Schema.String.annotate({
      description: "The beginning of its text; absent in what was found then, where it is not kept.",
    }),
  ),
}).annotate({ identifier: "FoundPassage" })
export type FoundPassage = typeof FoundPassage.Type

/** A search of the knowledge base for a reply, with the passages that it found, best first. */
export const ReplySearch = Schema.Struct({
  query: Schema.String,
  passages: Schema.Array(FoundPassage),
}).annotate({ identifier: "ReplySearch" })
export type ReplySearch = typeof ReplySearch.Type

/** What a reply rested on, then or now. */
const Ground = Schema.Struct({
  setup: ChatbotSetup,
  server_version: Schema.String,
  searches: Schema.Array(ReplySearch),
})

/** Something that differs between what a reply rested on and what it would rest on now. */
export const ReplyDifference = Schema.Struct({
  kind: Schema.Literals([
    "document_changed",
    "document_deleted",
    "passage_appeared",
    "passage_gone",
    "ranking",
    "approved_answer",
    "prompt",
    "personality",
    "model",
    "settings",
    "server_version",
  ]).annotate({
    description:
      "`document_changed`: a document that was found has other content since, and its passage with it. `document_deleted`: it is gone. `passage_appeared`, `passage_gone`: a passage is found now and was not, or the other way round, though its document was there. `ranking`: the same passages are found in another order. `approved_answer`: an answer that people have approved was added, changed or deleted. The others: the chatbot's setting of that name, or the server, is another.",
  }),
  detail: Schema.String.annotate({ description: "One sentence that says what differs." }),
  document_id: Schema.optionalKey(DocumentId),
  before: Schema.optionalKey(Schema.String),
  after: Schema.optionalKey(Schema.String),
}).annotate({ identifier: "ReplyDifference" })
export type ReplyDifference = typeof ReplyDifference.Type

/** Why a reply was as it is, and what is different now. */
export const ReplyReview = Schema.Struct({
  message_id: MessageId,
  session_id: SessionId,
  chatbot_id: ChatbotId,
  created_at: Timestamp,
  question: Schema.String.annotate({ description: "The user's message, as it was sent." }),
  standalone_question: Schema.NullOr(Schema.String).annotate({
    description:
      "The question as it is understood without the messages before it; null where nothing was searched for.",
  }),
  history: Schema.Array(ChatTurn).annotate({ description: "The messages before the question, the latest ones." }),
  answer: Schema.String,
  sources: Schema.Array(Citation),
  model: Schema.NullOr(Schema.String),
  written_by: Schema.optionalKey(WrittenBy),
  before: Schema.NullOr(Ground).annotate({
    description: "What the reply rested on; null where it is not kept (any more).",
  }),
  now: Ground.annotate({ description: "What the same searches find now, and the chatbot as it is now." }),
  differences: Schema.Array(ReplyDifference).annotate({
    description:
      "The likeliest cause of another answer comes first. Empty: only the model itself could answer otherwise.",
  }),
}).annotate({ identifier: "ReplyReview" })
export type ReplyReview = typeof ReplyReview.Type
