import { Context, Effect, Exit, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import type { AgentReply } from "../../agent/Agent.ts"
import type { Unsupported } from "../../domain/chat/Grounding.ts"
import { MessageId } from "../../domain/Ids.ts"
import { costsByModel, type ModelCost } from "../../domain/organizations/Usage.ts"
import { Conversations } from "../../storage/conversations/Conversations.ts"
import type { BotMessage } from "../../storage/conversations/ConversationWrites.ts"
import type { ReplyGround } from "../../storage/conversations/ReplyGrounds.ts"
import type { ReplyUnderWay } from "../../storage/conversations/UnfinishedReplies.ts"
import { Usage } from "../../storage/usage/Usage.ts"
import { costOf, textOf } from "./ChatAnswer.ts"
import { Checkpoints } from "./Checkpoints.ts"
import { ReplyRecorder } from "./ReplyRecorder.ts"

/** The key and the chatbot that the usage of a reply counts for. */
type Payer = Pick<ReplyUnderWay, "apiKeyId" | "chatbotId">

/** A reply that is to be stored, and what its usage counts for. */
export interface ReplyPlace extends ReplyUnderWay {
  /** Whether an earlier attempt has stored it. It is replaced, and what that attempt has used stays counted. */
  readonly isStoredAlready: boolean
  /** Whether an earlier attempt may have left it unfinished. */
  readonly isResumed: boolean
  /** Whether the text is that of all steps: a visitor finds what it has seen, also before the model called a tool. */
  readonly hasAllSteps: boolean
  /** Returns the milliseconds from the message to the first word that was streamed; undefined before it. */
  readonly firstWord: () => number | undefined
  /** Returns what the reply rests on, as far as it is known; undefined where the chatbot's agent does not make it. */
  readonly ground?: () => ReplyGround
}

/** Sentences of an output that begins later in the content that is stored. */
const movedBy = (distance: number, unsupported: ReadonlyArray<Unsupported>): ReadonlyArray<Unsupported> =>
  unsupported.map(({ end, start, ...rest }) => ({ ...rest, start: start + distance, end: end + distance }))

/** Stores the replies of chats, whole or as far as they got, and counts what they have used. */
export class ReplyStorage extends Context.Service<ReplyStorage>()("parley/services/conversations/ReplyStorage", {
  make: Effect.gen(function* () {
    const conversations = yield* Conversations
    const checkpoints = yield* Checkpoints
    const usage = yield* Usage
    const random = yield* SecureRandom.SecureRandom

    const usageOf = ({ apiKeyId, chatbotId }: Payer, costs: ReadonlyArray<ModelCost>) => ({
      apiKeyId,
      chatbotId,
      costs: costsByModel(costs),
    })

    /** Counts usage apart from the reply, under an id of its own. */
    const countApart = (payer: Payer, costs: ReadonlyArray<ModelCost>) =>
      Effect.flatMap(random.uuidV7(), (id) => usage.add(MessageId.make(id), usageOf(payer, costs)))

    const store = (
      place: ReplyPlace,
      message: Omit<BotMessage, "id">,
      costs?: ReadonlyArray<ModelCost>,
      isUnfinished = false,
    ) =>
      Effect.andThen(
        costs !== undefined && place.isStoredAlready ? countApart(place, costs) : Effect.void,
        conversations.reply(
          place.session,
          { id: place.id, firstWord: place.firstWord(), ground: place.ground?.(), ...message },
          costs && usageOf(place, costs),
          isUnfinished || place.isResumed,
        ),
      )

    return {
      /** Runs what makes a reply that is not stored, and counts what it has used, also if it fails. */
      counted: <E, R>(
        payer: Payer,
        make: (callbacks: ReplyRecorder["callbacks"]) => Effect.Effect<AgentReply, E, R>,
      ) => {
        const recorder = new ReplyRecorder()
        return Effect.onExit(make(recorder.callbacks), () => {
          const { costs } = recorder.progress
          return costs.length > 0 ? countApart(payer, costs) : Effect.void
        })
      },

      /** Stores a reply that no model has made. */
      store: (place: ReplyPlace, message: Omit<BotMessage, "id">) => store(place, message),

      /**
       * Runs what makes a reply, and stores the reply when it is complete, or as far as it got. Meanwhile it is stored
       * every few seconds. `judge` returns whether a complete reply is no answer.
       */
      recorded: <E, R>(
        place: ReplyPlace,
        make: (callbacks: ReplyRecorder["callbacks"]) => Effect.Effect<AgentReply, E, R>,
        judge: (reply: AgentReply) => boolean,
      ) => {
        const recorder = new ReplyRecorder()
        return Effect.acquireUseRelease(
          Effect.sync(() => checkpoints.watch(place, () => recorder.draft)),
          () => make(recorder.callbacks),
          // The release is uninterruptible, so the reply is stored even if the client disconnects at this moment.
          (watch, exit) =>
            Effect.flatMap(watch.end, (isUnfinished) => {
              if (Exit.isSuccess(exit)) {
                const { costs, finishReason, output, steps, unsupported: inOutput } = exit.value
                const content = place.hasAllSteps ? textOf(steps) : output
                const unanswered = judge(exit.value)
                const unsupported = movedBy(content.length - output.length, inOutput)
                const message = {
                  ...costOf(exit.value),
                  content,
                  finish_reason: finishReason,
                  unanswered,
                  unsupported,
                }
                return store(place, message, costs, isUnfinished)
              }
              const { costs, steps } = recorder.progress
              const finish_reason = Exit.hasInterrupts(exit) ? "aborted" : "error"
              const unanswered = finish_reason === "error"
              if (steps.length > 0) {
                const message = { ...costOf(recorder.progress), content: textOf(steps), finish_reason, unanswered }
                return Effect.ignore(store(place, message, costs, isUnfinished))
              }
              return Effect.andThen(
                unanswered ? Effect.ignore(conversations.failed(place.session)) : Effect.void,
                // A call that produced no text still counts as usage.
                costs.length > 0 ? Effect.ignore(countApart(place, costs)) : Effect.void,
              )
            }),
        )
      },
    }
  }),
}) {
  static readonly layer = Layer.effect(this, this.make)
}
