import { Cache, Duration, Effect, Exit, Result } from "effect"
import type { Unavailable } from "../domain/Errors.ts"
import { currentMonotonicMillis } from "../system/Monotonic.ts"

/** Milliseconds for which a lookup is remembered: less than the second within which changes take effect. */
const TIME_TO_LIVE = 900
/**
 * Milliseconds for which a failed lookup is remembered, so that one request does not wait for a dead database twice.
 */
const FAILURE_TIME_TO_LIVE = 100
/** Most lookups that are remembered, of what exists and of what does not. */
export const LOOKUP_CAPACITY = 10_000

/**
 * Makes a function that looks something up by its name, and remembers what it finds for less than a second. Requests for
 * the same name at the same time share one lookup.
 *
 * Effect's cache would expire entries by the time of day, which may step back: each holds its own monotonic expiry,
 * counted from before the lookup.
 *
 * @param expiresIn milliseconds after which what was found holds no longer; nullish for never
 */
export const recentLookups = Effect.fnUntraced(function* <A, R>(
  find: (name: string) => Effect.Effect<A, Unavailable, R>,
  expiresIn: (found: A) => number | null | undefined,
) {
  const lookups = yield* Cache.makeWith(
    Effect.fnUntraced(function* (name: string) {
      const startedAt = yield* currentMonotonicMillis
      const found = yield* Effect.result(find(name))
      if (Result.isFailure(found)) {
        return { found, freshUntil: (yield* currentMonotonicMillis) + FAILURE_TIME_TO_LIVE }
      }
      const livesFor = expiresIn(found.success) ?? TIME_TO_LIVE
      return { found, freshUntil: startedAt + Math.min(TIME_TO_LIVE, livesFor) }
    }),
    {
      capacity: LOOKUP_CAPACITY,
      timeToLive: (exit) => (Exit.isSuccess(exit) ? Duration.infinity : Duration.zero),
    },
  )

  return (name: string): Effect.Effect<A, Unavailable, R> =>
    Effect.flatMap(currentMonotonicMillis, (now) =>
      Cache.get(lookups, name).pipe(
        Effect.filterOrElse(
          ({ freshUntil }) => now < freshUntil,
          (outdated) =>
            Effect.andThen(
              Cache.invalidateWhen(lookups, name, (cached) => cached === outdated),
              Cache.get(lookups, name),
            ),
        ),
        Effect.flatMap(({ found }) => Effect.fromResult(found)),
      ),
    )
})
