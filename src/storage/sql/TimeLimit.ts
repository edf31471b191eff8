import { Context, Effect } from "effect"

/** Whether the time limit of the settings holds for the fiber's statements. */
export const TimeLimited: Context.Reference<boolean> = Context.Reference("parley/storage/sql/TimeLimited", {
  defaultValue: () => true,
})

/**
 * Runs work without the time limit, neither for its statements nor for the wait for a connection. It is for work that
 * takes long by its nature, such as building an index.
 */
export const withoutTimeLimit: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> =
  Effect.provideService(TimeLimited, false)
