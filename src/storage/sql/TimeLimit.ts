import { Context, Effect } from "effect"

/** Whether statements may take only as long as the setting says. */
export const TimeLimited: Context.Reference<boolean> = Context.Reference("parley/storage/sql/TimeLimited", {
  defaultValue: () => true,
})

/**
 * For work that may rightly take long, such as building an index: its statements are waited for as long as they take,
 * and as long as it takes until there is a connection for them.
 */
export const withoutTimeLimit: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> =
  Effect.provideService(TimeLimited, false)
