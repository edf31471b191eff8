import { Schema } from "effect"

/** Ids are UUID v7 when Parley makes them, so id order is creation order; any UUID is read. */
export const uuidOf = (what: string) =>
  Schema.String.check(
    Schema.isUUID(undefined, { message: "Expected a UUID, such as 01a9b7c2-1f2e-7c3d-8a4b-5c6d7e8f9a0b" }),
  ).annotate({
    format: "uuid",
    description: `Id of ${what}.`,
    examples: ["01a9b7c2-1f2e-7c3d-8a4b-5c6d7e8f9a0b"],
  })

export const OrganizationId = uuidOf("an organization").pipe(Schema.brand("OrganizationId"))
export type OrganizationId = typeof OrganizationId.Type

export const ApiKeyId = uuidOf("an API key").pipe(Schema.brand("ApiKeyId"))
export type ApiKeyId = typeof ApiKeyId.Type

export const ChatbotId = uuidOf("a chatbot").pipe(Schema.brand("ChatbotId"))
export type ChatbotId = typeof ChatbotId.Type

export const DocumentId = uuidOf("a document").pipe(Schema.brand("DocumentId"))
export type DocumentId = typeof DocumentId.Type

export const SessionId = uuidOf("a conversation").pipe(Schema.brand("SessionId"))
export type SessionId = typeof SessionId.Type

export const MessageId = uuidOf("a message").pipe(Schema.brand("MessageId"))
export type MessageId = typeof MessageId.Type

export const ToolId = uuidOf("a tool").pipe(Schema.brand("ToolId"))
export type ToolId = typeof ToolId.Type
