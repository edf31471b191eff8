import { Duration, Effect, Exit, Fiber } from "effect"

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

/**
 * Gives up what takes longer, and fails with `onTimeout` once it has ended. `Effect.timeoutOrElse` has a fiber sleep
 * beside each effect, which is felt where thousands wait for minutes.
 */
export const within =
  <E2>(deadline: Duration.Duration, onTimeout: () => E2) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | E2, R> =>
    Effect.contextWith((context) =>
      Effect.callback((resume) => {
        let isLate = false
        const fiber = Effect.runForkWith(context)(effect)
        const timer = setTimeout(() => {
          isLate = true
          fiber.interruptUnsafe()
        }, Duration.toMillis(deadline))
        fiber.addObserver((exit) => {
          clearTimeout(timer)
          resume(isLate && Exit.hasInterrupts(exit) ? Effect.fail(onTimeout()) : exit)
        })
        return Fiber.interrupt(fiber)
      }),
    )
