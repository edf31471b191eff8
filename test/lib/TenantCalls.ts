import { Duration, Effect, type Layer, Redacted } from "effect"
import { chatbotDefaults } from "../../src/domain/chatbot/Chatbot.ts"
import { emptyChatWidget } from "../../src/domain/chatbot/ChatWidget.ts"
import { TestId } from "../../src/domain/evaluation/ChatbotTest.ts"
import { TestRunId } from "../../src/domain/evaluation/TestRun.ts"
import { MessageId, PersonId, ToolId } from "../../src/domain/Ids.ts"
import type { CurrentOrganization } from "../../src/domain/Tenancy.ts"
import { everything } from "../../src/domain/Page.ts"
import { AuditLog } from "../../src/storage/audit/AuditLog.ts"
import { Budgets } from "../../src/storage/usage/Budgets.ts"
import { Chatbots } from "../../src/storage/chatbots/Chatbots.ts"
import { ChatbotTools } from "../../src/storage/tools/ChatbotTools.ts"
import { type ChunkPack, unpack } from "../../src/storage/search/ChunkPacks.ts"
import { Chunks } from "../../src/storage/search/Chunks.ts"
import { ChatbotCopies } from "../../src/storage/chatbots/ChatbotCopies.ts"
import { OrganizationChanges } from "../../src/storage/OrganizationChanges.ts"
import { Passages } from "../../src/storage/documents/Passages.ts"
import { Totals } from "../../src/storage/chatbots/Totals.ts"
import { ConversationLists } from "../../src/storage/conversations/ConversationLists.ts"
import { ConversationSums } from "../../src/storage/conversations/ConversationSums.ts"
import { Conversations } from "../../src/storage/conversations/Conversations.ts"
import { Erasures } from "../../src/storage/conversations/Erasures.ts"
import { TestPlans } from "../../src/storage/evaluation/TestPlans.ts"
import { Tests } from "../../src/storage/evaluation/Tests.ts"
import { TestRuns } from "../../src/storage/evaluation/TestRuns.ts"
import { Documents } from "../../src/storage/documents/Documents.ts"
import { Inbox } from "../../src/storage/inbox/Inbox.ts"
import { Presences } from "../../src/storage/inbox/Presences.ts"
import { IdempotencyKeys } from "../../src/storage/IdempotencyKeys.ts"
import { Ingestions } from "../../src/storage/documents/Ingestions.ts"
import { Messages } from "../../src/storage/conversations/Messages.ts"
import { Replies } from "../../src/storage/conversations/Replies.ts"
import { Reembeddings } from "../../src/storage/documents/Reembeddings.ts"
import { SourceId } from "../../src/domain/knowledge/Source.ts"
import { SourceRunId } from "../../src/domain/knowledge/SourceRun.ts"
import { timestamp } from "../../src/domain/schema/Timestamp.ts"
import { SourcePages } from "../../src/storage/sources/SourcePages.ts"
import { SourceRuns } from "../../src/storage/sources/SourceRuns.ts"
import { Sources } from "../../src/storage/sources/Sources.ts"
import {
  claimOf,
  noFilter,
  replyOf,
  reservationOf,
  someSite,
  someTest,
  someTool,
  someProvider,
  type Tenant,
  VISITOR,
} from "./FilledTenant.ts"
import { Attachments } from "../../src/storage/conversations/Attachments.ts"
import { CannedAnswers } from "../../src/storage/inbox/CannedAnswers.ts"
import { AttachmentId } from "../../src/domain/chat/Attachment.ts"
import { CannedAnswerId } from "../../src/domain/inbox/CannedAnswer.ts"
import { People } from "../../src/storage/people/People.ts"
import { ModelConnections } from "../../src/storage/models/ModelConnections.ts"
import { SignInProviders } from "../../src/storage/people/SignInProviders.ts"
import { TopicRuns } from "../../src/storage/topics/TopicRuns.ts"
import { Topics } from "../../src/storage/topics/Topics.ts"
import { Usage } from "../../src/storage/usage/Usage.ts"
import { WebhookEventType } from "../../src/domain/webhook/WebhookEvent.ts"
import { WebhookDeliveries } from "../../src/storage/webhooks/WebhookDeliveries.ts"
import { WebhookQueue } from "../../src/storage/webhooks/WebhookQueue.ts"
import { Webhooks } from "../../src/storage/webhooks/Webhooks.ts"
import { VisitorConversations } from "../../src/storage/widget/VisitorConversations.ts"
import { VisitorHandovers } from "../../src/storage/widget/VisitorHandovers.ts"
import type { platform, storage } from "./Layers.ts"
import { chunkBatch, contentOf, newChatbotId, newDocumentId, newId, sessionNamed } from "./Tenants.ts"
import { today } from "./Today.ts"

