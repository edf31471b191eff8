import { Effect, Layer } from "effect"
import { ToolHeaders } from "../storage/ToolHeaders.ts"
import { persistently } from "../system/Background.ts"

/** In the background, once: encrypts secrets that were stored before there was a key, or by a key that no longer encrypts. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const { sealAll } = yield* ToolHeaders
    yield* persistently("Encrypting headers of tools waits", sealAll).pipe(
      Effect.tap((tools) => (tools === 0 ? Effect.void : Effect.logInfo("Headers of tools are encrypted", { tools }))),
      Effect.forkScoped,
    )
  }),
)
