import { Context, Effect, Exit, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { Agent } from "../agent/Agent.ts"
import { emitted } from "../agent/AgentEvent.ts"
import { httpTool } from "../agent/tools/HttpTool.ts"
import { SafeFetch } from "../outbound/SafeFetch.ts"
import type { Passage } from "../domain/Passage.ts"
import { toolSizes } from "../agent/tools/AgentTool.ts"
import { Caller, ensureServes } from "../domain/Caller.ts"
import { type EmailGate, emailGateModel, emailRequest } from "../domain/chat/EmailGate.ts"
import {
  type BudgetSpent,
  ChatbotInactive,
  type Forbidden,
  type NotFound,
  type ProviderFailed,
  type ProviderTimeout,
  type TooManyChats,
  type TooManyRequests,
  type Unavailable,
} from "../domain/Errors.ts"
import { type ChatbotId, MessageId, SessionId } from "../domain/Ids.ts"
import { CurrentOrganization } from "../domain/Tenancy.ts"
import { bytesOfTokens } from "../domain/chat/Tokens.ts"
import { costsByModel, type ModelCost } from "../domain/Usage.ts"
import { type Hit, Retriever } from "../knowledge/Retriever.ts"
import { type ChatbotRow, Chatbots } from "../storage/Chatbots.ts"
import { ChatbotTools } from "../storage/ChatbotTools.ts"
import { Conversations } from "../storage/Conversations.ts"
import type { BotMessage } from "../storage/ConversationWrites.ts"
import { Usage } from "../storage/Usage.ts"
import { Budgets } from "./Budgets.ts"
import { Checkpoints } from "./Checkpoints.ts"
import { type ChatAnswer, type ChatEmit, costOf, noCost, noSteps, saying, textOf } from "./ChatAnswer.ts"
import { type Before, beforeOf, boundsOf, type ChatRequest, conversationOf, gateOf, shownOf } from "./ChatHistory.ts"
import { Making } from "./Making.ts"

export interface ChatSettings {
  /** Stored messages that a model is shown, at most. */
  readonly historyLimit: number
  /** Tokens that a model is shown, at most: of what was said longer ago, nothing is read. */
  readonly promptTokensMax: number
}

type ChatFailure =
  | BudgetSpent
  | ChatbotInactive
  | NotFound
  | ProviderFailed
  | ProviderTimeout
  | TooManyChats
  | TooManyRequests
  | Unavailable

/** Passages that one tool call looks for. */
const PASSAGES_PER_SEARCH = 5

/** Conversations between users and chatbots. */
export class Chat extends Context.Service<
  Chat,
  {
    /**
     * Answers the last message. It is stored before the model is called; the reply is stored when it is there, and as
     * far as it got when the model fails or the client goes away. With `emit` the model is asked for a stream.
     */
    readonly reply: (
      chatbot: ChatbotId,
      request: ChatRequest,
      emit?: ChatEmit,
    ) => Effect.Effect<ChatAnswer, ChatFailure, Caller | CurrentOrganization>
    /** The same as the chatbot of this id or slug, if the caller's key serves it. */
    readonly replyAs: (
      name: string,
      request: ChatRequest,
      emit?: ChatEmit,
    ) => Effect.Effect<ChatAnswer, ChatFailure | Forbidden, Caller | CurrentOrganization>
  }
>()("parley/services/Chat") {
  static readonly layer = (settings: ChatSettings) =>
    Layer.effect(
      Chat,
      Effect.gen(function* () {
        const agent = yield* Agent
        const budgets = yield* Budgets
        const checkpoints = yield* Checkpoints
        const chatbots = yield* Chatbots
        const conversations = yield* Conversations
        const usage = yield* Usage
        const retriever = yield* Retriever
        const chatbotTools = yield* ChatbotTools
        const { fetch } = yield* SafeFetch
        const random = yield* SecureRandom.SecureRandom

        const newMessageId = Effect.map(random.uuidV7(), (id) => MessageId.make(id))

        const shown = { messages: settings.historyLimit, bytes: bytesOfTokens(settings.promptTokensMax) }

        /** The session that the request goes on with, if there is one, and what the request brings to it. */
        const find = (
          chatbot: ChatbotRow,
          request: ChatRequest,
        ): Effect.Effect<Before, Unavailable, CurrentOrganization> =>
          request.sessionToken === undefined
            ? Effect.succeed(beforeOf(undefined, request))
            : Effect.map(conversations.find(chatbot.id, request.sessionToken, boundsOf(request, shown)), (found) =>
                beforeOf(found, request),
              )

        /** Stores what is new of the request. */
        const receive = Effect.fnUntraced(function* (
          chatbot: ChatbotRow,
          { found, fresh }: Before,
          request: ChatRequest,
          gate: EmailGate | undefined,
        ) {
          return yield* conversations.append(
            chatbot.id,
            {
              id: found?.id ?? SessionId.make(yield* random.uuidV7()),
              token: found === undefined ? (request.sessionToken ?? null) : null,
              platform: request.platform,
            },
            yield* Effect.forEach(fresh, ({ role, content, id: mid }) =>
              Effect.map(newMessageId, (id) => ({
                id,
                sender_type: role === "user" ? ("user" as const) : ("bot" as const),
                content,
                mid,
              })),
            ),
            gate,
          )
        })

        /** Passages of this chatbot, and of no other. */
        const searchOf = (chatbot: ChatbotRow) => (query: string) =>
          retriever.search({ chatbotId: chatbot.id, query, topK: PASSAGES_PER_SEARCH }).pipe(
            Effect.map(({ hits }) => hits.map(toPassage)),
            // The chatbot was deleted while it was answering.
            Effect.catchTag("NotFound", () => Effect.succeed([])),
            Effect.provideService(CurrentOrganization, chatbot.organization_id),
          )

        /** Those that an operator declared for this chatbot; most have none, and ask nobody. */
        const toolsOf = ({ id, settings: { isToolEnabled }, tool_count }: ChatbotRow) =>
          tool_count === 0 || !isToolEnabled
            ? noTools
            : Effect.map(chatbotTools.list(id), (rows) =>
                rows.map((row) => httpTool(row, { fetch, resultMaxLength: toolSizes.resultMaxLength })),
              )

        const answerIn = Effect.fnUntraced(function* (
          chatbot: ChatbotRow,
          before: Before,
          request: ChatRequest,
          emit?: ChatEmit,
        ) {
          const { apiKeyId } = yield* Caller
          const gate = gateOf(chatbot, before, request)
          const sessionId = yield* receive(chatbot, before, request, gate)
          const ids = { session_id: sessionId, message_id: yield* newMessageId }
          const spentFor = (costs: ReadonlyArray<ModelCost>) => ({
            apiKeyId,
            chatbotId: chatbot.id,
            costs: costsByModel(costs),
          })
          const store = (message: Omit<BotMessage, "id">, costs?: ReadonlyArray<ModelCost>, isUnfinished?: boolean) =>
            conversations.reply(sessionId, { id: ids.message_id, ...message }, costs && spentFor(costs), isUnfinished)
          yield* emitted(emit, { type: "start", ...ids })

          if (gate?.isAsking === true) {
            const output = emailRequest(request.messages.at(-1)?.content ?? "")
            yield* store({
              ...noCost,
              content: output,
              model: emailGateModel,
              provider: "local",
              finish_reason: "stop",
            })
            yield* Effect.forEach(saying(output), (event) => emitted(emit, event), { discard: true })
            return { ...ids, ...noSteps, output }
          }

          const making = new Making()
          const watched = {
            id: ids.message_id,
            organization: chatbot.organization_id,
            session: sessionId,
            chatbotId: chatbot.id,
            apiKeyId,
          }
          const tools = yield* toolsOf(chatbot)
          const made = yield* Effect.acquireUseRelease(
            Effect.sync(() => checkpoints.watch(watched, () => making.draft)),
            () =>
              agent.reply({
                model: chatbot.settings.model,
                fallbackModels: chatbot.settings.fallbackModels,
                instructions: {
                  chatbotName: chatbot.name,
                  prompt: chatbot.settings.prompt,
                  personality: chatbot.personality_config,
                  application: request.instructions ?? "",
                },
                toolsEnabled: chatbot.settings.isToolEnabled,
                history: conversationOf(chatbot, before.history, request),
                search: searchOf(chatbot),
                tools,
                emit,
                ...making.told,
              }),
            // Whatever came of it is stored, even when the client leaves at this very moment.
            (watch, exit) =>
              Effect.flatMap(watch.end, (isUnfinished) => {
                if (Exit.isSuccess(exit)) {
                  const { costs, finishReason, output } = exit.value
                  const message = { ...costOf(exit.value), content: output, finish_reason: finishReason }
                  return store(message, costs, isUnfinished)
                }
                const { costs, steps } = making.progress
                const finish_reason = Exit.hasInterrupts(exit) ? "aborted" : "error"
                if (steps.length > 0) {
                  const message = { ...costOf(making.progress), content: textOf(steps), finish_reason }
                  return Effect.ignore(store(message, costs, isUnfinished))
                }
                // Also where nothing came of a model's work, it is counted.
                return costs.length > 0 ? Effect.ignore(usage.add(ids.message_id, spentFor(costs))) : Effect.void
              }),
          )
          return {
            ...ids,
            finish_reason: made.finishReason,
            output: made.output,
            sources: made.sources,
            steps: made.steps,
            tool_calls: made.toolCalls,
            tool_results: made.toolResults,
            tokens: made.tokens,
          }
        })

        const answer = (
          chatbot: ChatbotRow,
          request: ChatRequest,
          emit?: ChatEmit,
        ): Effect.Effect<ChatAnswer, ChatFailure, Caller | CurrentOrganization> =>
          chatbot.active
            ? Effect.flatMap(find(chatbot, request), (before) =>
                // Before anything is stored: what is refused has not been said.
                budgets.within(() => shownOf(chatbot, before.history, request))(
                  answerIn(chatbot, before, request, emit),
                ),
              )
            : Effect.fail(inactive)

        return {
          reply: (chatbot, request, emit) => Effect.flatMap(chatbots.get(chatbot), (row) => answer(row, request, emit)),
          replyAs: (name, request, emit) =>
            Effect.flatMap(chatbots.named(name), (row) =>
              Effect.andThen(ensureServes(row.id), answer(row, request, emit)),
            ),
        }
      }),
    )
}

const inactive = new ChatbotInactive({
  detail: "This chatbot is not active: it does not answer until `active` is true again.",
})

const noTools = Effect.succeed([])

const toPassage = ({ documentId, title, ordinal, page, content, similarity }: Hit): Passage => ({
  documentId,
  title,
  chunk: ordinal,
  page,
  content,
  similarity,
})
