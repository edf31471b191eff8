import { Cause, Context, Duration, Effect, Exit, Fiber, FiberSet, Result } from "effect"
import type { Caller } from "../../domain/Caller.ts"
import { Conflict, declarationOf, type Failure, InternalError, NotFound, Unavailable } from "../../domain/Errors.ts"
import type { MessageId, OrganizationId, SessionId } from "../../domain/Ids.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import type { WidgetEvent } from "../../domain/widget/Widget.ts"
import { Service } from "../../domain/Service.ts"
import { regularly } from "../../system/Background.ts"
import { currentMonotonicMillis } from "../../system/Monotonic.ts"
import type { ChatFailure } from "../conversations/Chat.ts"
import { ReplyLog } from "./ReplyLog.ts"
import { lastingContext } from "../LastingContext.ts"

/** Bounds of the replies that a process keeps in memory. */
export const LiveReplyBounds = Context.Reference("parley/services/widget/LiveReplyBounds", {
  defaultValue: () => ({
    /**
     * Time for which the events of a reply are kept after its end, so that a lost connection goes on where it stopped: as
     * long as a browser takes to find the network again.
     */
    keptFor: Duration.seconds(30) as Duration.Input,
    /** Most bytes that the events of all replies may take, roughly. Beyond it, some are read from the database again. */
    memory: 64 * 1024 * 1024,
  }),
})

/** The part of the memory that the replies of one organization may take. */
const ORGANIZATION_PART = 1 / 4
/** The bytes that a reply takes beside its events, roughly. */
const REPLY_OVERHEAD = 4_096
/** Time between two sweeps, which drop the replies whose time is over. */
const SWEEP_EVERY = Duration.seconds(1)

export type LiveReplyFailure = ChatFailure | Conflict

/** End of a reply: by the finish reason of its model, or because its visitor stopped it. */
export type ReplyEnd = Extract<WidgetEvent, { readonly type: "finish" | "stopped" }>

/** Message and visitor that a reply belongs to. */
export interface ReplyOwner {
  readonly id: MessageId
  readonly visitor: string
}

/** Makes a reply. It calls `emit` for each event but the last one, and `claim` before it changes a conversation. */
export type MakeReply = (reply: {
  readonly emit: (event: WidgetEvent) => void
  /** Fails while another reply of the visitor is being made in the conversation. */
  readonly claim: (conversation: SessionId) => Effect.Effect<void, Conflict>
}) => Effect.Effect<ReplyEnd, LiveReplyFailure, Caller | CurrentOrganization>

/** A reply that is being made, or was made a short while ago. */
export class LiveReply {
  readonly id: MessageId
  readonly organization: OrganizationId
  visitor: string
  /** Undefined before the reply has begun. */
  conversation: SessionId | undefined
  readonly log: ReplyLog
  /** The number before that of its first event. */
  readonly beginning: number
  /** Number of readers of the log at the moment. */
  readers = 0
  /** The fiber that makes it. */
  fiber: Fiber.Fiber<ReplyEnd, LiveReplyFailure> | undefined
  isStopped = false
  /** Whether people had the conversation. */
  private isLeft = false
  /** Failure of the reply; undefined while the reply is being made, and when it has not failed. */
  failure: Failure | undefined
  private hasText = false
  /** Time at which the reply ended, by the monotonic clock; undefined while it is being made. */
  endedAt: number | undefined

  constructor({ id, visitor }: ReplyOwner, organization: OrganizationId, log: ReplyLog) {
    this.id = id
    this.visitor = visitor
    this.organization = organization
    this.log = log
    this.beginning = log.dropped
  }

  get size(): number {
    return REPLY_OVERHEAD + this.log.size
  }

  /** Whether it ended without an answer, so that its message is answered when it is sent again. */
  get isVoid(): boolean {
    return (
      this.failure !== undefined || ((this.isStopped || this.isLeft) && this.endedAt !== undefined && !this.hasText)
    )
  }

  /** Notes what an event tells about the reply. */
  note(event: WidgetEvent): void {
    if (event.type === "start") this.conversation = event.conversation_id
    else if (event.type === "text") this.hasText = true
    else if (event.type === "handover") this.isLeft = true
  }
}

