import { Schema, SchemaTransformation } from "effect"

const uuid = (digit: string) =>
  Schema.isPattern(new RegExp(`^${digit}{8}-${digit}{4}-${digit}{4}-${digit}{4}-${digit}{12}$`), {
    message: "Expected a UUID, such as 01a9b7c2-1f2e-7c3d-8a4b-5c6d7e8f9a0b",
    toJsonSchema: () => ({ format: "uuid" }),
  })

/** A UUID of any version, in either case. */
export const AnyUuid = Schema.String.check(uuid("[0-9a-fA-F]")).annotate({
  format: "uuid",
  examples: ["01a9b7c2-1f2e-7c3d-8a4b-5c6d7e8f9a0b"],
})

export const isUuid = Schema.is(AnyUuid)

/**
 * Parley makes ids as UUID v7, so that their order is the order of creation as far as the clocks of its servers agree;
 * lists are ordered by the database's clock. Any UUID is accepted, in either case, and becomes lower case, so that
 * programs may compare ids as text.
 */
export const idOf = (what: string) =>
  AnyUuid.annotate({ description: `Id of ${what}.` }).pipe(
    Schema.decodeTo(Schema.String.check(uuid("[0-9a-f]")), SchemaTransformation.toLowerCase()),
  )

export const OrganizationId = idOf("an organization").pipe(Schema.brand("OrganizationId"))
export type OrganizationId = typeof OrganizationId.Type

export const ApiKeyId = idOf("an API key").pipe(Schema.brand("ApiKeyId"))
export type ApiKeyId = typeof ApiKeyId.Type

/** Id of a person, which is that of the key by which the person acts. */
export const PersonId = idOf("a person").pipe(Schema.brand("PersonId"))
export type PersonId = typeof PersonId.Type

export const ChatbotId = idOf("a chatbot").pipe(Schema.brand("ChatbotId"))
export type ChatbotId = typeof ChatbotId.Type

export const DocumentId = idOf("a document").pipe(Schema.brand("DocumentId"))
export type DocumentId = typeof DocumentId.Type

export const SessionId = idOf("a conversation").pipe(Schema.brand("SessionId"))
export type SessionId = typeof SessionId.Type

export const MessageId = idOf("a message").pipe(Schema.brand("MessageId"))
export type MessageId = typeof MessageId.Type

export const ToolId = idOf("a tool").pipe(Schema.brand("ToolId"))
export type ToolId = typeof ToolId.Type

/** An id that may be absent, with its description in the OpenAPI document. */
export const optionalId = <S extends Schema.Top>(id: S, description: string) =>
  Schema.optionalKey(id.pipe(Schema.annotateEncoded({ description })))
