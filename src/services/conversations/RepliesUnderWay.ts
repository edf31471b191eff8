import { Array, Context, Deferred, Duration, Effect, Layer, Schema } from "effect"
import type { SessionId } from "../../domain/Ids.ts"
import { type Draft, type ReplyUnderWay, UnfinishedReplies } from "../../storage/conversations/UnfinishedReplies.ts"
import { regularly } from "../../system/Background.ts"
import { DatabaseTraits } from "../../system/DatabaseTraits.ts"

/** Longest time between two times that an unfinished reply is stored, and so what is lost of it when its server dies. */
export const CheckpointInterval: Context.Reference<Duration.Input> = Context.Reference<Duration.Input>(
  "parley/services/conversations/CheckpointInterval",
  { defaultValue: () => "5 seconds" },
)

export interface CheckpointSettings {
  readonly interval: Duration.Duration
  /**
   * Time for which an unfinished reply belongs to its server after it was stored last; then the server counts as dead, and
   * another one recovers the reply. The default is three intervals, and at least 15 seconds.
   */
  readonly lease?: Duration.Duration
}

/** Shortest lease by default: longer than a busy machine or database delays a checkpoint. */
const LEASE_MIN = Duration.seconds(15)
/** Leases between two looks for replies that nobody has taken over whose server is dead. */
const LEASES_PER_RECOVERY = 2
/** Most replies that one statement stores. */
const BATCH = 100

/** People have taken over the conversation of a reply that is being made. */
export class TakenOver extends Schema.TaggedError<TakenOver>()("TakenOver", {}) {}

/** Time between two looks for conversations that people have taken over on other servers. */
const LOOK_EVERY = Duration.seconds(1)

interface Watched {
  readonly taken: Deferred.Deferred<never, TakenOver>
  readonly reply: ReplyUnderWay
  /** Returns the state of the reply, or undefined while it has no text. */
  readonly draft: () => Draft | undefined
  /**
   * Completes when the last attempt at a checkpoint has ended, so that none arrives after the final reply is stored.
   * Undefined before the first attempt.
   */
  stored: Effect.Effect<void> | undefined
}

/**
 * The replies that this server is making. They are stored every few seconds, so that they survive its death: another
 * server, or the next start, then turns them into messages. Those of conversations that people have taken over, on
 * whichever server, are stopped.
 */
export class RepliesUnderWay extends Context.Service<RepliesUnderWay>()(
  "parley/services/conversations/RepliesUnderWay",
  {
    make: ({ interval, lease = Duration.max(Duration.times(interval, 3), LEASE_MIN) }: CheckpointSettings) =>
      Effect.gen(function* () {
        const unfinished = yield* UnfinishedReplies
        const watched = new Set<Watched>()

        if ((yield* DatabaseTraits).isAlone) yield* unfinished.recover("all")
        yield* Effect.forkScoped(
          regularly(
            Duration.times(lease, LEASES_PER_RECOVERY),
            "Replies of dead servers could not be stored",
            unfinished.recover("expired"),
          ),
        )

        const storeSome = (some: ReadonlyArray<Watched>) =>
          // What stores a final reply waits for `done`, so that nothing may come between.
          Effect.uninterruptibleMask((restore) => {
            const done = Deferred.makeUnsafe<void>()
            const drafts = some.flatMap((one) => {
              const draft = watched.has(one) ? one.draft() : undefined
              if (draft === undefined) return []
              one.stored = Deferred.await(done)
              return [{ ...one.reply, draft }]
            })
            return drafts.length === 0
              ? Effect.void
              : restore(unfinished.store(drafts, lease)).pipe(
                  Effect.tap(Effect.logDebug("Replies under way were stored", { count: drafts.length })),
                  Effect.ensuring(Deferred.succeed(done, undefined)),
                )
          })

        /** The replies that were under way at the last time: most replies end sooner, and take no statement. */
        let earlier: ReadonlySet<Watched> = new Set()
        const storeAll = Effect.suspend(() => {
          const due = watched.intersection(earlier)
          earlier = new Set(watched)
          return Effect.forEach(Array.chunksOf(due, BATCH), storeSome, { discard: true })
        })
        // Twice in an interval, so that no reply is stored later than that for the first time.
        const period = Duration.divideUnsafe(interval, 2)
        yield* Effect.forkScoped(regularly(period, "Replies under way could not be stored", storeAll))

        /** Stops the replies under way in these conversations. */
        const stop = (sessions: ReadonlyArray<SessionId>) =>
          Effect.sync(() => {
            for (const { reply, taken } of watched) {
              if (sessions.includes(reply.session)) Deferred.doneUnsafe(taken, Effect.fail(new TakenOver()))
            }
          })
        const look = Effect.suspend(() => {
          const sessions = [...watched].map(({ reply }) => reply.session)
          return sessions.length === 0 ? Effect.void : Effect.flatMap(unfinished.taken(sessions), stop)
        })
        yield* Effect.forkScoped(regularly(LOOK_EVERY, "Replies are not stopped when people take over", look))

        return {
          /** Stops the replies that this server makes in a conversation, which people have taken over. */
          stop: (session: SessionId) => stop([session]),

          /** Stores a reply regularly until the watch ends. */
          watch: (reply: ReplyUnderWay, draft: () => Draft | undefined) => {
            const taken = Deferred.makeUnsafe<never, TakenOver>()
            const one: Watched = { reply, draft, taken, stored: undefined }
            watched.add(one)
            return {
              /** Fails once people have taken the conversation over. */
              taken: Deferred.await(taken),
              /**
               * Ends the checkpoints of this reply and waits for one that is under way. Returns whether there was any,
               * which the storing of the final reply then has to delete.
               */
              end: Effect.suspend(() => {
                watched.delete(one)
                return one.stored === undefined ? Effect.succeed(false) : Effect.as(one.stored, true)
              }),
            }
          },
        }
      }),
  },
) {
  static readonly layer = Layer.unwrap(
    Effect.map(CheckpointInterval, (interval) => this.layerWith({ interval: Duration.fromInputUnsafe(interval) })),
  )
  static readonly layerWith = (settings: CheckpointSettings) => Layer.effect(this, this.make(settings))
}