/*
 * A call of every method of the repositories that acts for an organization, for tests that hold for all of them.
 */

/** The services that the calls need beside the organization. */
export type Services = Layer.Success<typeof storage> | Layer.Success<typeof platform>

type Call<S> = (
  service: S,
  target: Tenant,
) => Effect.Effect<unknown, { readonly _tag: string }, CurrentOrganization | Services>

/**
 * For every method, a call on the rows of a tenant, and its outcome for a caller who must not see them; without one, that
 * is `NotFound`.
 */
type Cases<S, Methods extends keyof S = keyof S> = {
  readonly [Method in Methods]: Call<S> | readonly [nothing: unknown, call: Call<S>]
}

const page = { page: 1, limit: 10 }

const chatbotCases: Cases<Chatbots["Service"]> = {
  // A slug is unique within its organization only.
  insert: [
    undefined,
    (chatbots, { chatbot }) =>
      Effect.gen(function* () {
        const id = yield* newChatbotId
        const parts = chatbotDefaults("Some", "local/extractive")
        yield* chatbots.insert({
          id,
          name: "Some",
          slug: `some-${chatbot}`,
          chat_widget_config: emptyChatWidget,
          ...parts,
        })
        yield* chatbots.remove(id)
      }),
  ],
  named: (chatbots, { chatbot }) => chatbots.named(chatbot),
  get: (chatbots, { chatbot }) => chatbots.get(chatbot),
  list: [
    [],
    (chatbots, { chatbot }) =>
      Effect.map(chatbots.list(everything, null), ({ items }) => items.filter(({ id }) => id === chatbot)),
  ],
  getMany: [[], (chatbots, { chatbot }) => chatbots.getMany([chatbot])],
  shown: (chatbots, { chatbot }) => chatbots.shown(chatbot),
  slugsInUse: [[], (chatbots, { chatbot }) => chatbots.slugsInUse([`some-${chatbot}`])],
  modify: (chatbots, { chatbot }) => chatbots.modify(chatbot, () => Effect.succeed({ name: "changed" })),
  remove: (chatbots, { chatbot }) => chatbots.remove(chatbot),
}

const toolCases: Cases<ChatbotTools["Service"]> = {
  insert: (tools, { chatbot }) =>
    Effect.flatMap(newId, (id) => tools.insert(ToolId.make(id), chatbot, { ...someTool, name: "other" }, 9)),
  list: [[], (tools, { chatbot }) => tools.list(chatbot)],
  get: (tools, { chatbot, tool }) => tools.get(chatbot, tool),
  modify: (tools, { chatbot, tool }) =>
    tools.modify(chatbot, tool, () => Effect.succeed({ ...someTool, name: "changed" })),
  remove: (tools, { chatbot, tool }) => tools.remove(chatbot, tool),
  recordTrial: [undefined, (tools, { chatbot, tool }) => tools.recordTrial(chatbot, { ...someTool, id: tool })],
}

const testCases: Cases<Tests["Service"]> = {
  insert: (tests, { chatbot }) => Effect.flatMap(newId, (id) => tests.insert(TestId.make(id), chatbot, someTest)),
  put: (tests, { chatbot, test }) => tests.put(chatbot, [{ ...someTest, id: test, question: "Why?" }]),
  recordImport: [undefined, (tests, { chatbot }) => tests.recordImport(chatbot, 1)],
  get: (tests, { chatbot, test }) => tests.get(chatbot, test),
  modify: (tests, { chatbot, test }) =>
    tests.modify(chatbot, test, () => Effect.succeed({ ...someTest, question: "Where?" })),
  remove: (tests, { chatbot, test }) => tests.remove(chatbot, test),
  list: [
    { data: [], tags: [], total: 0 },
    (tests, { chatbot }) => tests.list(chatbot, page, { text: "who", tag: "people" }),
  ],
  after: [
    { items: [], next: undefined },
    (tests, { chatbot }) => tests.after(chatbot, { limit: 10, after: undefined }),
  ],
}

const testPlanCases: Cases<TestPlans["Service"]> = {
  get: (plans, { chatbot }) => plans.get(chatbot),
  modify: (plans, { chatbot }) => plans.modify(chatbot, ({ plan }) => Effect.succeed({ ...plan, repeats: 3 })),
}

