import { Context, Effect } from "effect"

/** Ends the first run of a handler, which has prepared what it commits in its second run. */
export class Prepared<A = unknown> {
  readonly value: A

  constructor(value: A) {
    this.value = value
  }
}

/** Whether the fiber prepares, or commits what was prepared; undefined without an idempotency key, when it does both. */
export const CurrentPreparation = Context.Reference<"under way" | Prepared | undefined>(
  "parley/services/CurrentPreparation",
  { defaultValue: () => undefined },
)

/** Whether this is what the handler has prepared, which it does at one place. */
const isMade = <A, E, R>(preparation: unknown, _: Effect.Effect<A, E, R>): preparation is Prepared<A> =>
  preparation instanceof Prepared

/**
 * Runs what a change waits for beside the database, such as a file that it stores, outside the transaction in which an
 * endpoint that is `prepared` keeps its answer, see `Once`. What such an endpoint does before runs twice. The rest of the
 * change rests on what `work` returns, and on nothing that was read before.
 */
export const prepared = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(CurrentPreparation, (preparation) => {
    if (isMade(preparation, work)) return Effect.succeed(preparation.value)
    return preparation === undefined ? work : Effect.flatMap(work, (value) => Effect.die(new Prepared(value)))
  })
