import { Schema, SchemaTransformation } from "effect"

const uuid = (digit: string) =>
  Schema.isPattern(new RegExp(`^${digit}{8}-${digit}{4}-${digit}{4}-${digit}{4}-${digit}{12}$`), {
    message: "Expected a UUID",
    toJsonSchema: () => ({ format: "uuid" }),
  })

/** A UUID of whatever version, in either case. */
export const AnyUuid = Schema.String.check(uuid("[0-9a-fA-F]")).annotate({
  format: "uuid",
  examples: ["01a9b7c2-1f2e-7c3d-8a4b-5c6d7e8f9a0b"],
})

/**
 * Ids are UUID v7 when Parley makes them, so that id order is creation order; any UUID is read. Case does not count: what is
 * read becomes lower case, so that programs may compare ids as text.
 */
const Uuid = AnyUuid.pipe(Schema.decodeTo(Schema.String.check(uuid("[0-9a-f]")), SchemaTransformation.toLowerCase()))

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