const testRunCases: Cases<TestRuns["Service"]> = {
  list: [{ data: [], total: 0, setupHash: null }, (runs, { chatbot }) => runs.list(chatbot, page)],
  get: (runs, { chatbot, testRun }) => runs.get(chatbot, testRun),
  start: [
    "Conflict",
    (runs, { apiKeyId, chatbot }) =>
      Effect.flatMap(newId, (id) => runs.start(chatbot, TestRunId.make(id), {}, apiKeyId)),
  ],
  stop: (runs, { chatbot, testRun }) => runs.stop(chatbot, testRun),
  results: (runs, { chatbot, testRun }) => runs.results(chatbot, testRun, page, undefined),
}

const documentCases: Cases<Documents["Service"]> = {
  add: (documents, { chatbot }) =>
    Effect.flatMap(newDocumentId, (id) => documents.add(id, chatbot, contentOf("not there yet"))),
  get: (documents, { chatbot, ready }) => documents.get(chatbot, ready),
  getMany: [[], (documents, { chatbot, ready, running }) => documents.getMany(chatbot, [ready, running])],
  list: [{ data: [], total: 0 }, (documents, { chatbot }) => documents.list(chatbot, page)],
  titles: [{ total: 0, titles: [] }, (documents, { chatbot }) => documents.titles(chatbot, 10)],
  replace: (documents, { chatbot, ready }) => documents.replace(chatbot, ready, contentOf("other")),
  retry: (documents, { chatbot, running }) => documents.retry(chatbot, running),
  remove: (documents, { chatbot, running }) => documents.remove(chatbot, running),
}

const sourceCases: Cases<Sources["Service"]> = {
  insert: (sources, { chatbot }) =>
    Effect.flatMap(newId, (id) => sources.insert(SourceId.make(id), chatbot, "website", someSite, {})),
  list: [[], (sources, { chatbot }) => sources.list(chatbot)],
  get: (sources, { chatbot, source }) => sources.get(chatbot, source),
  ensure: (sources, { chatbot, source }) => sources.ensure(chatbot, source),
  update: (sources, { chatbot, source }) =>
    sources.update(
      {
        ...someSite,
        id: source,
        chatbot_id: chatbot,
        kind: "website",
        version: 1n,
        next_run_at: null,
        document_count: 0,
        last_run: null,
        created_at: timestamp(new Date(0)),
        updated_at: timestamp(new Date(0)),
      },
      { ...someSite, name: "Forged" },
    ),
  remove: (sources, { chatbot, source }) => sources.remove(chatbot, source),
}

const sourceRunCases: Cases<SourceRuns["Service"]> = {
  list: [{ data: [], total: 0 }, (runs, { source }) => runs.list(source, page)],
  start: (runs, { chatbot, source }) =>
    Effect.flatMap(newId, (id) =>
      runs.start(chatbot, source, { id: SourceRunId.make(id), only: null, isConfirmed: false }),
    ),
  stop: (runs, { chatbot, run, source }) => runs.stop(chatbot, source, run),
}

const everyPage = { outcome: undefined, under: undefined }
const sourcePageCases: Cases<SourcePages["Service"]> = {
  list: [{ data: [], total: 0 }, (pages, { source }) => pages.list(source, page, everyPage)],
  branches: [[], (pages, { source }) => pages.branches(source, undefined)],
}

const conversationCases: Cases<Conversations["Service"]> = {
  find: [
    undefined,
    (conversations, { chatbot }) =>
      conversations.find(chatbot, sessionNamed("token"), { messages: 10, bytes: 1_000, characters: 1_000 }),
  ],
  append: (conversations, { chatbot, session }) =>
    Effect.flatMap(newId, (id) =>
      conversations.append(
        chatbot,
        { id: session, token: "token", tokenKey: null, platform: "web" },
        [{ id: MessageId.make(id), sender_type: "user", content: "forged", mid: undefined }],
        undefined,
      ),
    ),
  reply: [
    undefined,
    (conversations, { reply, session, unfinished }) =>
      Effect.gen(function* () {
        yield* conversations.reply(session, { ...replyOf(MessageId.make(yield* newId)), content: "forged" })
        for (const id of [reply, unfinished]) {
          yield* conversations.reply(session, { ...replyOf(id), content: "forged" }, undefined, true)
        }
      }),
  ],
  failed: [
    undefined,
    (conversations, { reply, session }) => conversations.failed(session, reply, { reason: "forged", advice: "forged" }),
  ],
  list: [{ sessions: [], total: 0 }, (conversations, { chatbot }) => conversations.list(chatbot, page)],
  get: (conversations, { chatbot }) => conversations.get(chatbot, sessionNamed("token")),
  exported: (conversations, { chatbot }) => conversations.exported(chatbot, sessionNamed("token")),
  remove: (conversations, { chatbot, session }) => conversations.remove(chatbot, sessionNamed(session)),
}

