import { Context, Deferred, Duration, Effect, Layer } from "effect"
import { type Draft, type ReplyUnderWay, UnfinishedReplies } from "../storage/conversations/UnfinishedReplies.ts"
import { regularly } from "../system/Background.ts"
import { DatabaseTraits } from "../system/DatabaseTraits.ts"

/** Time between two times that an unfinished reply is stored, and so about what is lost of it when its server dies. */
export const CheckpointInterval: Context.Reference<Duration.Input> = Context.Reference<Duration.Input>(
  "parley/services/CheckpointInterval",
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
/**
 * Longest time between two looks for due replies: storing a few at a time delays other statements less than all at
 * once.
 */
const LOOK_EVERY = Duration.seconds(1)
/** Time between two looks for replies that nobody has taken over whose server is dead. */
const RECOVER_EVERY = Duration.seconds(30)
/** Most replies that one statement stores. */
const BATCH = 100

/** The checkpoints of one reply. */
export interface Watch {
  /**
   * Ends the checkpoints of this reply and waits for one that is under way. Returns whether there was any, which
   * whoever stores the final reply then has to delete.
   */
  readonly end: Effect.Effect<boolean>
}

/**
 * Stores unfinished replies every few seconds, so that they survive the death of their server: another server, or the
 * next start, then turns them into messages.
 */
export class Checkpoints extends Context.Service<
  Checkpoints,
  {
    /** Stores a reply regularly until the watch ends. `draft` returns its state, or undefined while it has no text. */
    readonly watch: (reply: ReplyUnderWay, draft: () => Draft | undefined) => Watch
  }
>()("parley/services/Checkpoints") {
  static readonly layer = Layer.unwrap(
    Effect.map(CheckpointInterval, (interval) => this.layerWith({ interval: Duration.fromInputUnsafe(interval) })),
  )

  static readonly layerWith = ({
    interval,
    lease = Duration.max(Duration.times(interval, 3), LEASE_MIN),
  }: CheckpointSettings) =>
    Layer.effect(
      Checkpoints,
      Effect.gen(function* () {
        const unfinished = yield* UnfinishedReplies
        const watched = new Set<Watched>()

        if ((yield* DatabaseTraits).isAlone) yield* unfinished.recover("all")
        yield* Effect.forkScoped(
          regularly(RECOVER_EVERY, "Replies of dead servers could not be stored", unfinished.recover("expired")),
        )
        const period = Duration.min(interval, LOOK_EVERY)
        // Due times are counted in looks, because the clock may be set.
        const looks = Math.ceil(Duration.toMillis(interval) / Duration.toMillis(period))

        const storeSome = (due: ReadonlyArray<Watched>) =>
          // Whoever stores a final reply waits for `done`, so that nothing may come between.
          Effect.uninterruptibleMask((restore) => {
            const some = due.flatMap((one) => {
              const draft = watched.has(one) ? one.draft() : undefined
              return draft === undefined ? [] : [{ one, draft, mark: markOf(draft) }]
            })
            if (some.length === 0) return Effect.void
            const grown = some.filter(({ mark, one }) => mark !== one.mark)
            const unchanged = some.filter(({ mark, one }) => mark === one.mark)
            const done = Deferred.makeUnsafe<void>()
            for (const { one } of some) one.stored = Deferred.await(done)
            const store = unfinished.store(
              grown.map(({ draft, one }) => ({ ...one.reply, draft })),
              unchanged.map(({ one }) => one.reply.id),
              lease,
            )
            return restore(store).pipe(
              Effect.andThen(Effect.sync(() => grown.forEach(({ mark, one }) => (one.mark = mark)))),
              Effect.ensuring(Deferred.succeed(done, undefined)),
            )
          })

        const storeDue = Effect.suspend(() => {
          const due = Array.from(watched).filter((one) => --one.dueIn <= 0)
          for (const one of due) one.dueIn = looks
          const batches = Array.from({ length: Math.ceil(due.length / BATCH) }, (_, index) =>
            due.slice(index * BATCH, (index + 1) * BATCH),
          )
          return Effect.forEach(batches, storeSome, { discard: true })
        })

        yield* Effect.forkScoped(regularly(period, "Replies under way could not be stored", storeDue))
        return Checkpoints.of({
          watch: (reply, draft) => {
            const one = new Watched(reply, draft, looks + 1)
            watched.add(one)
            return {
              end: Effect.suspend(() => {
                watched.delete(one)
                return one.stored === undefined ? Effect.succeed(false) : Effect.as(one.stored, true)
              }),
            }
          },
        })
      }),
    )
}

class Watched {
  readonly reply: ReplyUnderWay
  readonly draft: () => Draft | undefined
  /**
   * Looks until the next checkpoint. It begins with one more than the interval has, because the first look may come at
   * once.
   */
  dueIn: number
  /** The mark of the draft that was stored last. */
  mark = ""
  /**
   * Completes when the last attempt at a checkpoint has ended, so that none arrives after the final reply is stored.
   * Undefined before the first attempt.
   */
  stored: Effect.Effect<void> | undefined

  constructor(reply: ReplyUnderWay, draft: () => Draft | undefined, dueIn: number) {
    this.reply = reply
    this.draft = draft
    this.dueIn = dueIn
  }
}

/** A mark that differs when a reply has grown by text, tool calls, results, or tokens of hidden thinking. */
const markOf = ({ content, tokens_used, tool_calls, tool_results }: Draft): string =>
  [content.length, tokens_used, tool_calls.length, tool_results.length].join()
