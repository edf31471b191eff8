import { afterAll, describe, expect, test } from "bun:test"
import { Effect, Layer, ManagedRuntime, Redacted, Schema } from "effect"
import { hashKey, Scope } from "../../src/domain/keys/ApiKey.ts"
import { Budget } from "../../src/domain/organizations/Budget.ts"
import { ChatWidgetConfig } from "../../src/domain/chatbot/ChatWidget.ts"
import { PersonalityConfig, Settings } from "../../src/domain/chatbot/Chatbot.ts"
import { ToolMethod } from "../../src/domain/chatbot/ChatbotTool.ts"
import { VoiceWidgetConfig } from "../../src/domain/chatbot/VoiceWidget.ts"
import { Message, SenderType, Session } from "../../src/domain/chat/Conversation.ts"
import { ChunkId } from "../../src/domain/knowledge/Chunk.ts"
import { Document } from "../../src/domain/knowledge/Document.ts"
import { ApiKeyId, ChatbotId, DocumentId, MessageId, OrganizationId, SessionId, ToolId } from "../../src/domain/Ids.ts"
import { ApiKeys } from "../../src/storage/keys/ApiKeys.ts"
import { Budgets } from "../../src/storage/usage/Budgets.ts"
import { Chatbots } from "../../src/storage/chatbots/Chatbots.ts"
import { ChatbotTools } from "../../src/storage/tools/ChatbotTools.ts"
import { Conversations } from "../../src/storage/conversations/Conversations.ts"
import { Documents } from "../../src/storage/documents/Documents.ts"
import { Messages } from "../../src/storage/conversations/Messages.ts"
import { Chunks } from "../../src/storage/search/Chunks.ts"
import { makeFilledTenant, reservationOf } from "../lib/FilledTenant.ts"
import { platform, storage } from "../lib/Layers.ts"
import { as, newId, sessionNamed, newApiKey } from "../lib/Tenants.ts"

/*
 * On the path of a chat, a search or an upload, rows are not decoded, so that their types are a promise of whoever
 * wrote the statement. Here, what the repositories return is compared with schemas, whose types the compiler compares
 * with the promised ones.
 */

const runtime = ManagedRuntime.make(Layer.merge(storage, platform))
afterAll(() => runtime.dispose())

const tenant = makeFilledTenant.pipe(Effect.cached, Effect.runSync)
const page = { page: 1, limit: 100 }
const range = { limit: 100, after: undefined }

/** Expects one or more values, with the fields and types of the schema. Rows may have columns that nobody reads. */
const conform = <A>(
  schema: Schema.Schema<A> & { readonly DecodingServices: never },
  values: ReadonlyArray<A>,
): void => {
  const decode = Schema.decodeUnknownSync(Schema.toType(schema))
  expect(values.length).toBeGreaterThan(0)
  for (const value of values) decode(value)
}

const ShownChatbot = Schema.Struct({
  id: ChatbotId,
  organization_id: OrganizationId,
  name: Schema.String,
  description: Schema.String,
  slug: Schema.String,
  active: Schema.Boolean,
  is_public: Schema.Boolean,
  personality_config: PersonalityConfig,
  settings: Settings,
  voice_widget_config: Schema.NullOr(VoiceWidgetConfig),
  avatar_blob: Schema.NullOr(Schema.String),
  version: Schema.BigInt,
  created_at: Schema.Date,
  updated_at: Schema.Date,
})
const Chatbot = Schema.Struct({
  ...ShownChatbot.fields,
  chat_widget_config: ChatWidgetConfig,
  tool_count: Schema.Int,
})
const NamedChatbot = Schema.Struct({ id: ChatbotId, slug: Schema.String, created_at: Schema.Date })

const OpenSession = Schema.Struct({
  id: SessionId,
  user_info: Session.fields.user_info,
  may_ask_email: Schema.Boolean,
  history: Schema.Array(
    Schema.Struct({
      id: MessageId,
      sender_type: SenderType,
      content: Schema.String,
      model: Schema.NullOr(Schema.String),
      finish_reason: Schema.NullOr(Schema.String),
      mid: Schema.NullOr(Schema.String),
    }),
  ),
})

const Tool = Schema.Struct({
  id: ToolId,
  chatbot_id: ChatbotId,
  name: Schema.String,
  description: Schema.String,
  input_schema: Schema.Record(Schema.String, Schema.Json),
  method: ToolMethod,
  url: Schema.String,
  timeout_ms: Schema.NullOr(Schema.Int),
  header_names: Schema.Array(Schema.String),
  created_at: Schema.Date,
  updated_at: Schema.Date,
})

const LiveKey = Schema.Struct({
  id: ApiKeyId,
  organization_id: OrganizationId,
  chatbot_id: Schema.NullOr(ChatbotId),
  scopes: Schema.Array(Scope),
  expires_at: Schema.NullOr(Schema.Date),
  expires_in: Schema.NullOr(Schema.Finite),
  budgets: Schema.Struct({ organization: Budget, key: Budget }),
})