const someMessage = { id: MessageId.make(crypto.randomUUID()), content: "forged", mid: undefined, senderName: "Eve" }
const inboxCases: Cases<Inbox["Service"]> = {
  handOver: (inbox, { chatbot }) => inbox.handOver(chatbot, sessionNamed("token"), "api", undefined, null),
  handBack: (inbox, { chatbot }) => inbox.handBack(chatbot, sessionNamed("token"), undefined),
  update: (inbox, { chatbot }) =>
    inbox.update(chatbot, sessionNamed("token"), { state: "closed", tags: ["forged"] }, undefined),
  say: (inbox, { apiKeyId, chatbot }) => inbox.say(chatbot, sessionNamed("token"), someMessage, { apiKeyId }),
  note: (inbox, { chatbot }) => inbox.note(chatbot, sessionNamed("token"), crypto.randomUUID(), "forged", undefined),
  events: (inbox, { chatbot }) => inbox.events(chatbot, sessionNamed("token")),
  counts: [
    { waiting: 0, mine: 0, open: 0 },
    (inbox, { apiKeyId, chatbot }) => inbox.counts([chatbot], PersonId.make(apiKeyId)),
  ],
}

const presenceCases: Cases<Presences["Service"]> = {
  set: (presences, { chatbot }) => presences.set(chatbot, sessionNamed("token"), "visitor", "writing", new Date()),
}

const conversationListCases: Cases<ConversationLists["Service"]> = {
  scan: [
    { scanned: [], isComplete: true },
    (lists, { chatbot }) =>
      lists.scan({ ...noFilter, chatbots: [chatbot] }, undefined, { conversations: 10, messages: 10 }),
  ],
  getMany: [[], (lists, { session }) => lists.getMany([session])],
}

const conversationSumCases: Cases<ConversationSums["Service"]> = {
  count: [
    {
      rows: [],
      count: 0,
      total: {
        conversations: 0,
        questions: 0,
        unanswered: 0,
        rated_up: 0,
        rated_down: 0,
        resolved: 0,
        first_word_ms: null,
      },
    },
    (sums, { chatbot }) =>
      sums.count({ from: "2000-01-01", to: today(), groups: "topic", timeZone: "UTC", reach: [chatbot], page }),
  ],
}

const changesCases: Cases<OrganizationChanges["Service"]> = {
  look: [
    [],
    (changes, { apiKeyId, chatbot, session }) =>
      Effect.map(changes.look("2020-01-01T00:00:00Z", [apiKeyId]), (state) =>
        [apiKeyId, chatbot, session].filter((id) => JSON.stringify(state).includes(id)),
      ),
  ],
  documents: [[], (changes, { chatbot, ready }) => changes.documents(chatbot, [ready])],
}

const passageCases: Cases<Passages["Service"]> = {
  ofDocument: (passages, { chatbot, ready }) => passages.ofDocument(chatbot, ready, { from: 1, limit: 10 }),
  matched: [
    new Map(),
    (passages, { batch }) =>
      passages.matched(
        batch.chunks.map(({ id }) => id),
        ["batch"],
      ),
  ],
}

const replyCases: Cases<Replies["Service"], "get" | "passagesNow"> = {
  get: (replies, { chatbot, reply }) => replies.get(chatbot, reply),
  passagesNow: [[], (replies, { chatbot, ready }) => replies.passagesNow(chatbot, [{ document_id: ready, chunk: 1 }])],
}

const totalsCases: Cases<Totals["Service"]> = {
  ofChatbots: [[], (totals, { chatbot }) => totals.ofChatbots([chatbot])],
}

const copyCases: Cases<ChatbotCopies["Service"]> = {
  copy: (copies, { chatbot }) => copies.copy(chatbot, { name: "Copy", slug: "stolen-copy", avatar: null }),
}

const messageCases: Cases<Messages["Service"]> = {
  page: (messages, { chatbot, session }) => messages.page(chatbot, sessionNamed(session), page),
  after: [{ messages: [], last: undefined }, (messages, { session }) => messages.after(session, undefined, 10)],
  upTo: (messages, { chatbot, reply }) => messages.upTo(chatbot, reply, 10),
  unanswered: [[], (messages, { chatbot }) => messages.unanswered(chatbot, 10)],
  rate: (messages, { chatbot, reply }) =>
    messages.rate(chatbot, sessionNamed("token"), reply, { rating: "up", comment: "forged" }),
}

