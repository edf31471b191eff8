import { Array, Effect } from "effect"
import { turn } from "./LoopTurns.ts"

/** Number of items that are made before other fibers run: an item takes about a tenth of a millisecond. */
const AT_ONCE = 4

/** Lets the other fibers run, and then those of other organizations as often as those of this one. */
const nextTurn = Effect.andThen(Effect.yieldNow, turn)

/** Maps items with a function that takes a while, and lets other fibers run after every few items. */
export const inTurns = <A, B>(
  items: ReadonlyArray<A>,
  make: (item: A) => B,
  atOnce: number = AT_ONCE,
): Effect.Effect<ReadonlyArray<B>> =>
  Effect.map(
    Effect.forEach(Array.chunksOf(items, atOnce), (some) => Effect.map(nextTurn, () => some.map((item) => make(item)))),
    Array.flatten,
  )
