import { Context, Deferred, Duration, Effect, Layer } from "effect"
import { type Draft, type ReplyUnderWay, UnfinishedReplies } from "../storage/UnfinishedReplies.ts"
import { regularly } from "../system/Background.ts"
import { DatabaseTraits } from "../system/DatabaseTraits.ts"

export interface CheckpointSettings {
  /** How often a reply is stored as far as it has got; infinite: never. */
  readonly interval: Duration.Duration
  /**
   * A server that has not shown any sign of life for so long is dead, and others see to its replies. Absent: three
   * intervals, and longer than a busy machine or database holds anybody up.
   */
  readonly lease?: Duration.Duration
}

/** A busy machine or database holds nobody up for so long. */
const LEASE_MIN = Duration.seconds(15)
/** How often to look which replies are due, at most: a few at a time hold up others less than all at once. */
const LOOK_EVERY = Duration.seconds(1)
/** How often to look for replies whose server is dead. */
const RECOVER_EVERY = Duration.seconds(5)
/** Replies that one statement stores, at most. */
const BATCH = 100

/** A reply that is being made. */
export interface Watch {
  /**
   * Ends the watching; nothing more of the reply will be stored here. Returns whether anything was, so that whoever
   * stores the reply has to take that out.
   */
  readonly end: Effect.Effect<boolean>
}

/**
 * Replies that take long are stored as far as they have got, every few seconds, so that a server which dies does not take
 * them with it: whoever finds them then makes messages of them.
 */
export class Checkpoints extends Context.Service<
  Checkpoints,
  {
    /** Watches a reply until the watch is ended. `draft` tells how far it has got; undefined: nothing was said yet. */
    readonly watch: (reply: ReplyUnderWay, draft: () => Draft | undefined) => Watch
  }
>()("parley/services/Checkpoints") {
  static readonly layer = ({
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
          regularly(
            RECOVER_EVERY,
            "Replies of servers that are gone could not be stored",
            unfinished.recover("expired"),
          ),
        )
        if (!Duration.isFinite(interval)) return Checkpoints.of({ watch: () => unwatched })
        const period = Duration.min(interval, LOOK_EVERY)
        // Looks are counted instead of reading a clock, which may be set.
        const looks = Math.ceil(Duration.toMillis(interval) / Duration.toMillis(period))

        const storeSome = (due: ReadonlyArray<Watched>) =>
          Effect.suspend(() => {
            const some = due.flatMap((one) => {
              const draft = watched.has(one) ? one.draft() : undefined
              return draft === undefined ? [] : [{ one, draft, mark: markOf(draft) }]
            })
            if (some.length === 0) return Effect.void
            const grown = some.filter(({ mark, one }) => mark !== one.mark)
            const unchanged = some.filter(({ mark, one }) => mark === one.mark)
            const done = Deferred.makeUnsafe<void>()
            for (const { one } of some) one.stored = Deferred.await(done)
            return unfinished
              .store(
                grown.map(({ draft, one }) => ({ ...one.reply, draft })),
                unchanged.map(({ one }) => one.reply.id),
                lease,
              )
              .pipe(
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
  /** So many looks from now; one more at first, for the next may come at once. */
  dueIn: number
  /** How far it had got when it was stored last. */
  mark = ""
  /**
   * Waits for the end of the last try to store it: what is on its way must not arrive after the reply was taken out.
   * Undefined before the first try.
   */
  stored: Effect.Effect<void> | undefined

  constructor(reply: ReplyUnderWay, draft: () => Draft | undefined, dueIn: number) {
    this.reply = reply
    this.draft = draft
    this.dueIn = dueIn
  }
}

/** Differs when a reply has grown, in words, calls or results, or by thoughts that only count. */
const markOf = ({ content, tokens_used, tool_calls, tool_results }: Draft): string =>
  [content.length, tokens_used, tool_calls.length, tool_results.length].join()

const unwatched: Watch = { end: Effect.succeed(false) }
