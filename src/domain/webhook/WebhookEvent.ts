import { Schema, Struct } from "effect"
import type { Scope } from "../keys/ApiKey.ts"
import { Feedback, SenderType } from "../chat/Conversation.ts"
import { WrittenBy } from "../chat/WrittenBy.ts"
import { DocumentError } from "../knowledge/Document.ts"
import { SourceId, SourceKind } from "../knowledge/Source.ts"
import { SourceRun, SourceRunId } from "../knowledge/SourceRun.ts"
import { TestRun, TestRunId } from "../evaluation/TestRun.ts"
import { ApiKeyId, ChatbotId, DocumentId, MessageId, OrganizationId, SessionId } from "../Ids.ts"
import { HandoverReason } from "../inbox/Handover.ts"
import { PersonName } from "../inbox/PersonName.ts"
import { Timestamp } from "../schema/Timestamp.ts"

/*
 * The events that are sent to webhooks, and the data of each. They are a promise to receivers: fields are added, and never
 * renamed or removed.
 */

/**
 * The types of events that a webhook can be sent.
 *
 * Triggers store the events of `sessions`, `messages`, `documents`, `source_runs`, `test_runs` and `chatbots`, in the
 * transaction of the change, so that no path can forget one: see `sql/functions/webhooks.sql`. Only those of budgets and of
 * who answers in a conversation are stored by the statements of `storage`.
 */
export const WebhookEventType = Schema.Literals([
  "chatbot.updated",
  "document.ready",
  "document.failed",
  "source.finished",
  "source.failed",
  "conversation.created",
  "conversation.handover",
  "conversation.assigned",
  "conversation.returned",
  "message.created",
  "feedback.created",
  "budget.spent",
  "tests.worse",
])
export type WebhookEventType = typeof WebhookEventType.Type

/**
 * The scope that a key needs to have these events sent somewhere: what they tell could otherwise be read by a key that
 * may not read it.
 */
export const scopeOfEvent: Readonly<Record<WebhookEventType, Scope>> = {
  "chatbot.updated": "chatbots:read",
  "document.ready": "knowledge:read",
  "document.failed": "knowledge:read",
  "source.finished": "knowledge:read",
  "source.failed": "knowledge:read",
  "conversation.created": "conversations:read",
  "conversation.handover": "conversations:read",
  "conversation.assigned": "conversations:read",
  "conversation.returned": "conversations:read",
  "message.created": "conversations:read",
  "feedback.created": "conversations:read",
  "budget.spent": "admin",
  "tests.worse": "chatbots:read",
}

const VisitorId = Schema.NullOr(Schema.String).annotate({
  description: "The visitor of the chat widget whose conversation it is; null where an API key has it.",
})

const DocumentData = Schema.Struct({
  id: DocumentId,
  chatbot_id: ChatbotId,
  name: Schema.String,
  status: Schema.Literals(["ready", "failed"]).annotate({
    description: "`ready` on `document.failed`: new content could not be read, and the old one goes on being searched.",
  }),
  revision: Schema.Int.annotate({ description: "Of the content that is searched; 0 when none ever was." }),
  chunk_count: Schema.Int,
  error: Schema.NullOr(DocumentError),
})

const SourceData = Schema.Struct({
  id: SourceId,
  chatbot_id: ChatbotId,
  name: Schema.String,
  kind: SourceKind,
  run_id: SourceRunId,
  ...Struct.pick(SourceRun.fields, ["status", "counts", "error"]),
})

const OwnerData = Schema.Struct({
  id: SessionId,
  chatbot_id: ChatbotId,
  visitor_id: VisitorId,
  reason: Schema.NullOr(HandoverReason).annotate({ description: "Null on `conversation.assigned`." }),
  person: Schema.NullOr(PersonName).annotate({
    description: "Who did it; null for the visitor, the bot, an API key and the server.",
  }),
  assignee: Schema.NullOr(PersonName).annotate({ description: "Who looks after the conversation from now on." }),
})

