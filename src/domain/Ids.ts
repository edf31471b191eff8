import { Schema } from "effect"

/**
 * Ids are UUID v7 when Parley makes them, so that id order is creation order as far as the clocks of its servers agree; lists
 * go by the database's clock. Any UUID is read.
 */
const Uuid = Schema.String.check(Schema.isUUID()).annotate({
  format: "uuid",
  examples: ["01a9b7c2-1f2e-7c3d-8a4b-5c6d7e8f9a0b"],
})

export const OrganizationId = Uuid.pipe(Schema.brand("OrganizationId"))
export type OrganizationId = typeof OrganizationId.Type

export const ApiKeyId = Uuid.pipe(Schema.brand("ApiKeyId"))
export type ApiKeyId = typeof ApiKeyId.Type

export const ChatbotId = Uuid.pipe(Schema.brand("ChatbotId"))
export type ChatbotId = typeof ChatbotId.Type

export const DocumentId = Uuid.pipe(Schema.brand("DocumentId"))
export type DocumentId = typeof DocumentId.Type

export const SessionId = Uuid.pipe(Schema.brand("SessionId"))
export type SessionId = typeof SessionId.Type

export const MessageId = Uuid.pipe(Schema.brand("MessageId"))
export type MessageId = typeof MessageId.Type

export const ToolId = Uuid.pipe(Schema.brand("ToolId"))
export type ToolId = typeof ToolId.Type
