import { Effect } from "effect"

/**
 * Waits for a promise, at most `millis` milliseconds and not beyond an interruption, because a stalled read may never
 * settle. It leaves the promise's work running: closing the scope of the call ends that. It takes a timer instead of
 * the sleeping fiber of `Effect.timeoutOrElse`, like `within`.
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
