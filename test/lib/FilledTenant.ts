import { Duration, Effect, Redacted } from "effect"
import type { ConversationFilter } from "../../src/domain/chat/ConversationFilter.ts"
import { chatbotDefaults } from "../../src/domain/chatbot/Chatbot.ts"
import { hashKey } from "../../src/domain/keys/ApiKey.ts"
import { TestId } from "../../src/domain/evaluation/ChatbotTest.ts"
import { TestRunId } from "../../src/domain/evaluation/TestRun.ts"
import { TestPlans } from "../../src/storage/evaluation/TestPlans.ts"
import { type TestContent, Tests } from "../../src/storage/evaluation/Tests.ts"
import {
  type ApiKeyId,
  type ChatbotId,
  type DocumentId,
  MessageId,
  type OrganizationId,
  PersonId,
  SessionId,
  ToolId,
} from "../../src/domain/Ids.ts"
import { ApiKeys } from "../../src/storage/keys/ApiKeys.ts"
import { ChatbotTools, type ToolContent } from "../../src/storage/tools/ChatbotTools.ts"
import { Budgets, type Reservation } from "../../src/storage/usage/Budgets.ts"
import { Attachments } from "../../src/storage/conversations/Attachments.ts"
import { CannedAnswers } from "../../src/storage/inbox/CannedAnswers.ts"
import { Chunks } from "../../src/storage/search/Chunks.ts"
import { Conversations } from "../../src/storage/conversations/Conversations.ts"
import { setupOf } from "../../src/storage/chatbots/ChatbotSetups.ts"
import type { BotMessage } from "../../src/storage/conversations/ConversationWrites.ts"
import type { ReplyGround } from "../../src/storage/conversations/ReplyGrounds.ts"
import { SystemSql } from "../../src/storage/sql/Database.ts"
import { Documents } from "../../src/storage/documents/Documents.ts"
import { type Attempt, type ClaimRequest, IdempotencyKeys } from "../../src/storage/IdempotencyKeys.ts"
import { Ingestions } from "../../src/storage/documents/Ingestions.ts"
import { Reembeddings } from "../../src/storage/documents/Reembeddings.ts"
import { SourceId } from "../../src/domain/knowledge/Source.ts"
import { SourceRunId } from "../../src/domain/knowledge/SourceRun.ts"
import { type SourceContent, Sources } from "../../src/storage/sources/Sources.ts"
import { IdentitySecretId } from "../../src/domain/widget/IdentitySecret.ts"
import { IdentitySecrets } from "../../src/storage/widget/IdentitySecrets.ts"
import { AttachmentId } from "../../src/domain/chat/Attachment.ts"
import { CannedAnswerId } from "../../src/domain/inbox/CannedAnswer.ts"
import { TopicId } from "../../src/domain/topics/Topic.ts"
import { WebhookId } from "../../src/domain/webhook/Webhook.ts"
import { WebhookQueue } from "../../src/storage/webhooks/WebhookQueue.ts"
import { People } from "../../src/storage/people/People.ts"
import { PersonSessions } from "../../src/storage/people/PersonSessions.ts"
import { SignIns } from "../../src/storage/people/SignIns.ts"
import { ModelConnectionId } from "../../src/domain/models/ModelConnection.ts"
import { ModelConnections } from "../../src/storage/models/ModelConnections.ts"
import { SignInProviders } from "../../src/storage/people/SignInProviders.ts"
import { SignInProviderId } from "../../src/domain/people/SignInProvider.ts"
import { Webhooks } from "../../src/storage/webhooks/Webhooks.ts"
import { as, chunkBatch, contentOf, makeTenant, newDocumentId, newId, newApiKey } from "./Tenants.ts"
import { type Draft, UnfinishedReplies } from "../../src/storage/conversations/UnfinishedReplies.ts"

/*
 * An organization that has a row in every table, for tests that organizations are kept apart.
 */

