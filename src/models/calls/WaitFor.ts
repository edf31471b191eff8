import { Effect } from "effect"

/**
 * Waits for a promise, but not longer than `millis` and not beyond an interruption: a stalled read may never settle.
 * Whoever waits hangs up by closing the scope of the call.
 */
export const waitFor = <A, E>(options: {
  readonly millis: number
  readonly start: () => Promise<A>
  readonly onTimeout: () => E
  readonly onError: (error: unknown) => E
}): Effect.Effect<A, E> =>
  Effect.callback<A, E>((resume) => {
    const timer = setTimeout(() => resume(Effect.fail(options.onTimeout())), options.millis)
    options.start().then(
      (value) => {
        clearTimeout(timer)
        resume(Effect.succeed(value))
      },
      (error) => {
        clearTimeout(timer)
        resume(Effect.fail(options.onError(error)))
      },
    )
    return Effect.sync(() => clearTimeout(timer))
  })
