import { Schema } from "effect"
import { ApiKeyId, ChatbotId, OrganizationId, PersonId } from "../Ids.ts"
import { Timestamp } from "../schema/Timestamp.ts"

/** Action that the audit log records: the kind of its target, and what was done to it. */
export const AuditAction = Schema.Literals([
  "organization.created",
  "organization.updated",
  "organization.deleted",
  "api_key.created",
  "api_key.updated",
  "api_key.revoked",
  "api_key.first_used",
  "api_key.refused",
  "api_key.signed_in",
  "chatbot.created",
  "chatbot.updated",
  "chatbot.deleted",
  "tool.created",
  "tool.updated",
  "tool.deleted",
  "tool.tried",
  "identity_secret.created",
  "identity_secret.deleted",
  "webhook.created",
  "webhook.updated",
  "webhook.deleted",
  "webhook.secret_rotated",
  "webhook.tested",
  "webhook.switched_off",
  "document.deleted",
  "question.created",
  "question.updated",
  "question.deleted",
  "question.imported",
  "test.created",
  "test.updated",
  "test.deleted",
  "test.imported",
  "test_plan.updated",
  "source.created",
  "source.updated",
  "source.deleted",
  "source.run_started",
  "source.run_stopped",
  "topic.updated",
  "test_run.started",
  "test_run.stopped",
  "conversation.deleted",
  "conversation.exported",
  "conversation.erased",
  "conversation.expired",
  "conversation.handed_over",
  "conversation.returned",
  "person.invited",
  "person.updated",
  "person.removed",
  "person.signed_in",
  "person.session_ended",
  "sign_in.refused",
  "sign_in_provider.created",
  "sign_in_provider.updated",
  "sign_in_provider.deleted",
  "model_connection.created",
  "model_connection.updated",
  "model_connection.deleted",
])
export type AuditAction = typeof AuditAction.Type

const Change = Schema.NullOr(Schema.Record(Schema.String, Schema.Json))

/** An entry of the audit log: who did what to what, from where and when. */
export const AuditEntry = Schema.Struct({
  id: Schema.String.annotate({ format: "uuid" }),
  created_at: Timestamp.annotate({ description: "When, by the clock of the database." }),
  organization_id: OrganizationId.annotate({
    description: "The organization that it concerns. It may be deleted since.",
  }),
  action: AuditAction.annotate({
    description:
      "`api_key.first_used`: a key was used for the first time. `api_key.refused`: a revoked or expired key was used; at most one entry for each key and hour. `api_key.signed_in`: somebody signed in at the console with the key. `tool.tried`: somebody has called the tool to see what it answers. `webhook.switched_off`: by the server, since the endpoint is gone or has failed for too long. `conversation.erased`: by an erasure. `conversation.expired`: because its retention was over; one entry for each run. `sign_in.refused`: somebody tried to sign in at the console without a valid key, link, passkey or provider; the operator's entry, at most one for each address and hour and 100 an hour for each server process.",
  }),
  actor: Schema.Struct({
    kind: Schema.Literals(["api_key", "person", "operator", "command_line", "server", "anonymous"]).annotate({
      description:
        "`api_key`: a key of the organization. `person`: a person of the organization. `operator`: a key or a person of the operator's organization, which only that organization is shown. `command_line`: a command on the machine of the server. `server`: the server itself. `anonymous`: somebody without a valid key.",
    }),
    api_key_id: Schema.NullOr(ApiKeyId),
    person_id: Schema.NullOr(PersonId),
    name: Schema.NullOr(Schema.String).annotate({ description: "The name of the key or the person at that time." }),
    hint: Schema.NullOr(Schema.String).annotate({ description: "The beginning and the end of the key." }),
  }),
  address: Schema.NullOr(Schema.String).annotate({ description: "The address of the client." }),
  request_id: Schema.NullOr(Schema.String).annotate({ description: "The `x-request-id` of the answer." }),
  target: Schema.Struct({
    id: Schema.NullOr(Schema.String).annotate({
      description: "The id of what the action names first. Null where it is several.",
    }),
    chatbot_id: Schema.NullOr(ChatbotId).annotate({ description: "The chatbot that it belongs to." }),
  }),
  before: Change.annotate({
    description:
      "The changed fields before. Texts that may be secret or contents of somebody, such as prompts, are `[concealed]` here and in `after`.",
  }),
  after: Change.annotate({ description: "The changed fields afterwards." }),
}).annotate({
  identifier: "AuditEntry",
  examples: [
    {
      id: "01a1f94a-2c0e-7d11-9c55-1f0a4a7f9d21",
      created_at: Timestamp.make("2026-11-20T14:27:13.309+00:00"),
      organization_id: OrganizationId.make("01a1f949-549d-74eb-b296-3f233cb51b4b"),
      action: "api_key.updated",
      actor: {
        kind: "api_key",
        api_key_id: ApiKeyId.make("01a1f949-5b33-72c9-a523-091829dc59a0"),
        person_id: null,
        name: "Back office",
        hint: "prl_4kTz…9QxA",
      },
      address: "203.0.113.7",
      request_id: "01a1f94a-2c01-70fb-88c1-f23b50c2678d",
      target: { id: "01a1f949-b533-72c9-a523-091829dc59a1", chatbot_id: null },
      before: { budget: { tokens_per_day: null } },
      after: { budget: { tokens_per_day: 1_000_000 } },
    },
  ],
})
export type AuditEntry = typeof AuditEntry.Type

/** Conditions for the entries of the audit log that a reader wants; one that is undefined holds for all. */
export interface AuditFilter {
  readonly action: AuditAction | undefined
  readonly apiKey: ApiKeyId | undefined
  readonly target: string | undefined
  /** The first moment, inclusive. */
  readonly from: Date | undefined
  /** The moment before which entries were made, exclusive. */
  readonly to: Date | undefined
}