export const someTool: ToolContent = {
  name: "tool",
  description: "Some",
  input_schema: { type: "object", required: [], properties: { b: true, a: true } },
  method: "GET",
  url: "https://tools.example/",
  headers: Redacted.make({ authorization: "secret" }),
  timeout_ms: null,
}

export const someTest: TestContent = {
  question: "Who?",
  history: [],
  expectations: { find: [{ title: "People" }] },
  tags: ["people"],
}

export const someSite: SourceContent = {
  name: "Site",
  urls: ["https://docs.example/"],
  include: [],
  exclude: [],
  depth: 1,
  max_pages: 10,
  text: null,
  schedule: null,
}

/** What a reply rests on that found one passage. */
const groundOf = (chatbotId: ChatbotId, document_id: DocumentId): ReplyGround => ({
  chatbotId,
  question: "Is it ready?",
  similarity: 0.5,
  kept: {
    searches: [{ query: "ready", passages: [{ document_id, title: "Ready", chunk: 1, revision: 1, similarity: 0.5 }] }],
    setup: setupOf({
      id: chatbotId,
      name: "Filled",
      version: 1n,
      personality_config: chatbotDefaults("Filled", "m").personality_config,
      settings: chatbotDefaults("Filled", "m").settings,
    }),
  },
})

/** The content of a provider that signs people in. */
export const someProvider = {
  name: "Staff",
  issuer: "https://login.example.com",
  client_id: "parley",
  roles_claim: "groups",
  role_mappings: [],
}

/** The content of a connection to a server of models. */
export const someConnection = {
  name: "ollama",
  api: "openai",
  base_url: "http://127.0.0.1:11434",
  is_trusted: true,
} as const

