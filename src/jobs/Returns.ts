import { Duration, Effect, Layer } from "effect"
import * as Storage from "../storage/inbox/Returns.ts"
import { regularly } from "../system/Background.ts"

/** As exact as the setting, whose unit is a minute. */
const RUN_EVERY = Duration.minutes(1)

/**
 * Hands conversations back to their bots in which people and visitors have been silent for long enough, and forgets who
 * was there.
 */
export const run = Storage.Returns.use(({ forgetPresence, returnSome }) =>
  Effect.andThen(Effect.repeat(returnSome, { while: (count) => count > 0 }), forgetPresence),
).pipe(Effect.asVoid)

/** Runs it in the background, every minute, as long as the layer lives. */
export const layer = Layer.effectDiscard(
  Effect.forkScoped(regularly(RUN_EVERY, "Conversations could not be handed back", run)),
)
