import { Context, Effect, identity, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { IMAGE_TOKENS, PROMPT_IMAGES_MAX_COUNT } from "../../domain/chat/Attachment.ts"
import { askedIn } from "../../agent/Asked.ts"
import { emitted, emitTo, textEvents } from "../../agent/AgentEvent.ts"
import { ChatbotAgent } from "../../agent/ChatbotAgent.ts"
import { SearchRecorder } from "../../agent/SearchRecorder.ts"
import { makeReplyJudge } from "../../agent/ReplyJudge.ts"
import { Caller, ensureServesNamed } from "../../domain/Caller.ts"
import { emailGateModel, emailRequest } from "./EmailGate.ts"
import { RULES_PROVIDER } from "../../domain/chat/WrittenBy.ts"
import { isGuessable, readsConversations, sessionOfVisitor, sessionToContinue } from "../../domain/chat/SessionToken.ts"
import type { InvalidRequest, NotFound, Unavailable } from "../../domain/Errors.ts"
import { type ChatbotId, MessageId, SessionId } from "../../domain/Ids.ts"
import type { CurrentOrganization } from "../../domain/Tenancy.ts"
import { bytesOfTokens } from "../../domain/chat/Tokens.ts"
import { type ChatbotRow, Chatbots } from "../../storage/chatbots/Chatbots.ts"
import { setupOf } from "../../storage/chatbots/ChatbotSetups.ts"
import { Conversations } from "../../storage/conversations/Conversations.ts"
import { sessionNotFound } from "../../storage/conversations/Messages.ts"
import type { ReplyGround } from "../../storage/conversations/ReplyGrounds.ts"
import { Quotas } from "../../storage/organizations/Quotas.ts"
import { Budgets } from "../../admission/Budgets.ts"
import { admitted, ensureActive, tokenTooShort } from "./ChatAdmission.ts"
import {
  aboutChat,
  answerOf,
  type ChatEmit,
  type Followed,
  handedOver,
  leftToPeople,
  measuredChat,
  noCost,
  withoutInternals,
  withoutModel,
} from "./ChatAnswer.ts"
import {
  type ChatContext,
  type ChatRequest,
  contextOf,
  conversationOf,
  emailGateOf,
  hasFiles,
  historyBoundsOf,
  noFiles,
  promptTextsOf,
} from "./ChatHistory.ts"
import { languageShownIn } from "../../language/Detection.ts"
import { spokenLanguageOf } from "../../language/Locales.ts"
import { bounded, MESSAGE_MAX_LENGTH } from "../../text/BoundedText.ts"
import { unguessableUuid } from "../../system/UnguessableId.ts"
import { makeHandoverCause } from "./HandoverCause.ts"
import { PromptFiles } from "./PromptFiles.ts"
import { ReplyStorage } from "./ReplyStorage.ts"
import { Shares } from "../../admission/Shares.ts"

/** Most stored messages in the prompt of a model; a prompt of as many tokens as usual holds fewer. */
const HISTORY_MAX_COUNT = 100

export interface ChatSettings {
  /** Most stored messages in the prompt of a model. */
  readonly historyLimit?: number
  /** Most tokens in the prompt of a model. Older messages that would exceed it are not read from the database. */
  readonly promptTokensMax: number
  /** Days for which is kept what replies rested on; 0 for not at all. */
  readonly groundDays: number
  /** Whether session tokens that can be guessed are refused (`strict`), or only reported to the client (`any`). */
  readonly sessionTokens: "any" | "strict"
}

/** A chat that is admitted, and who follows it. */
interface AdmittedChat extends Followed, ReturnType<typeof admitted> {
  readonly chatbot: ChatbotRow
  readonly caller: Caller["Service"]
  readonly context: ChatContext
}

/** Conversations between users and chatbots. */
export class Chat extends Context.Service<Chat>()("parley/services/conversations/Chat", {
  make: (settings: ChatSettings) =>
    Effect.gen(function* () {
      const agent = yield* ChatbotAgent
      const budgets = yield* Budgets
      const shares = yield* Shares
      const quotas = yield* Quotas
      const files = yield* PromptFiles
      const replies = yield* ReplyStorage
      const chatbots = yield* Chatbots
      const conversations = yield* Conversations
      const random = yield* SecureRandom.SecureRandom

      const newMessageId = Effect.map(random.uuidV7(), (id) => MessageId.make(id))

      const promptBounds = {
        messages: settings.historyLimit ?? HISTORY_MAX_COUNT,
        bytes: bytesOfTokens(settings.promptTokensMax),
      }

      const newSessionId = Effect.map(unguessableUuid(random), (id) => SessionId.make(id))

      /** Finds the session that the request continues. */
      const findContext = (
        chatbot: ChatbotRow,
        caller: Caller["Service"],
        request: ChatRequest,
      ): Effect.Effect<ChatContext, InvalidRequest | NotFound | Unavailable, CurrentOrganization> => {
        const { attempt, sessionToken = attempt?.isResumed === true ? attempt.session : undefined, visitor } = request
        if (sessionToken === undefined) return Effect.succeed(contextOf(undefined, request))
        if (settings.sessionTokens === "strict" && isGuessable(sessionToken)) return Effect.fail(tokenTooShort)
        const name =
          visitor === undefined
            ? sessionToContinue(caller, sessionToken)
            : sessionOfVisitor(caller, visitor.id, sessionToken)
        return Effect.flatMap(
          conversations.find(chatbot.id, name, historyBoundsOf(request, promptBounds)),
          (session): Effect.Effect<ChatContext, NotFound> =>
            session === undefined && visitor?.conversation !== undefined
              ? Effect.fail(sessionNotFound)
              : Effect.succeed(contextOf(session, request)),
        )
      }

      /** Stores the new messages of the request, and returns the ids of their session and of the question, and who answers. */
      const receive = Effect.fnUntraced(function* (
        { caller: { apiKeyId }, chatbot, context: { fresh, question, session }, request }: AdmittedChat,
        gate: ReturnType<typeof emailGateOf>,
      ) {
        const handsOver = chatbot.settings.handover?.email === true && gate?.email !== undefined
        const token = session === undefined ? (request.sessionToken ?? null) : null
        const messages = yield* Effect.forEach(fresh, ({ attachments, role, content, id: mid }, index) =>
          Effect.map(newMessageId, (id) => ({
            id: index === fresh.length - 1 ? (request.attempt?.message ?? id) : id,
            sender_type: role === "user" ? ("user" as const) : ("bot" as const),
            content,
            mid,
            attachments,
          })),
        )
        const { id: sessionId, owner } = yield* conversations.append(
          chatbot.id,
          {
            id: session?.id ?? request.attempt?.session ?? (yield* newSessionId),
            token,
            tokenKey: token !== null && isGuessable(token) ? apiKeyId : null,
            platform: request.platform,
            visitor: request.visitor?.id,
            name: request.visitor?.name,
            page: request.visitor?.page,
            language: languageShownIn(bounded(request.messages.at(-1)?.content ?? "", MESSAGE_MAX_LENGTH)),
            isKnown: session !== undefined,
          },
          messages,
          gate,
          handsOver ? { reason: "email" } : undefined,
        )
        return { sessionId, owner, question: question ?? messages.at(-1)?.id }
      })

      const answerIn = Effect.fnUntraced(function* (chat: AdmittedChat) {
        const { caller, chatbot, context, emit, firstWord, notices, request } = chat
        const gate = emailGateOf(chatbot, context, request)
        const { owner, question, sessionId } = yield* receive(chat, gate)
        const { attempt } = request
        const isReader = readsConversations(caller)
        const ids = { session_id: sessionId, message_id: attempt?.reply ?? (yield* newMessageId), notices }
        const place = {
          id: ids.message_id,
          organization: chatbot.organization_id,
          session: sessionId,
          chatbotId: chatbot.id,
          apiKeyId: caller.apiKeyId,
          question,
          isStoredAlready: context.session?.history.some(({ id }) => id === ids.message_id) === true,
          isResumed: attempt?.isResumed === true,
          hasAllSteps: request.visitor !== undefined || request.spoken !== undefined,
          isSeen: emit !== undefined,
          firstWord,
        }
        yield* aboutChat(chatbot.id, sessionId)
        yield* emitted(emit, { type: "start", ...ids })

        const leave = Effect.as(emitted(emit, { type: "handover" }), { ...ids, ...leftToPeople })
        if (owner === "people") return yield* leave

        if (gate?.isAsking === true) {
          const output = emailRequest(
            request.messages.at(-1)?.content ?? "",
            spokenLanguageOf(chatbot.chat_widget_config.language),
          )
          const stored = yield* replies.store(place, {
            ...noCost,
            content: output,
            model: emailGateModel,
            provider: RULES_PROVIDER,
            finish_reason: "stop",
            unanswered: false,
          })
          if (stored?.owner === "people") return yield* leave
          yield* Effect.forEach(textEvents(output), (event) => emitted(emit, event), { discard: true })
          return { ...ids, ...withoutModel, output }
        }

        const judge = makeReplyJudge(chatbot.settings.isToolEnabled)
        const recorder = new SearchRecorder()
        const byMessage = hasFiles(context, request) ? yield* files.of(sessionId) : noFiles.byMessage
        const ofQuestion = (question && byMessage.get(question)) ?? []
        const history = conversationOf(chatbot, context.history, request, { byMessage, ofQuestion })
        const ground = (): ReplyGround => {
          const { searches, similarity } = recorder
          return {
            chatbotId: chatbot.id,
            question: searches.length === 0 ? null : askedIn(history, chatbot.name).texts[0].text,
            similarity,
            kept: settings.groundDays === 0 ? undefined : { searches, setup: setupOf(chatbot) },
          }
        }
        const handover = makeHandoverCause(chatbot)
        const { isHandedOver, reply } = yield* replies
          .recorded(
            { ...place, ground, handover: handover.of },
            (record) =>
              agent.reply(chatbot, {
                offersHuman: true,
                application: request.instructions ?? "",
                isSpoken: request.spoken !== undefined,
                bounds: request.spoken,
                history,
                emit: emitTo(emit, record, judge.fold, recorder.fold, handover.fold),
                isStreamed: emit !== undefined,
                showsRequests: request.showsRequests,
                // A visitor has no such scope, and of a call everything is said aloud.
                explainsFailures: isReader && request.visitor === undefined && request.spoken === undefined,
              }),
            judge.isUnanswered,
          )
          .pipe(Effect.annotateLogs({ chatbot_id: chatbot.id, conversation_id: sessionId }))
        if (reply === undefined) return yield* leave
        const answer = { ...ids, ...answerOf(reply, isReader ? identity : withoutInternals) }
        if (!isHandedOver) return answer
        yield* emitted(emit, { type: "handover" })
        return { ...answer, ...handedOver }
      })

      const answer = Effect.fnUntraced(function* (chatbot: ChatbotRow, asked: ChatRequest, followed: Followed) {
        const caller = yield* Caller
        yield* ensureActive(chatbot)
        const taken = admitted(chatbot, caller, asked)
        const { request } = taken
        const context = yield* findContext(chatbot, caller, request)
        // The quota and the budget are checked first, so that the messages of a refused chat are not stored.
        if (context.session === undefined) yield* quotas.ensureConversation
        const images = hasFiles(context, request) ? PROMPT_IMAGES_MAX_COUNT * IMAGE_TOKENS : 0
        const within = budgets.within(() => promptTextsOf(chatbot, context.history, request), images)
        return yield* within(answerIn({ ...followed, ...taken, chatbot, caller, context }))
      })

      const replyOf = <E>(
        found: Effect.Effect<ChatbotRow, E | NotFound | Unavailable, Caller | CurrentOrganization>,
        request: ChatRequest,
        emit?: ChatEmit,
      ) =>
        measuredChat(emit, (followed) => {
          const withinShare = shares.within(emit === undefined ? "chats" : "streams")
          return withinShare(Effect.flatMap(found, (row) => answer(row, request, followed)))
        })

      return {
        /**
         * Answers the last message of the request. The message is stored before the model is called, and the reply when
         * it is complete, or as far as it got if the model fails or the client disconnects. With `emit` the reply is
         * streamed. The steps do not show the requests to the model to a caller who may not read conversations. A
         * guessable session token continues only a conversation that the caller's key opened; with the setting `strict`
         * it is an `InvalidRequest`. A visitor of the chat widget continues its own conversations only.
         */
        reply: (chatbot: ChatbotId, request: ChatRequest, emit?: ChatEmit) =>
          replyOf(chatbots.get(chatbot), request, emit),

        /**
         * Like `reply`, for the chatbot with this id or slug. Fails with `Forbidden` if the caller's key does not serve
         * it.
         */
        replyAs: (name: string, request: ChatRequest, emit?: ChatEmit) =>
          replyOf(ensureServesNamed(chatbots.named(name)), request, emit),
      }
    }),
}) {
  static readonly layer = (settings: ChatSettings) =>
    Layer.effect(this, this.make(settings)).pipe(
      Layer.provide([ReplyStorage.layer, ChatbotAgent.layer, PromptFiles.layer]),
    )
}

/** The ways in which a reply fails. */
export type ChatFailure = Effect.Error<ReturnType<Chat["Service"]["reply"]>>