const visitorOf = ({ chatbot }: Tenant) => ({ chatbot, visitor: VISITOR })
const source = (document_id: string) => ({ document_id, title: "T", chunk: 1, page: null, quote: "shared" })

const visitorCases: Cases<VisitorConversations["Service"]> = {
  list: [{ items: [], next: undefined }, (visitors, target) => visitors.list(visitorOf(target), everything)],
  get: (visitors, target) => visitors.get(visitorOf(target), target.session),
  messages: [
    { items: [], next: undefined },
    (visitors, target) => visitors.messages(visitorOf(target), target.session, everything),
  ],
  sent: [[], (visitors, target) => visitors.sent(visitorOf(target), [target.reply])],
  question: (visitors, target) => visitors.question(visitorOf(target), target.session, target.reply),
  citing: [undefined, (visitors, target) => visitors.citing(visitorOf(target), target.session, target.reply)],
  passage: [undefined, (visitors, { chatbot, ready, reply }) => visitors.passage(chatbot, reply, source(ready))],
  removeAll: [0, (visitors, target) => visitors.removeAll(visitorOf(target))],
  handOver: [
    undefined,
    (visitors, target) =>
      visitors.handOver(target.chatbot, [visitorOf(target).visitor], "somebody else", { email: "e@v.il" }),
  ],
}

const visitorHandoverCases: Cases<VisitorHandovers["Service"], "handOver"> = {
  handOver: (handovers, target) =>
    handovers.handOver(visitorOf(target), {
      conversation: target.session,
      isNew: false,
      message: undefined,
      session: { platform: "widget" },
      email: "e@v.il",
    }),
}

const asked = [{ language: "english" as const, words: "shared" }]

const chunksIn = (pack: ChunkPack) => Array.from(unpack(pack))

const chunkCases: Cases<Chunks["Service"]> = {
  insert: (chunks, { chatbot, ready }) =>
    Effect.flatMap(chunkBatch({ chatbot, document: ready, revision: 99, count: 1 }), chunks.insert),
  replaceVectors: [
    undefined,
    (chunks, { batch, ready }) =>
      chunks.replaceVectors(
        ready,
        "other",
        batch.chunks.map(({ id }) => ({ id, embedding: Float32Array.of(2, 1), sketch: null })),
      ),
  ],
  probe: (chunks, { chatbot }) => chunks.probe(chatbot, asked),
  dimensions: [undefined, (chunks, { ready }) => chunks.dimensions({ id: ready, revision: 1 })],
  serving: [[], (chunks, { chatbot }) => chunks.serving(chatbot, "test")],
  lexemes: [
    [],
    (chunks, { chatbot, ready }) =>
      Effect.map(chunks.lexemes(chatbot, [{ documentId: ready, revision: 1, first: 1, last: 9 }], "test"), chunksIn),
  ],
  languages: [[], (chunks, { chatbot }) => chunks.languages(chatbot)],
  sample: [
    [],
    (chunks, { chatbot, ready }) =>
      Effect.map(chunks.sample(chatbot, [{ documentId: ready, revision: 1, ordinal: 1 }]), chunksIn),
  ],
  matching: [
    [],
    (chunks, { chatbot }) =>
      Effect.map(chunks.matching(chatbot, { best: "share", next: "word1", room: 10, scannedMax: 100 }), chunksIn),
  ],
  fetch: (chunks, { chatbot, batch }) =>
    chunks.fetch(
      chatbot,
      batch.chunks.map(({ id }) => id),
    ),
  cosines: [
    new Map(),
    (chunks, { chatbot, batch }) =>
      chunks.cosines({
        chatbotId: chatbot,
        chunks: batch.chunks.map(({ id }) => id),
        embedding: Float32Array.of(1, 1),
        embeddingModel: "test",
        nearest: 10,
        index: undefined,
      }),
  ],
}

// The other methods serve all organizations, because a worker learns from them which one a job belongs to.
const ingestionCases: Cases<
  Ingestions["Service"],
  Exclude<keyof Ingestions["Service"], "claim" | "releaseAll" | "untilDue">
