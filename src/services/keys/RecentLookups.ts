import { Cache, Context, Duration, Effect, Exit, Result, Semaphore } from "effect"
import type { Unavailable } from "../../domain/Errors.ts"
import { currentMonotonicMillis } from "../../system/Monotonic.ts"
import { RecentMap } from "../../system/RecentMap.ts"

/** Milliseconds for which a lookup is remembered: less than the second within which changes take effect. */
export const LookupMillis: Context.Reference<number> = Context.Reference<number>("parley/services/keys/LookupMillis", {
  defaultValue: () => 900,
})
/**
 * Milliseconds for which a failed lookup is remembered, so that one request does not wait for a dead database twice.
 */
const FAILURE_TIME_TO_LIVE = 100
/** Most lookups that are remembered, of what exists and of what does not. */
const LOOKUP_CAPACITY = 10_000
/** Most lookups at once of names under which nothing was found before. */
const STRANGERS_AT_ONCE = 2

/**
 * Makes a function that looks something up by its name, and remembers what it finds, or that there is nothing, for less
 * than a second. Requests for the same name at the same time share one lookup. A caller that sends wrong names does not keep the
 * database from those with right ones.
 *
 * Effect's cache would expire entries by the time of day, which may step back: each holds its own monotonic expiry,
 * counted from before the lookup.
 *
 * @param expiresIn milliseconds after which what was found holds no longer; nullish for never
 */
export const recentLookups = Effect.fnUntraced(function* <A, R>(
  find: (name: string) => Effect.Effect<A | undefined, Unavailable, R>,
  expiresIn: (found: A) => number | null | undefined,
) {
  const timeToLive = yield* LookupMillis
  /** The names under which something was found when they were last looked up. Wrong ones cannot displace them. */
  const known = new RecentMap<true>(LOOKUP_CAPACITY)
  const strangers = yield* Semaphore.make(STRANGERS_AT_ONCE)

  const findInTurn = (name: string) =>
    Effect.tap(known.find(name) === true ? find(name) : strangers.withPermit(find(name)), (found) =>
      Effect.sync(() => {
        if (found === undefined) known.delete(name)
        else known.get(name, () => true)
      }),
    )

  const lookups = yield* Cache.makeWith(
    Effect.fnUntraced(function* (name: string) {
      const startedAt = yield* currentMonotonicMillis
      const found = yield* Effect.result(findInTurn(name))
      if (Result.isFailure(found)) {
        return { found, freshUntil: (yield* currentMonotonicMillis) + FAILURE_TIME_TO_LIVE }
      }
      const livesFor = (found.success && expiresIn(found.success)) ?? timeToLive
      return { found, freshUntil: startedAt + Math.min(timeToLive, livesFor) }
    }),
    {
      capacity: LOOKUP_CAPACITY,
      timeToLive: (exit) => (Exit.isSuccess(exit) ? Duration.infinity : Duration.zero),
    },
  )

  return {
    /** Whether something was found under a name when it was last looked up. */
    isKnown: (name: string): boolean => known.find(name) === true,

    find: (name: string): Effect.Effect<A | undefined, Unavailable, R> =>
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
      ),
  }
})