/** This process does not have the reply, or not the events that are asked for. */
export const noReply = new NotFound({
  detail:
    "This reply is not being written here any more. If there is one, it is among the messages of its conversation.",
})

const busy = new Conflict({
  detail: "A reply is being written in this conversation. Wait for it, or stop it.",
})

const shutDown = new Unavailable({
  detail: "The server shut down before the reply was finished.",
  retry_after_seconds: 5,
})

const internalError = new InternalError({ detail: "The server failed." })

/**
 * The replies that visitors of the chat widget wait for. Each is made by a fiber of its own, which no reader ends by
 * leaving, and its events are kept until a while after its end, so that a reader who has lost its connection goes on
 * where it stopped.
 *
 * What their events take in memory is bounded. Beyond the bound, replies that have ended are dropped, the oldest first,
 * and then the older events of the largest reply: who has not read them finds the reply in its conversation when it is
 * stored.
 */
export class LiveReplies extends Service<LiveReplies>()("parley/services/widget/LiveReplies", function* () {
  const { keptFor, memory } = yield* LiveReplyBounds
  const services = yield* Effect.context<never>()
  const fibers = yield* FiberSet.make<ReplyEnd, LiveReplyFailure>()
  /** All replies by their ids, in the order in which they began. */
  const replies = new Map<MessageId, LiveReply>()
  /** Conversations in which something else makes a reply, such as a spoken turn. */
  const held = new Set<SessionId>()
  /** The bytes that the replies take, in all and of each organization. */
  let used = 0
  const usedBy = new Map<OrganizationId, number>()

  const account = (organization: OrganizationId, bytes: number) => {
    used += bytes
    const rest = (usedBy.get(organization) ?? 0) + bytes
    if (rest > 0) usedBy.set(organization, rest)
    else usedBy.delete(organization)
  }

  const drop = (reply: LiveReply) => {
    if (replies.get(reply.id) !== reply) return
    replies.delete(reply.id)
    account(reply.organization, -reply.size)
  }

  /** Makes room among these replies. Returns false where there is nothing to drop. */
  const dropSome = (organization: OrganizationId | undefined): boolean => {
    let largest: LiveReply | undefined
    for (const reply of replies.values()) {
      if (organization !== undefined && reply.organization !== organization) continue
      if (reply.endedAt !== undefined) {
        drop(reply)
        return true
      }
      if (!reply.log.isEmpty && reply.log.size > (largest?.log.size ?? 0)) largest = reply
    }
    if (largest !== undefined) account(largest.organization, -largest.log.dropHalf())
    return largest !== undefined
  }

  const makeRoom = (organization: OrganizationId) => {
    while ((usedBy.get(organization) ?? 0) > memory * ORGANIZATION_PART && dropSome(organization));
    while (used > memory && dropSome(undefined));
  }

  const add = (reply: LiveReply, event: WidgetEvent) => {
    const before = reply.log.size
    reply.log.add(event)
    if (replies.get(reply.id) !== reply) return
    account(reply.organization, reply.log.size - before)
    makeRoom(reply.organization)
  }

  const isRunning = (reply: LiveReply) => reply.endedAt === undefined

  const inConversation = (visitor: string, conversation: SessionId): LiveReply | undefined =>
    replies
      .values()
      .find((reply) => reply.conversation === conversation && reply.visitor === visitor && isRunning(reply))

  const isBusy = (visitor: string, conversation: SessionId) =>
    held.has(conversation) || inConversation(visitor, conversation) !== undefined

  const end = (reply: LiveReply, exit: Exit.Exit<ReplyEnd, LiveReplyFailure>) =>
    Effect.map(currentMonotonicMillis, (now) => {
      reply.endedAt = now
      const failure = failureOf(reply, exit)
      reply.failure = failure
      // What fails before it has begun is answered with a status instead of a stream.
      if (failure !== undefined && reply.log.isEmpty) drop(reply)
      else add(reply, failure === undefined ? endOf(exit) : errorEvent(failure))
      reply.log.end()
    })

  yield* Effect.forkScoped(
    regularly(
      SWEEP_EVERY,
      "The replies of visitors could not be dropped",
      Effect.map(currentMonotonicMillis, (now) => {
        const before = now - Duration.toMillis(keptFor)
        for (const reply of replies.values()) if ((reply.endedAt ?? now) <= before) drop(reply)
      }),
    ),
  )

  return {
    /**
     * Begins a reply, on behalf of the caller, unless the visitor has it under way or made: a reply that has failed,
     * or was stopped or left to people before its first word, is begun again. Returns the reply, and whether it has
     * just begun.
     */
    start: (owner: ReplyOwner, make: MakeReply) =>
      Effect.contextWith((context: Context.Context<Caller | CurrentOrganization>) =>
        Effect.sync(() => {
          const known = replies.get(owner.id)
          if (known !== undefined && !known.isVoid) return { reply: known, hasBegun: false }
          if (known !== undefined) drop(known)
          const organization = Context.get(context, CurrentOrganization)
          // Numbers go on from those of the attempt that has failed, so that nobody mixes the texts of the two.
          const reply = new LiveReply(owner, organization, new ReplyLog(known?.log.last))
          replies.set(reply.id, reply)
          account(organization, reply.size)
          makeRoom(organization)
          const made = make({
            emit: (event) => {
              reply.note(event)
              add(reply, event)
            },
            claim: (conversation) =>
              Effect.suspend(() => {
                // One of another visitor is none of its business: whether there is one, and to whom it belongs, shows later.
                if (isBusy(reply.visitor, conversation)) return busy
                reply.conversation = conversation
                return Effect.void
              }),
          })
          reply.fiber = Effect.runForkWith(lastingContext(services, context))(
            Effect.andThen(Effect.yieldNow, made).pipe(
              Effect.tapDefect((defect) => Effect.logError("A reply to a visitor failed", defect)),
              Effect.onExit((exit) => end(reply, exit)),
            ),
          )
          FiberSet.addUnsafe(fibers, reply.fiber)
          return { reply, hasBegun: true }
        }),
      ),

    /** Keeps other replies out of a conversation until the scope closes. Fails while one is being made in it. */
    hold: (visitor: string, conversation: SessionId) =>
      Effect.asVoid(
        Effect.acquireRelease(
          Effect.suspend(() =>
            isBusy(visitor, conversation) ? Effect.fail(busy) : Effect.sync(() => held.add(conversation)),
          ),
          () => Effect.sync(() => held.delete(conversation)),
        ),
      ),

    /** Finds a reply of the visitor; undefined for one that this process does not have. */
    find: ({ id, visitor }: ReplyOwner): LiveReply | undefined => {
      const reply = replies.get(id)
      return reply?.visitor === visitor ? reply : undefined
    },

    /** The reply that is being made in a conversation of the visitor; undefined where there is none. */
    inConversation,

    /**
     * Stops the replies that are being made and meet the condition, and waits until what there is of them is stored.
     */
    stop: (condition: (reply: LiveReply) => boolean) =>
      Effect.suspend(() => {
        const running = Array.from(replies.values()).filter((reply) => isRunning(reply) && condition(reply))
        for (const reply of running) reply.isStopped = true
        return Effect.forEach(running, ({ fiber }) => (fiber === undefined ? Effect.void : Fiber.interrupt(fiber)), {
          concurrency: "unbounded",
          discard: true,
        })
      }),

    handOver: (from: string, to: string) => {
      for (const reply of replies.values()) if (reply.visitor === from) reply.visitor = to
    },
  }
}) {}

const failureOf = (reply: LiveReply, exit: Exit.Exit<ReplyEnd, LiveReplyFailure>): Failure | undefined => {
  if (Exit.isSuccess(exit)) return undefined
  if (Cause.hasInterrupts(exit.cause)) return reply.isStopped ? undefined : shutDown
  return Result.getOrElse(Cause.findError(exit.cause), () => internalError)
}

const endOf = (exit: Exit.Exit<ReplyEnd, LiveReplyFailure>): ReplyEnd =>
  Exit.isSuccess(exit) ? exit.value : { type: "stopped" }

/** The last event of a reply that has failed. */
export const errorEvent = (failure: Failure): WidgetEvent => ({
  type: "error",
  code: declarationOf(failure).code,
  detail: failure.detail,
})