export const webhookData = {
  "chatbot.updated": Schema.Struct({
    id: ChatbotId,
    name: Schema.String,
    slug: Schema.String,
    active: Schema.Boolean,
    is_public: Schema.Boolean,
    updated_at: Timestamp,
  }),
  "document.ready": DocumentData,
  "document.failed": DocumentData,
  "source.finished": SourceData,
  "source.failed": SourceData,
  "conversation.created": Schema.Struct({
    id: SessionId,
    chatbot_id: ChatbotId,
    session_token: Schema.NullOr(Schema.String),
    visitor_id: VisitorId,
    platform: Schema.String,
    user_info: Schema.JsonObject,
    created_at: Timestamp,
  }),
  "conversation.handover": OwnerData,
  "conversation.assigned": OwnerData,
  "conversation.returned": OwnerData,
  "message.created": Schema.Struct({
    id: MessageId,
    session_id: SessionId,
    chatbot_id: ChatbotId,
    visitor_id: VisitorId,
    sender_type: SenderType,
    content: Schema.String,
    content_is_cut: Schema.Boolean.annotate({
      description: "Whether the text is longer than the server sends; the API shows the whole of it.",
    }),
    model: Schema.NullOr(Schema.String),
    finish_reason: Schema.NullOr(Schema.String),
    unanswered: Schema.Boolean,
    person: Schema.NullOr(PersonName).annotate({ description: "Who wrote a message with the sender `agent`." }),
    written_by: Schema.NullOr(WrittenBy).annotate({
      description: "Who wrote a reply; null for a message of a user, and a reply that a client brought.",
    }),
    created_at: Timestamp,
  }),
  "feedback.created": Schema.Struct({
    message_id: MessageId,
    session_id: SessionId,
    chatbot_id: ChatbotId,
    visitor_id: VisitorId,
    feedback: Feedback,
  }),
  "budget.spent": Schema.Struct({
    organization_id: OrganizationId,
    whose: Schema.Literals(["organization", "key"]),
    api_key_id: Schema.NullOr(ApiKeyId).annotate({ description: "The key whose budget it is." }),
    day: Schema.String.annotate({
      description: "The day, UTC, whose tokens are spent.",
      examples: ["2026-11-20"],
    }),
  }),
  "tests.worse": Schema.Struct({
    run_id: TestRunId,
    chatbot_id: ChatbotId,
    name: Schema.String.annotate({ description: "The chatbot's." }),
    ...Struct.pick(TestRun.fields, ["tier", "trigger", "status", "counts", "server_version"]),
  }),
} satisfies Readonly<Record<WebhookEventType, Schema.Top>>

/** Descriptions of the types of events, for the OpenAPI document. */
export const eventDescriptions: Readonly<Record<WebhookEventType, string>> = {
  "chatbot.updated": "A chatbot's settings were changed. The data is the chatbot as it is when this is sent.",
  "document.ready": "A document, or new content of one, was read and is searched from now on.",
  "document.failed": "A document could not be read. Where the failure may pass, the server tries again later.",
  "source.finished": "A run of a source has read the pages that it was to read. `counts` has their numbers by outcome.",
  "source.failed":
    "A run of a source has failed, or is held because it found less than half of the pages that were known; `error` says why.",
  "conversation.created": "A conversation was opened.",
  "conversation.handover": "A conversation went to people, who answer from now on. `reason` says why.",
  "conversation.assigned": "A person looks after a conversation of people, or nobody any more.",
  "conversation.returned": "The chatbot has a conversation again. `reason` says why.",
  "message.created":
    "A message was stored: of a user, of a person, a whole reply, or the part of a reply that was cut off. Also messages that a client brought from a conversation elsewhere.",
  "feedback.created": "A reply was rated, or rated differently. The data is the rating as it is when this is sent.",
  "budget.spent": "The tokens of a budget are used up until midnight, UTC. Once a day for each budget.",
  "tests.worse":
    "A run of a chatbot's tests has ended in which tests are worse than before. `counts` has their number.",
}
