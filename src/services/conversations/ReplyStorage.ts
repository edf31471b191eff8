import { Effect, Exit, Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import type { AgentReply } from "../../agent/Agent.ts"
import type { Fold, AgentEvent } from "../../agent/AgentEvent.ts"
import type { Unsupported } from "../../domain/chat/Grounding.ts"
import type { Unavailable } from "../../domain/Errors.ts"
import { MessageId } from "../../domain/Ids.ts"
import type { CurrentOrganization } from "../../domain/Tenancy.ts"
import { costsByModel, type ModelCost } from "../../domain/organizations/Usage.ts"
import { Service } from "../../domain/Service.ts"
import { Conversations } from "../../storage/conversations/Conversations.ts"
import type { BotMessage, HandoverCause, StoredReply } from "../../storage/conversations/ConversationWrites.ts"
import type { ReplyGround } from "../../storage/conversations/ReplyGrounds.ts"
import type { ReplyUnderWay, Draft } from "../../storage/conversations/UnfinishedReplies.ts"
import { Usage } from "../../storage/usage/Usage.ts"
import { costOf, textOf } from "./ChatAnswer.ts"
import { RepliesUnderWay, TakenOver } from "./RepliesUnderWay.ts"
import { afterEvent, noProgress, type Progress } from "../../agent/Progress.ts"
import type { Explanation } from "../../domain/Failure.ts"

/** Records a reply while the agent makes it, so that it can be stored before it is complete. */
class ReplyRecorder {
  /** The steps that are made. */
  progress: Progress = noProgress
  /** Why no model has answered, once that is so. */
  failure: Explanation | undefined

  readonly fold = (event: AgentEvent): void => {
    this.progress = afterEvent(this.progress, event)
    if (event.type === "unanswered") this.failure = event.explanation
  }

  /** The reply as it would be stored if it ended now; undefined while it has no text. */
  get draft(): Draft | undefined {
    const open = this.progress.open?.()
    const progress = open === undefined ? this.progress : afterEvent(this.progress, open)
    const content = textOf(progress.steps)
    return content === "" ? undefined : { ...costOf(progress), content, costs: costsByModel(progress.costs) }
  }
}

/** The key and the chatbot that the usage of a reply counts for. */
type Payer = Pick<ReplyUnderWay, "apiKeyId" | "chatbotId">

/** A reply that is to be stored, and what its usage counts for. */
export interface ReplyPlace extends ReplyUnderWay {
  /** The user's message that it answers; undefined where that is not known. */
  readonly question: MessageId | undefined
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
  /** Returns what makes the reply, once it is made, hand the conversation over to people; undefined for nothing. */
  readonly handover?: (isUnanswered: boolean) => HandoverCause | undefined
}

/** A reply that was made, and whether people answer in its conversation from now on. */
export interface Recorded {
  /** Undefined where people have taken the conversation over before the user has seen it. */
  readonly reply: AgentReply | undefined
  readonly isHandedOver: boolean
}

/** Sentences of an output that begins later in the content that is stored. */
const movedBy = (distance: number, unsupported: ReadonlyArray<Unsupported>): ReadonlyArray<Unsupported> =>
  unsupported.map(({ end, start, ...rest }) => ({ ...rest, start: start + distance, end: end + distance }))

const isTakenOver = Schema.is(TakenOver)

/** Stores the replies of chats, whole or as far as they got, and counts what they have used. */
export class ReplyStorage extends Service<ReplyStorage>()("parley/services/conversations/ReplyStorage", function* () {
  const conversations = yield* Conversations
  const underWay = yield* RepliesUnderWay
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
    message: Omit<BotMessage, "id" | "isSeen">,
    costs?: ReadonlyArray<ModelCost>,
    isUnfinished = false,
    isSeen = place.isSeen,
  ) =>
    Effect.andThen(
      costs !== undefined && place.isStoredAlready ? countApart(place, costs) : Effect.void,
      conversations.reply(
        place.session,
        { id: place.id, isSeen, firstWord: place.firstWord(), ground: place.ground?.(), ...message },
        costs && usageOf(place, costs),
        isUnfinished || place.isResumed,
        place.handover?.(message.unanswered),
      ),
    )

  return {
    /** Runs what makes a reply that is not stored, and counts what it has used, also if it fails. */
    counted: <E, R>(payer: Payer, make: (record: Fold) => Effect.Effect<AgentReply, E, R>) => {
      const recorder = new ReplyRecorder()
      return Effect.onExit(make(recorder.fold), () => {
        const { costs } = recorder.progress
        return costs.length > 0 ? countApart(payer, costs) : Effect.void
      })
    },

    /** Stores a reply that no model has made, and that nobody has seen yet. Returns who answers from now on. */
    store: (place: ReplyPlace, message: Omit<BotMessage, "id" | "isSeen">) =>
      store(place, message, undefined, false, false),

    /**
     * Runs what makes a reply, and stores the reply when it is complete, or as far as it got. Meanwhile it is stored
     * every few seconds. It stops when people take the conversation over. `judge` returns whether a complete reply is no
     * answer.
     */
    recorded: <E, R>(
      place: ReplyPlace,
      make: (record: Fold) => Effect.Effect<AgentReply, E, R>,
      judge: (reply: AgentReply) => boolean,
    ): Effect.Effect<Recorded, E | Unavailable, R | CurrentOrganization> => {
      const recorder = new ReplyRecorder()
      let stored: StoredReply | undefined
      const noting = (storing: Effect.Effect<StoredReply | undefined, Unavailable, CurrentOrganization>) =>
        Effect.map(storing, (now) => {
          stored = now
        })
      return Effect.acquireUseRelease(
        Effect.sync(() => underWay.watch(place, () => recorder.draft)),
        ({ taken }) => Effect.raceFirst(make(recorder.fold), taken),
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
              return noting(store(place, message, costs, isUnfinished))
            }
            const { failure } = recorder
            const { costs, steps } = recorder.progress
            const isTaken = Option.exists(Exit.findErrorOption(exit), isTakenOver)
            const finish_reason = isTaken || Exit.hasInterrupts(exit) ? "aborted" : "error"
            const unanswered = finish_reason === "error"
            if (steps.length > 0) {
              const message = {
                ...costOf(recorder.progress),
                content: textOf(steps),
                finish_reason,
                unanswered,
                failure,
              }
              return Effect.ignore(noting(store(place, message, costs, isUnfinished)))
            }
            return Effect.andThen(
              unanswered ? Effect.ignore(conversations.failed(place.session, place.question, failure)) : Effect.void,
              // A call that produced no text still counts as usage.
              costs.length > 0 ? Effect.ignore(countApart(place, costs)) : Effect.void,
            )
          }),
      ).pipe(
        Effect.map((reply): Recorded => ({
          reply: stored?.isStored === false ? undefined : reply,
          isHandedOver: stored?.owner === "people",
        })),
        Effect.catchIf(isTakenOver, () => Effect.succeed<Recorded>({ reply: undefined, isHandedOver: true })),
      )
    },
  }
}) {}