export const makeFilledTenant = Effect.gen(function* () {
  const { organization, chatbot } = yield* makeTenant
  const mine = as(organization)
  const [documents, ingestions, conversations] = [yield* Documents, yield* Ingestions, yield* Conversations]
  const add = (text: string) => Effect.flatMap(newDocumentId, (id) => mine(documents.add(id, chatbot, contentOf(text))))
  const claim = Effect.flatMap(
    ingestions.claim({ id: crypto.randomUUID(), duration: Duration.minutes(5) }),
    (attempt) => (attempt === undefined ? Effect.die("nothing waits") : Effect.succeed(attempt)),
  )
  const ready = yield* add("ready")
  const done = yield* claim
  const batch = yield* chunkBatch({ chatbot, document: ready.id, revision: done.revision, count: 2 })
  yield* mine((yield* Chunks).insert(batch))
  yield* mine(ingestions.publish(done, 2, [{ kind: "hidden_sheets", count: 2, where: ["Prices 2019", "Draft"] }]))
  const reembeddings = yield* Reembeddings
  yield* reembeddings.declare("new")
  yield* reembeddings.enqueue("new")
  const reembedding = yield* Effect.flatMap(
    reembeddings.claim("new", { id: crypto.randomUUID(), duration: Duration.minutes(5) }),
    (job) => (job === undefined ? Effect.die("nothing is to be embedded again") : Effect.succeed(job)),
    // Other tests may have left documents in the queue.
  ).pipe(Effect.repeat({ until: (job) => job.organization_id === organization }))
  const running = yield* add("running")
  const attempt = yield* claim
  yield* mine((yield* Chunks).insert(yield* chunkBatch({ ...attempt, chatbot, document: running.id, count: 1 })))
  const { id: session } = yield* mine(
    conversations.append(
      chatbot,
      {
        id: SessionId.make(yield* newId),
        token: "token",
        tokenKey: null,
        platform: "web",
        visitor: VISITOR,
        name: "Ada",
        page: { url: "https://shop.example.com/prices", title: "Prices" },
        language: "en",
      },
      [{ id: MessageId.make(yield* newId), sender_type: "user", content: "private", mid: undefined }],
      { email: "a@b.example", mayAskAgain: false },
    ),
  )
  const key = yield* newApiKey(organization, { chatbot_id: chatbot })
  const apiKeyId = key.id
  yield* (yield* ApiKeys).insert(key)
  const tool = ToolId.make(yield* newId)
  yield* mine((yield* ChatbotTools).insert(tool, chatbot, someTool, 9))
  const test = TestId.make(yield* newId)
  yield* mine((yield* Tests).insert(test, chatbot, someTest))
  yield* mine((yield* TestPlans).modify(chatbot, ({ plan }) => Effect.succeed({ ...plan, repeats: 2 })))
  const testRun = TestRunId.make(yield* newId)
  yield* SystemSql.use(
    (sql) => sql`
      with run as (
        insert into test_runs (id, organization_id, chatbot_id, tier, trigger, status, ended_at)
        values (${testRun}, ${organization}, ${chatbot}, 'search', 'manual', 'finished', now())
      ) insert into test_results (run_id, test_id, organization_id, tier, outcome, details, test_version)
      values (${testRun}, ${test}, ${organization}, 'search', 'passed', '{"found": [], "find": [], "answers": []}', 1)`,
  )
  const [source, run] = [SourceId.make(yield* newId), SourceRunId.make(yield* newId)]
  const first = { run: { id: run, only: null, isConfirmed: false } }
  yield* mine((yield* Sources).insert(source, chatbot, "website", someSite, first))
  yield* SystemSql.use(
    (sql) => sql`
      with pages as (
        insert into source_pages (id, organization_id, source_id, url, run_id, is_waiting)
        values (${crypto.randomUUID()}, ${organization}, ${source}, 'https://docs.example/a', ${run}, true)
      ), asked as (
        insert into questions (id, organization_id, chatbot_id, source_id, question, answer)
        values (${crypto.randomUUID()}, ${organization}, ${chatbot}, ${source}, 'Who?', 'We.') returning id
      ) insert into question_forms (chatbot_id, form, organization_id, question_id)
      select ${chatbot}, 'who', ${organization}, id from asked`,
  )
  const identitySecret = IdentitySecretId.make(yield* newId)
  yield* mine((yield* IdentitySecrets).insert(chatbot, identitySecret, Redacted.make("secret")))
  const reply = MessageId.make(yield* newId)
  const tokens = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 }
  const count = (id: MessageId) =>
    mine(
      conversations.reply(
        session,
        { ...replyOf(id), unanswered: true, ground: groundOf(chatbot, ready.id) },
        {
          apiKeyId,
          chatbotId: chatbot,
          costs: [{ model: "m", provider: "p", tokens }],
        },
      ),
    )
  yield* count(reply)
  // A reservation folds the entries into days. The entry of the second reply, which comes later, stays an entry.
  const reservation = yield* newId
  yield* mine((yield* Budgets).reserve(reservationOf(reservation, apiKeyId)))
  yield* count(MessageId.make(yield* newId))
  const unfinished = MessageId.make(yield* newId)
  const underWay = { id: unfinished, organization, session, chatbotId: chatbot, apiKeyId, isSeen: true }
  yield* (yield* UnfinishedReplies).store([{ ...underWay, draft }], Duration.minutes(5))
  const keyed = keyedOf(organization, apiKeyId, yield* newId)
  const idempotencyKeys = yield* IdempotencyKeys
  yield* mine(idempotencyKeys.claim(claimOf(keyed)))
  yield* SystemSql.use(
    (sql) => sql`
      insert into retention_runs (organization_id, expires_at) values (${organization}, now() + interval '1 hour')`,
  )
  const topic = TopicId.make(yield* newId)
  yield* SystemSql.use(
    (sql) => sql`
      with run as (
        insert into topic_runs (organization_id, chatbot_id, run_id, expires_at)
        values (${organization}, ${chatbot}, ${topic}, now() + interval '1 hour')
      ), made as (
        insert into topics (id, organization_id, chatbot_id, name, centre)
        values (${topic}, ${organization}, ${chatbot}, 'Readiness', '{"size": 1, "terms": []}') returning id
      ), other as (
        -- A topic is suggested once it has two questions.
        insert into reply_grounds (message_id, organization_id, chatbot_id, question, topic_id)
        select m.id, ${organization}, ${chatbot}, 'Is it ready?', made.id
        from made, messages m where m.session_id = ${session} and m.sender_type = 'user' limit 1
      )
      update reply_grounds set topic_id = made.id, gap = 'unanswered' from made where message_id = ${reply}`,
  )
  const cannedAnswer = CannedAnswerId.make(yield* newId)
  yield* mine((yield* CannedAnswers).insert(chatbot, cannedAnswer, { shortcut: "hello", content: "Hello!" }))
  const attachment = AttachmentId.make(yield* newId)
  const file = { name: "me.png", media_type: "image/png", size: 1, url: "", secret: "secret", visitor: undefined }
  yield* mine((yield* Attachments).add(chatbot, { ...file, id: attachment, blob_key: `attachments/${attachment}` }))
  const person = PersonId.make(yield* newId)
  const [invitationHash, keyHash] = [hashKey(yield* newId), hashKey(person)]
  yield* (yield* People).insert(organization, {
    id: person,
    name: "Grace",
    email: "grace@b.example",
    roles: [{ role: "agent", chatbot_id: chatbot }],
    keyHash,
    invitationHash,
    createdBy: "bootstrap",
  })
  const passkey = { id: yield* newId, publicKey: new Uint8Array(1), counter: 0, transports: ["internal"] }
  yield* (yield* SignIns).accept(invitationHash, { passkey })
  yield* (yield* PersonSessions).insert({
    id: yield* newId,
    person,
    organization,
    hash: hashKey(yield* newId),
    lifetime: Duration.hours(1),
    userAgent: undefined,
  })
  const signInProvider = SignInProviderId.make(yield* newId)
  yield* mine((yield* SignInProviders).insert(signInProvider, someProvider, Redacted.make("secret")))
  const modelConnection = ModelConnectionId.make(yield* newId)
  yield* mine((yield* ModelConnections).insert(modelConnection, someConnection, Redacted.make("secret")))
  yield* SystemSql.use(
    (sql) => sql`
      with noted as (
        insert into conversation_events (id, organization_id, session_id, type, detail)
        values (${crypto.randomUUID()}, ${organization}, ${session}, 'note', '{"text": "private"}')
      ), sent as (
        update attachments set session_id = ${session}, message_id = ${reply} where id = ${attachment}
      ), kept as (
        update tests set message_id = ${reply} where chatbot_id = ${chatbot}
      ), active as (
        update people set state = 'active', avatar = 'https://people.example/grace.png' where id = ${person}
      ), waiting as (
        insert into sessions (id, organization_id, chatbot_id, platform, owner, owner_since, waiting_since)
        values (${crypto.randomUUID()}, ${organization}, ${chatbot}, 'widget', 'people', now(), now())
      ), folded as (
        insert into folded_days values (${organization}, '2020-12-31')
      ), summed as (
        insert into conversation_days values (${organization}, '2020-12-31', ${chatbot}, 'page',
          'https://shop.example.com/prices', 1, 1, 0, 0, 0, 1, '')
      ), mailed as (
        insert into mail_queue (organization_id, session_id, person_id) values (${organization}, ${session}, ${person})
      )
      insert into conversation_presence (session_id, organization_id, who, state, until)
      values (${session}, ${organization}, 'visitor', 'writing', now() + interval '1 hour')`,
  )
  const webhook = WebhookId.make(yield* newId)
  const hook = { url: "https://hooks.example/", description: "", events: ["chatbot.updated"], active: true } as const
  yield* mine((yield* Webhooks).insert(webhook, chatbot, hook, Redacted.make("whsec_AAAA"), 9))
  yield* SystemSql.use((sql) => sql`update chatbots set version = version + 1 where id = ${chatbot}`)
  yield* SystemSql.use((sql) => sql`update webhook_deliveries set state = 'failed' where webhook_id = ${webhook}`)
  yield* SystemSql.use((sql) => sql`update chatbots set version = version + 1 where id = ${chatbot}`)
  const sending = yield* (yield* WebhookQueue)
    .claim(9, { id: crypto.randomUUID(), duration: Duration.minutes(5) })
    .pipe(
      Effect.flatMap((job) => (job === undefined ? Effect.die("no delivery waits") : Effect.succeed(job))),
      Effect.repeat({ until: (job) => job.organization_id === organization }),
    )
  const delivery = sending.id
  return {
    organization,
    chatbot,
    apiKeyId,
    attachment,
    cannedAnswer,
    signInProvider,
    modelConnection,
    webhook,
    sending,
    delivery,
    keyed,
    reply,
    topic,
    reservation,
    tool,
    test,
    testRun,
    ready: ready.id,
    running: running.id,
    source,
    run,
    attempt,
    reembedding,
    session,
    unfinished,
    batch,
  }
})
export type Tenant = Effect.Success<typeof makeFilledTenant>

