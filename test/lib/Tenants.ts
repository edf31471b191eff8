import { Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import { allScopes, hashKey } from "../../src/domain/keys/ApiKey.ts"
import { noBudget } from "../../src/domain/organizations/Budget.ts"
import { ChunkId } from "../../src/domain/knowledge/Chunk.ts"
import { chatbotDefaults } from "../../src/domain/chatbot/Chatbot.ts"
import { emptyChatWidget } from "../../src/domain/chatbot/ChatWidget.ts"
import { Caller } from "../../src/domain/Caller.ts"
import type { SessionName } from "../../src/domain/chat/SessionToken.ts"
import { ApiKeyId, ChatbotId, DocumentId, OrganizationId } from "../../src/domain/Ids.ts"
import { CurrentOrganization } from "../../src/domain/Tenancy.ts"
import type { NewApiKey } from "../../src/storage/keys/ApiKeys.ts"
import { Chatbots } from "../../src/storage/chatbots/Chatbots.ts"
import type { ChunkBatch } from "../../src/storage/search/Chunks.ts"
import type { Content } from "../../src/storage/documents/Documents.ts"
import { Organizations } from "../../src/storage/organizations/Organizations.ts"

/*
 * Organizations with chatbots, documents and chunks, for tests that need some.
 */

/** A new id, which comes after those made before. */
export const newId = SecureRandom.SecureRandom.use((random) => random.uuidV7())
export const newDocumentId = Effect.map(newId, (id) => DocumentId.make(id))
export const newChatbotId = Effect.map(newId, (id) => ChatbotId.make(id))

/** Runs an effect on behalf of an organization. */
export const as = (organization: OrganizationId) => Effect.provideService(CurrentOrganization, organization)

/** The session with this id or token, as a key of its organization names it that reads all conversations. */
export const sessionNamed = (text: string): SessionName => ({
  text,
  apiKeyId: ApiKeyId.make("00000000-0000-7000-8000-000000000000"),
  scope: "any",
})

/** Runs an effect on behalf of an organization, with a key of it that is the same each time. */
export const asCaller = (organizationId: OrganizationId, more: Partial<Caller["Service"]> = {}) => {
  const caller = Caller.of({
    apiKeyId: ApiKeyId.make(organizationId),
    organizationId,
    scopes: allScopes,
    chatbots: null,
    expiresAt: null,
    budgets: { organization: noBudget, key: noBudget },
    ...more,
  })
  return <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provideService(as(organizationId)(effect), Caller, caller)
}

/** A key of an organization, to be inserted. It may chat, and the hash is that of its id. */
export const newApiKey = (organization: OrganizationId, more: Partial<NewApiKey> = {}) =>
  Effect.map(newId, (id): NewApiKey => ({
    id: ApiKeyId.make(id),
    organization_id: organization,
    chatbot_id: null,
    name: "Key",
    hash: hashKey(id),
    prefix: "prl_abcd",
    last_four: "wxyz",
    scopes: ["chat"],
    budget: noBudget,
    expires_at: null,
    created_by: "command line",
    ...more,
  }))

export const makeOrganization = Effect.gen(function* () {
  const { id } = yield* (yield* Organizations).insert({ id: OrganizationId.make(yield* newId), name: "Some" })
  return id
})

/** Makes a chatbot of the current organization. */
export const makeChatbot = Effect.gen(function* () {
  const id = yield* newChatbotId
  return yield* (yield* Chatbots).insert({
    id,
    name: "Some",
    slug: `some-${id}`,
    chat_widget_config: emptyChatWidget,
    ...chatbotDefaults("Some", "local/extractive"),
  })
})

/** Makes a new organization with a chatbot. */
export const makeTenant = Effect.gen(function* () {
  const organization = yield* makeOrganization
  const chatbot = yield* as(organization)(makeChatbot)
  return { organization, chatbot: chatbot.id }
})

/** The content of a document with this text. Its blob is not made. */
export const contentOf = (text: string, name = "file.txt"): Content => ({
  name,
  // No format of ours has the type of a program.
  content_type: name.endsWith(".exe") ? "application/vnd.microsoft.portable-executable" : "text/plain",
  size_bytes: text.length,
  sha256: new Bun.CryptoHasher("sha256").update(text).digest("hex"),
  blob_key: `documents/${crypto.randomUUID()}`,
})

/** Makes chunks of one revision of a document. Each has a word of its own, and all have the word `shared`. */
export const chunkBatch = ({
  chatbot,
  document,
  revision,
  count,
}: {
  readonly chatbot: ChatbotId
  readonly document: DocumentId
  readonly revision: number
  readonly count: number
}): Effect.Effect<ChunkBatch, never, SecureRandom.SecureRandom> =>
  Effect.map(
    Effect.forEach(
      Array.from({ length: count }, (_, index) => index + 1),
      (ordinal) =>
        Effect.map(newId, (id) => ({
          id: ChunkId.make(id),
          ordinal,
          headings: [],
          content: `shared word${ordinal}`,
          page: null,
          embedding: Float32Array.of(1, ordinal),
          sketch: null,
        })),
    ),
    (chunks) => ({
      chatbotId: chatbot,
      documentId: document,
      revision,
      title: "Title",
      language: "english",
      embeddingModel: "test",
      chunks,
    }),
  )
