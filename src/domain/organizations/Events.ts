import { Schema } from "effect"
import { Document } from "../knowledge/Document.ts"
import { ChatbotId, DocumentId, SessionId } from "../Ids.ts"
import { Presence } from "../inbox/Handover.ts"
import { SourceId } from "../knowledge/Source.ts"
import { Timestamp } from "../schema/Timestamp.ts"

/**
 * An event of an organization, the data of one server-sent event. It says what has changed; what matters beyond that is
 * read from its own endpoint.
 */
export const OrganizationEvent = Schema.Union([
  Schema.Struct({ type: Schema.Literal("resync") }).annotate({
    description:
      "Read anew what you show: the first event of every stream, and sent again when more has changed than was told.",
  }),
  Schema.Struct({ type: Schema.Literal("document"), chatbot_id: ChatbotId, document: Document }).annotate({
    description: "A document was added, its `status` or `progress` has changed, or it has failed.",
  }),
  Schema.Struct({ type: Schema.Literal("document_deleted"), chatbot_id: ChatbotId, document_id: DocumentId }).annotate({
    description: "A document that was not `ready` is gone.",
  }),
  Schema.Struct({ type: Schema.Literal("knowledge"), chatbot_id: ChatbotId }).annotate({
    description: "What searches find has changed: a document became ready, was replaced or was deleted.",
  }),
  Schema.Struct({ type: Schema.Literal("source"), chatbot_id: ChatbotId, source_id: SourceId }).annotate({
    description: "A run of a source was queued, has read more pages, or has ended.",
  }),
  Schema.Struct({
    type: Schema.Literal("conversation"),
    chatbot_id: ChatbotId,
    conversation: Schema.Struct({ id: SessionId, message_count: Schema.Int, updated_at: Timestamp }),
  }).annotate({
    description:
      "A message was stored in a conversation, or it has another owner, assignee or tags, or people have noted something.",
  }),
  Schema.Struct({
    type: Schema.Literal("presence"),
    chatbot_id: ChatbotId,
    session_id: SessionId,
    presence: Schema.Array(Presence),
  }).annotate({
    description: "Somebody comes into a conversation, goes, or begins or ends writing. All who are there.",
  }),
  Schema.Struct({ type: Schema.Literal("chatbot"), chatbot_id: ChatbotId }).annotate({
    description: "A chatbot was created, or its configuration has changed.",
  }),
  Schema.Struct({ type: Schema.Literal("chatbot_deleted"), chatbot_id: ChatbotId }).annotate({
    description: "A chatbot was deleted.",
  }),
]).annotate({ identifier: "OrganizationEvent" })
export type OrganizationEvent = typeof OrganizationEvent.Type
