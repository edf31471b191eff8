import { Context, Effect, identity, Layer } from "effect"
import { Budgets } from "../../admission/Budgets.ts"
import { Shares } from "../../admission/Shares.ts"
import type { ChatTurn } from "../../domain/chat/Chat.ts"
import { readsConversations } from "../../domain/chat/SessionToken.ts"
import { Caller } from "../../domain/Caller.ts"
import { InvalidRequest } from "../../domain/Errors.ts"
import type { ChatbotId } from "../../domain/Ids.ts"
import { Models } from "../../models/Models.ts"
import { type ChatbotRow, Chatbots } from "../../storage/chatbots/Chatbots.ts"
import { ensureActive } from "./ChatAdmission.ts"
import { answerOf, type ChatEmit, measuredChat, withoutRequest } from "./ChatAnswer.ts"
import { emitTo } from "../../agent/AgentEvent.ts"
import { ChatbotAgent } from "../../agent/ChatbotAgent.ts"
import { ReplyStorage } from "./ReplyStorage.ts"

/** A conversation that a chatbot answers with other settings than its own. */
export interface TrialRequest {
  /** The conversation, whose last turn is the user's. */
  readonly messages: ReadonlyArray<ChatTurn>
  /** The instruction in place of the chatbot's own. */
  readonly prompt?: string | undefined
  /** The model in place of the chatbot's own and of its fallbacks. */
  readonly model?: string | undefined
}

/** A complete reply that is not stored. */
export type TrialAnswer = ReturnType<typeof answerOf>

/** Replies that show how a chatbot would answer, and of which nothing is stored but what they have used. */
export class Trials extends Context.Service<Trials>()("parley/services/conversations/Trials", {
  make: Effect.gen(function* () {
    const agent = yield* ChatbotAgent
    const budgets = yield* Budgets
    const chatbots = yield* Chatbots
    const models = yield* Models
    const replies = yield* ReplyStorage
    const shares = yield* Shares

    const answer = Effect.fnUntraced(function* (saved: ChatbotRow, request: TrialRequest, emit?: ChatEmit) {
      const caller = yield* Caller
      yield* ensureActive(saved)
      const { messages, model, prompt = saved.settings.prompt } = request
      if (model !== undefined)
        yield* Effect.mapError(models.check(model), ({ detail }) => InvalidRequest.at("model", detail))
      const other = model === undefined ? {} : { model, fallbackModels: [] }
      const chatbot = { ...saved, settings: { ...saved.settings, ...other, prompt } }
      const history = messages.filter(({ content }) => content !== "")
      const showsRequests = readsConversations(caller)
      const within = budgets.within(() => [prompt, ...history.map(({ content }) => content)])
      const payer = { apiKeyId: caller.apiKeyId, chatbotId: chatbot.id }
      const reply = yield* within(
        replies.counted(payer, (record) =>
          agent.reply(chatbot, {
            application: "",
            history,
            emit: emitTo(emit, record),
            isStreamed: emit !== undefined,
            showsRequests,
            explainsFailures: true,
          }),
        ),
      ).pipe(Effect.annotateLogs({ chatbot_id: chatbot.id }))
      return answerOf(reply, showsRequests ? identity : withoutRequest)
    })

    return {
      /**
       * Answers the last message of a conversation as the chatbot would with these settings. With `emit` the reply is
       * streamed. It is within the limits of a chat, and its tokens count.
       */
      reply: (chatbot: ChatbotId, request: TrialRequest, emit?: ChatEmit) =>
        measuredChat(emit, ({ emit }) => {
          const withinShare = shares.within(emit === undefined ? "chats" : "streams")
          return withinShare(Effect.flatMap(chatbots.get(chatbot), (saved) => answer(saved, request, emit)))
        }),
    }
  }),
}) {
  static readonly layer = Layer.effect(this, this.make).pipe(Layer.provide([ReplyStorage.layer, ChatbotAgent.layer]))
}
