import { Array, Effect } from "effect"

/** Of what takes about a tenth of a millisecond each, so many are made before other requests get their turn. */
const AT_ONCE = 4

/** Makes one thing of each item, and lets others in between. */
export const inTurns = <A, B>(items: ReadonlyArray<A>, make: (item: A) => B): Effect.Effect<ReadonlyArray<B>> =>
  Effect.map(
    Effect.forEach(Array.chunksOf(items, AT_ONCE), (some) =>
      Effect.map(Effect.yieldNow, () => some.map((item) => make(item))),
    ),
    Array.flatten,
  )