> = {
  progress: [
    false,
    (ingestions, { attempt }) =>
      ingestions.progress(attempt, { status: "embedding", progress: 0.5, error: null, lease: Duration.minutes(5) }),
  ],
  beginnings: [[], (ingestions, { chatbot }) => ingestions.beginnings(chatbot)],
  serveWords: [undefined, (ingestions, { attempt }) => ingestions.serveWords(attempt, 1)],
  publish: [false, (ingestions, { attempt }) => ingestions.publish(attempt, 1)],
  fail: [undefined, (ingestions, { attempt }) => ingestions.fail(attempt, { code: "forged", message: "forged" })],
  abandon: [undefined, (ingestions, { attempt }) => ingestions.abandon(attempt)],
  release: [undefined, (ingestions, { attempt }) => ingestions.release(attempt, Duration.minutes(1), true)],
}

const reembeddingCases: Cases<
  Reembeddings["Service"],
  Exclude<keyof Reembeddings["Service"], "declare" | "enqueue" | "claim" | "releaseAll">
> = {
  outdated: [[], (reembeddings, { reembedding }) => reembeddings.outdated(reembedding, "new", 10)],
  store: [
    false,
    (reembeddings, { reembedding, batch }) =>
      reembeddings.store(
        reembedding,
        "new",
        batch.chunks.map(({ id }) => ({ id, embedding: Float32Array.of(9, 9), sketch: null })),
      ),
  ],
  renew: [false, (reembeddings, { reembedding }) => reembeddings.renew(reembedding, Duration.minutes(9))],
  finish: [false, (reembeddings, { reembedding }) => reembeddings.finish(reembedding, "new")],
  release: [
    undefined,
    (reembeddings, { reembedding }) => reembeddings.release(reembedding, Duration.minutes(1), false),
  ],
}

const noUsage = {
  replies: 0,
  input_tokens: 0,
  output_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  total_tokens: 0,
}

// The other methods serve all organizations.
const usageCases: Cases<Usage["Service"], "read"> = {
  read: [
    { rows: [], count: 0, total: noUsage },
    (usage, { chatbot }) =>
      usage.read({ from: "2000-01-01", to: today(), groups: ["chatbot"], reach: [chatbot], page }),
  ],
}

const budgetCases: Cases<Budgets["Service"], "release"> = {
  release: [undefined, (budgets, { apiKeyId, reservation }) => budgets.release(reservationOf(reservation, apiKeyId))],
}

const answer = { status: 200, answer: Buffer.from("forged"), session: undefined }

// The other methods serve all organizations, or take no row.
const idempotencyCases: Cases<IdempotencyKeys["Service"], "claim" | "complete" | "forget" | "release"> = {
  claim: [
    undefined,
    (keys, { keyed }) =>
      // What is nobody's yet is claimed for the organization that asks.
      Effect.map(keys.claim(claimOf({ ...keyed, lease: crypto.randomUUID() })), (outcome) =>
        outcome?.is_claimed === true ? undefined : outcome,
      ),
  ],
  complete: [false, (keys, { keyed }) => keys.complete("tenant", keyed, answer)],
  forget: [undefined, (keys, { keyed }) => keys.forget(keyed)],
  release: [undefined, (keys, { keyed }) => keys.release(keyed)],
}

const erasureCases: Cases<Erasures["Service"]> = {
  erase: [
    { conversations: 0, messages: 0 },
    (erasures, { chatbot }) => erasures.erase({ by: "email", name: "A@b.example" }, [chatbot]),
  ],
}

const webhookCases: Cases<Webhooks["Service"], "get" | "list" | "modify" | "remove" | "rotate" | "signTest"> = {
  get: (webhooks, { webhook }) => webhooks.get(webhook, null),
  list: [[], (webhooks, { chatbot }) => webhooks.list([chatbot])],
  modify: (webhooks, { webhook }) => webhooks.modify(webhook, null, Effect.succeed),
  remove: (webhooks, { webhook }) => webhooks.remove(webhook, null),
  rotate: (webhooks, { webhook }) => webhooks.rotate(webhook, null, Redacted.make("other"), Duration.hours(1)),
  signTest: (webhooks, { webhook }) => Effect.asVoid(webhooks.signTest(webhook, null)),
}

const deliveryCases: Cases<WebhookDeliveries["Service"]> = {
  list: [
    [],
    (deliveries, { webhook }) =>
      Effect.map(
        deliveries.list(webhook, { state: undefined, type: undefined, types: WebhookEventType.literals }, everything),
        ({ items }) => items,
      ),
  ],
  resend: (deliveries, { delivery, webhook }) => deliveries.resend(webhook, delivery, WebhookEventType.literals),
  resendFailed: [
    0,
    (deliveries, { webhook }) => deliveries.resendFailed(webhook, new Date(0), WebhookEventType.literals),
  ],
  waitingTypes: [[], (deliveries, { webhook }) => deliveries.waitingTypes(webhook)],
}