/** An attempt at a request with an idempotency key. */
export const keyedOf = (organization: OrganizationId, apiKey: ApiKeyId, lease: string): Attempt => ({
  organization,
  apiKey,
  name: hashKey(lease),
  lease,
})

/** What claims the key of an attempt, for five minutes. */
export const claimOf = (attempt: Attempt, more: Partial<ClaimRequest> = {}): ClaimRequest => ({
  ...attempt,
  fingerprint: hashKey("request"),
  operation: attempt.lease,
  duration: Duration.minutes(5),
  retention: Duration.hours(1),
  ...more,
})

/** The visitor to whom a tenant's conversation belongs. */
export const VISITOR = "Vb8w0bq3nW2m6yKx1tZ4dQ"

export const replyOf = (id: MessageId): BotMessage => ({
  id,
  content: "answer",
  model: "m",
  provider: "p",
  tokens_used: 10,
  usage: {},
  finish_reason: "stop",
  tool_calls: [],
  tool_results: [],
  sources: [],
  unanswered: false,
  firstWord: 120,
})

const draft: Draft = {
  content: "half an answer",
  model: "m",
  provider: "p",
  tokens_used: 3,
  usage: {},
  tool_calls: [],
  tool_results: [],
  sources: [],
  costs: [{ model: "m", provider: "p", tokens: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 } }],
}

export const reservationOf = (id: string, apiKeyId: ApiKeyId): Reservation => ({
  id,
  apiKeyId,
  tokens: 1,
  lease: Duration.minutes(5),
  organization: { tokensPerDay: 1_000, concurrentChats: 1_000 },
  key: { tokensPerDay: Number.POSITIVE_INFINITY, concurrentChats: Number.POSITIVE_INFINITY },
})

/** The tables whose rows belong to an organization, by name. */
export const tablesWithOrganization = SystemSql.use((sql) =>
  Effect.map(
    sql<{ name: string }>`
      select c.table_name as name from information_schema.columns c
      join information_schema.tables t using (table_schema, table_name)
      where c.column_name = 'organization_id' and c.table_schema = 'public' and t.table_type = 'BASE TABLE'
      order by c.table_name`,
    (rows) => rows.map(({ name }) => name),
  ),
)

/** A filter that every conversation meets. */
export const noFilter: ConversationFilter = {
  chatbots: null,
  search: undefined,
  email: undefined,
  rating: undefined,
  isUnanswered: false,
  platform: undefined,
  state: undefined,
  owner: undefined,
  assignee: undefined,
  isWaiting: false,
  tag: undefined,
  from: undefined,
  to: undefined,
}