const Refusal = Schema.Struct({
  refusal: Schema.Literals(["concurrent_chats", "spent", "reserved"]),
  whose: Schema.Literals(["organization", "key"]),
  at: Schema.Date,
})

const FetchedChunk = Schema.Struct({
  chunkId: ChunkId,
  documentId: DocumentId,
  ordinal: Schema.Int,
  title: Schema.String,
  headings: Schema.Array(Schema.String),
  content: Schema.String,
  page: Schema.NullOr(Schema.Int),
})
describe("the rows that the storage does not decode have the types that it promises:", () => {
  test("chatbots", () =>
    runtime.runPromise(
      Effect.gen(function* () {
        const { chatbot, organization } = yield* tenant
        const [chatbots, mine] = [yield* Chatbots, as(organization)]
        conform(Chatbot, [yield* mine(chatbots.get(chatbot)), yield* mine(chatbots.named(chatbot))])
        conform(ShownChatbot, yield* mine(chatbots.getMany([chatbot])))
        conform(NamedChatbot, (yield* mine(chatbots.list(range, null))).items)
      }),
    ))

  test("conversations and messages", () =>
    runtime.runPromise(
      Effect.gen(function* () {
        const { chatbot, organization, reply, session } = yield* tenant
        const [conversations, messages, mine] = [yield* Conversations, yield* Messages, as(organization)]
        yield* mine(messages.rate(chatbot, sessionNamed(session), reply, { rating: "up", comment: null }))
        const found = yield* mine(
          conversations.find(chatbot, sessionNamed(session), { messages: 10, bytes: 1_000, characters: 1_000 }),
        )
        conform(OpenSession, found === undefined ? [] : [found])
        conform(Session, [yield* mine(conversations.get(chatbot, sessionNamed(session)))])
        conform(Session, (yield* mine(conversations.list(chatbot, page))).sessions)
        conform(Message, (yield* mine(messages.page(chatbot, sessionNamed(session), page))).messages)
        conform(Message, (yield* mine(messages.after(session, undefined, 10))).messages)
      }),
    ))

  test("documents", () =>
    runtime.runPromise(
      Effect.gen(function* () {
        const { chatbot, organization, ready } = yield* tenant
        const [documents, mine] = [yield* Documents, as(organization)]
        conform(Document, [yield* mine(documents.get(chatbot, ready))])
        conform(Document, yield* mine(documents.getMany(chatbot, [ready])))
        conform(Document, (yield* mine(documents.list(chatbot, page, undefined))).data)
      }),
    ))

  test("chunks, as a search reads them", () =>
    runtime.runPromise(
      Effect.gen(function* () {
        const { batch, chatbot, organization } = yield* tenant
        const [chunks, mine] = [yield* Chunks, as(organization)]
        const ids = batch.chunks.map(({ id }) => id)
        const { analyses, version } = yield* mine(chunks.probe(chatbot, [{ language: "english", words: "shared" }]))
        const fetched = yield* mine(chunks.fetch(chatbot, ids))
        conform(Schema.Uint8Array, analyses)
        conform(Schema.BigInt, [version, fetched.version])
        conform(FetchedChunk, fetched.chunks)
        conform(Schema.Struct({ language: Schema.String, texts: Schema.Int }), yield* mine(chunks.languages(chatbot)))
      }),
    ))

  test("tools", () =>
    runtime.runPromise(
      Effect.gen(function* () {
        const { chatbot, organization } = yield* tenant
        const tools = yield* as(organization)((yield* ChatbotTools).list(chatbot))
        conform(
          Tool,
          tools.map(({ headers: _, ...row }) => row),
        )
        for (const { headers } of tools) {
          conform(Schema.Record(Schema.String, Schema.String), [Redacted.value(yield* headers)])
        }
      }),
    ))

  test("keys, and refusals by their budgets", () =>
    runtime.runPromise(
      Effect.gen(function* () {
        const { apiKeyId, chatbot, organization } = yield* tenant
        const [budgets, keys, hash] = [yield* Budgets, yield* ApiKeys, hashKey(yield* newId)]
        yield* keys.insert(
          yield* newApiKey(organization, {
            chatbot_id: chatbot,
            hash,
            expires_at: new Date(Date.now() + 60_000),
          }),
        )
        const found = yield* keys.findLive(hash)
        const refusal = yield* as(organization)(
          budgets.reserve({
            ...reservationOf(yield* newId, apiKeyId),
            key: { tokensPerDay: Number.POSITIVE_INFINITY, concurrentChats: 0 },
          }),
        )
        conform(LiveKey, found === undefined ? [] : [found])
        conform(Refusal, refusal === undefined ? [] : [refusal])
      }),
    ))
})
