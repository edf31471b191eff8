import { Effect } from "effect"

/**
 * Waits for a promise that `controller` can abort. It is aborted when `millis` pass and when the fiber is interrupted,
 * and neither waits for the promise to settle: a stalled read may never do so.
 */
export const abortable = <A, E>(options: {
  readonly controller: AbortController
  readonly millis: number
  readonly start: () => Promise<A>
  readonly onTimeout: () => E
  readonly onError: (error: unknown) => E
}): Effect.Effect<A, E> =>
  Effect.callback<A, E>((resume) => {
    const timer = setTimeout(() => {
      resume(Effect.fail(options.onTimeout()))
      options.controller.abort()
    }, options.millis)
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
    return Effect.sync(() => {
      clearTimeout(timer)
      options.controller.abort()
    })
  })
