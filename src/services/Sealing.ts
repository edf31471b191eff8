import { Duration, Effect, Layer, Schedule } from "effect"
import { ToolHeaders } from "../storage/ToolHeaders.ts"

const FAULT_DELAY = Duration.minutes(1)

/** In the background, once: encrypts secrets that were stored before there was a key, or by a key that no longer encrypts. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const { sealAll } = yield* ToolHeaders
    yield* sealAll.pipe(
      Effect.tap((tools) => (tools === 0 ? Effect.void : Effect.logInfo("Headers of tools are encrypted", { tools }))),
      // A fault would end it for good, and nobody would hear of it.
      Effect.catchDefect(Effect.fail),
      Effect.tapError((error) => Effect.logWarning("Encrypting headers of tools waits", error)),
      Effect.retry(Schedule.spaced(FAULT_DELAY)),
      Effect.forkScoped,
    )
  }),
)