// The other methods serve all organizations.
const webhookQueueCases: Cases<WebhookQueue["Service"], "find" | "forget" | "release" | "settle" | "switchOff"> = {
  find: [undefined, (queue, { sending }) => Effect.map(queue.find(sending, 10), (found) => found?.url)],
  forget: [undefined, (queue, { sending }) => queue.forget(sending)],
  release: [undefined, (queue, { sending }) => queue.release(sending, Duration.zero, true)],
  settle: [
    undefined,
    (queue, { sending }) =>
      queue.settle(
        sending,
        { is_delivered: false, response_status: 500, response: null, error: null, duration_ms: 1 },
        undefined,
      ),
  ],
  switchOff: [undefined, (queue, { webhook }) => queue.switchOff(webhook, "gone")],
}

// The other methods serve the operator, and all organizations.
const auditCases: Cases<AuditLog["Service"], "list"> = {
  list: [
    [],
    (log, { chatbot }) => {
      const filter = { action: undefined, apiKey: undefined, target: chatbot, from: undefined, to: undefined }
      return Effect.map(log.list(filter, everything), ({ items }) => items)
    },
  ],
}

// The other methods serve all organizations.
const topicRunCases: Cases<TopicRuns["Service"], "get" | "ids" | "questions" | "store"> = {
  ids: [[], (runs, { chatbot }) => runs.ids(chatbot, 10)],
  get: [[], (runs, { topic }) => runs.get([topic])],
  questions: [[], (runs, { chatbot }) => runs.questions(chatbot, 10)],
  store: [
    false,
    (runs, { chatbot, organization, reply, topic }) =>
      runs.store(
        { chatbot_id: chatbot, organization_id: organization, run_id: topic },
        {
          topics: [{ id: topic, name: "Other", centre: { size: 1, terms: [] } }],
          assigned: new Map([[reply, topic]]),
        },
      ),
  ],
}

const days = { from: "2000-01-01", to: "9999-12-31" }
const hello = { shortcut: "hello", content: "Hello!" }

const cannedAnswerCases: Cases<CannedAnswers["Service"]> = {
  list: [[], (answers, { chatbot }) => answers.list(chatbot)],
  insert: (answers, { chatbot }) => answers.insert(chatbot, CannedAnswerId.make(crypto.randomUUID()), hello),
  update: (answers, { cannedAnswer, chatbot }) => answers.update(chatbot, cannedAnswer, hello),
  remove: (answers, { cannedAnswer, chatbot }) => answers.remove(chatbot, cannedAnswer),
}

const attachmentCases: Cases<Attachments["Service"], "add" | "sentIn"> = {
  add: (attachments, { chatbot }) => {
    const id = AttachmentId.make(crypto.randomUUID())
    const file = { name: "me.png", media_type: "image/png", size: 1, url: "", secret: "s", visitor: undefined }
    return attachments.add(chatbot, { ...file, id, blob_key: `attachments/${id}` })
  },
  sentIn: [[], (attachments, { session }) => attachments.sentIn(session)],
}

const providerCases: Cases<SignInProviders["Service"], "get" | "list" | "modify" | "remove"> = {
  list: [
    [],
    (providers, { signInProvider }) =>
      Effect.map(providers.list, (all) => all.filter(({ id }) => id === signInProvider)),
  ],
  get: (providers, { signInProvider }) => providers.get(signInProvider),
  modify: (providers, { signInProvider }) =>
    providers.modify(signInProvider, () => Effect.succeed([{ ...someProvider, name: "Changed" }, undefined] as const)),
  remove: (providers, { signInProvider }) => providers.remove(signInProvider),
}

const connectionCases: Cases<ModelConnections["Service"], "get" | "list" | "opened" | "remove" | "replaceKey"> = {
  list: [
    [],
    (connections, { modelConnection }) =>
      Effect.map(connections.list, (all) => all.filter(({ id }) => id === modelConnection)),
  ],
  opened: [
    [],
    (connections, { modelConnection }) =>
      Effect.map(connections.opened, (all) => all.filter(({ id }) => id === modelConnection)),
  ],
  get: (connections, { modelConnection }) => connections.get(modelConnection),
  replaceKey: (connections, { modelConnection }) =>
    connections.replaceKey(modelConnection, () => Effect.succeed("other")),
  remove: (connections, { modelConnection }) => connections.remove(modelConnection),
}

