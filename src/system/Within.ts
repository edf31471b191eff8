import { Duration, Effect, Exit, Fiber } from "effect"

/**
 * Interrupts an effect that takes longer than `deadline`, and fails with `onTimeout` once it has ended. It takes a
 * timer instead of the sleeping fiber of `Effect.timeoutOrElse`, whose memory was measured where thousands of effects
 * wait for minutes.
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
