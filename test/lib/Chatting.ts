import { Duration, Effect, Layer } from "effect"
import type { AgentInput } from "../../src/agent/Agent.ts"
import { emitted } from "../../src/agent/AgentEvent.ts"
import type { Caller } from "../../src/domain/Caller.ts"
import type { Settings } from "../../src/domain/chatbot/Chatbot.ts"
import type { ChatTurn, Step } from "../../src/domain/chat/Chat.ts"
import { ChunkId } from "../../src/domain/knowledge/Chunk.ts"
import { SafeFetch } from "../../src/outbound/SafeFetch.ts"
import { ProviderFailed } from "../../src/domain/Errors.ts"
import { type ChatbotId, DocumentId, type OrganizationId } from "../../src/domain/Ids.ts"
import { noPrivateNetworks } from "../../src/outbound/PrivateNetworks.ts"
import { timestamp } from "../../src/domain/schema/Timestamp.ts"
import type { ModelCost } from "../../src/domain/organizations/Usage.ts"
import { Retriever } from "../../src/knowledge/Retriever.ts"
import { Budgets, type BudgetSettings } from "../../src/admission/Budgets.ts"
import { noLimits } from "../../src/domain/organizations/Budget.ts"
import { Chat } from "../../src/services/conversations/Chat.ts"
import { RepliesUnderWay } from "../../src/services/conversations/RepliesUnderWay.ts"
import type { ChatRequest } from "../../src/services/conversations/ChatHistory.ts"
import { Chatbots } from "../../src/storage/chatbots/Chatbots.ts"
import { Messages } from "../../src/storage/conversations/Messages.ts"
import {
  AgentControl,
  memoryBlobs,
  platform,
  quiet,
  replyOf,
  scriptedAgent,
  storage,
  unlimitedShares,
} from "./Layers.ts"
import { as, asCaller, makeTenant, sessionNamed } from "./Tenants.ts"

/*
 * Chats with a scripted agent, and the messages that are stored of them.
 */

/** The most stored messages that a model is sent. */
const HISTORY_LIMIT = 6
/** The most tokens that a model is sent. A token is estimated as three bytes. */
export const PROMPT_TOKENS = 1_000

/** A retriever that finds one passage: the id of the chatbot as its title, and the query as its content. */
const echoingRetriever = Layer.succeed(Retriever, {
  search: ({ chatbotId, query }) =>
    Effect.succeed({
      threshold: 0,
      synonyms: [],
      hits: [
        {
          chunkId: ChunkId.make(crypto.randomUUID()),
          documentId: DocumentId.make(crypto.randomUUID()),
          ordinal: 1,
          revision: 3,
          title: chatbotId,
          headings: [],
          content: query,
          page: null,
          url: null,
          isApproved: false,
          similarity: 1,
          scores: { lexical: 1, vector: null, fused: 1 },
        },
      ],
    }),
})

/** The interval at which unfinished replies are stored. */
const CHECKPOINT = Duration.millis(100)

/** Calls no server: every name resolves to no address. */
const noFetch = SafeFetch.layer({ allowed: noPrivateNetworks, resolve: () => Effect.succeed([]) })

/** The most tokens of an answer, as budgets count it. */
export const OUTPUT_MAX = 10

/** The settings of budgets without any default limit. */
export const budgetSettings: BudgetSettings = {
  key: noLimits,
  outputMax: OUTPUT_MAX,
  replyDeadline: Duration.minutes(2),
}

/** The chat service over the real storage. */
export const chatLayer = Chat.layer({
  historyLimit: HISTORY_LIMIT,
  promptTokensMax: PROMPT_TOKENS,
  groundDays: 90,
  sessionTokens: "any",
}).pipe(
  Layer.provide([
    Budgets.layer(budgetSettings),
    unlimitedShares,
    RepliesUnderWay.layerWith({ interval: CHECKPOINT, lease: Duration.minutes(5) }),
  ]),
  Layer.provideMerge(Layer.mergeAll(storage, platform, quiet, scriptedAgent, echoingRetriever, noFetch, memoryBlobs)),
)

export const echo = ({ history }: AgentInput) => Effect.succeed(replyOf(`Echo: ${history.at(-1)?.content}`))

/** Makes the agent echo again, and forgets the requests that it got. */
export const reset = Effect.map(AgentControl, (agent) => {
  agent.reply = echo
  agent.asked.length = 0
})

export interface Tenant {
  readonly organization: OrganizationId
  readonly chatbot: ChatbotId
}

export const makeTenantWith = Effect.fnUntraced(function* (settings: Partial<Settings>) {
  const tenant = yield* makeTenant
  yield* as(tenant.organization)(
    (yield* Chatbots).modify(tenant.chatbot, (row) => Effect.succeed({ settings: { ...row.settings, ...settings } })),
  )
  return tenant
})

export const user = (content: string): ChatTurn => ({ role: "user", content })
export const bot = (content: string): ChatTurn => ({ role: "assistant", content })

export const chat = (
  { organization, chatbot }: Tenant,
  messages: ChatRequest["messages"],
  sessionToken?: string,
  caller?: Partial<Caller["Service"]>,
) =>
  Chat.use(({ reply }) => asCaller(organization, caller)(reply(chatbot, { messages, platform: "web", sessionToken })))
export const say = (tenant: Tenant, content: string, sessionToken?: string, caller?: Partial<Caller["Service"]>) =>
  chat(tenant, [user(content)], sessionToken, caller)

export const stored = ({ organization, chatbot }: Tenant, session: string) =>
  Messages.use((messages) =>
    Effect.map(
      as(organization)(messages.page(chatbot, sessionNamed(session), { page: 1, limit: 100 })),
      ({ messages }) => messages,
    ),
  )
export const contents = (tenant: Tenant, session: string) =>
  Effect.map(stored(tenant, session), (messages) => messages.map(({ content }) => content))
/** The messages of the last request to the agent. */
export const shown = Effect.map(AgentControl, ({ asked }) => asked.at(-1)?.history.map(({ content }) => content))

export const stepOf = (text: string): Step => ({
  stepType: "initial",
  finishReason: "tool-calls",
  isContinued: false,
  text,
  toolCalls: [{ type: "tool-call", toolCallId: "1", toolName: "searchKnowledgeBase", args: { query: "q" } }],
  toolResults: [],
  warnings: [],
  usage: { promptTokens: 3, completionTokens: 4, totalTokens: 7 },
  experimental_providerMetadata: {},
  request: { body: "" },
  response: { id: "", modelId: "", timestamp: timestamp(new Date(0)), headers: {}, messages: [] },
})

/** The cost of a step of `stepOf`, with all four kinds of tokens. */
export const stepCost: ModelCost = {
  model: "scripted-1",
  provider: "scripted",
  tokens: { input: 3, output: 4, cacheRead: 5, cacheWrite: 6 },
}

/** Tells of a step with this text, as an agent does. */
export const tellStep = ({ emit }: AgentInput, text: string, cost = stepCost) =>
  emitted(emit, { type: "step-made", step: stepOf(text), cost })

export const failed = new ProviderFailed({ detail: "The model provider failed to answer." })