const peopleCases: Cases<People["Service"], "colleagues"> = {
  colleagues: [[], (people, { chatbot }) => people.colleagues([chatbot])],
}

const topicCases: Cases<Topics["Service"]> = {
  list: [
    { topics: [], total: 0 },
    (topics, { chatbot }) => topics.list(chatbot, { ...days, onlyGaps: true, state: undefined }, page),
  ],
  ungrouped: [0, (topics, { chatbot }) => topics.ungrouped(chatbot)],
  weeks: [new Map(), (topics, { topic }) => topics.weeks([topic], days)],
  tests: [new Map(), (topics, { chatbot, topic }) => topics.tests(chatbot, [topic])],
  examples: [new Map(), (topics, { topic }) => topics.examples([topic], false)],
  questions: (topics, { chatbot, topic }) => topics.questions(chatbot, topic, false, page),
  update: (topics, { chatbot, topic }) => topics.update(chatbot, topic, { name: "Other" }),
  asked: [[], (topics, { chatbot }) => topics.asked(chatbot, "2000-01-01")],
  written: [{ passages: [], questions: [] }, (topics, { chatbot }) => topics.written(chatbot)],
}

/** Names each call, and makes its outcome comparable: the value, or the name of the failure. */
const named = <S, Methods extends keyof S>(
  name: string,
  service: Effect.Effect<S, never, Services>,
  cases: Cases<S, Methods>,
) =>
  Object.entries<Cases<S, Methods>[Methods]>(cases).map(([method, given]) => {
    const [nothing, call] = typeof given === "function" ? ["NotFound", given] : given
    return {
      name: `${name}.${method}`,
      nothing,
      outcome: (target: Tenant) =>
        Effect.match(
          Effect.flatMap(service, (methods) => call(methods, target)),
          {
            onSuccess: (value) => value,
            onFailure: (error): unknown => error._tag,
          },
        ),
    }
  })

/** A call of every method, and its outcome for an organization that must not see the rows of its target. */
export const tenantCalls = [
  ...named("Chatbots", Chatbots, chatbotCases),
  ...named("ChatbotTools", ChatbotTools, toolCases),
  ...named("Tests", Tests, testCases),
  ...named("TestPlans", TestPlans, testPlanCases),
  ...named("TestRuns", TestRuns, testRunCases),
  ...named("Attachments", Attachments, attachmentCases),
  ...named("CannedAnswers", CannedAnswers, cannedAnswerCases),
  ...named("People", People, peopleCases),
  ...named("SignInProviders", SignInProviders, providerCases),
  ...named("ModelConnections", ModelConnections, connectionCases),
  ...named("Documents", Documents, documentCases),
  ...named("Sources", Sources, sourceCases),
  ...named("SourceRuns", SourceRuns, sourceRunCases),
  ...named("SourcePages", SourcePages, sourcePageCases),
  ...named("Conversations", Conversations, conversationCases),
  ...named("Inbox", Inbox, inboxCases),
  ...named("Presences", Presences, presenceCases),
  ...named("ConversationLists", ConversationLists, conversationListCases),
  ...named("ConversationSums", ConversationSums, conversationSumCases),
  ...named("OrganizationChanges", OrganizationChanges, changesCases),
  ...named("Passages", Passages, passageCases),
  ...named("TopicRuns", TopicRuns, topicRunCases),
  ...named("Topics", Topics, topicCases),
  ...named("Totals", Totals, totalsCases),
  ...named("ChatbotCopies", ChatbotCopies, copyCases),
  ...named("Messages", Messages, messageCases),
  ...named("Replies", Replies, replyCases),
  ...named("VisitorConversations", VisitorConversations, visitorCases),
  ...named("VisitorHandovers", VisitorHandovers, visitorHandoverCases),
  ...named("Chunks", Chunks, chunkCases),
  ...named("IdempotencyKeys", IdempotencyKeys, idempotencyCases),
  ...named("Ingestions", Ingestions, ingestionCases),
  ...named("Usage", Usage, usageCases),
  ...named("Budgets", Budgets, budgetCases),
  ...named("Erasures", Erasures, erasureCases),
  ...named("AuditLog", AuditLog, auditCases),
  ...named("Webhooks", Webhooks, webhookCases),
  ...named("WebhookDeliveries", WebhookDeliveries, deliveryCases),
  ...named("WebhookQueue", WebhookQueue, webhookQueueCases),
  ...named("Reembeddings", Reembeddings, reembeddingCases),
]
