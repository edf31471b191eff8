import { Effect, Layer } from "effect"
import { ToolHeaders } from "../storage/ToolHeaders.ts"
import { persistently } from "../system/Background.ts"

/** Encrypts, once in the background, the secrets that were stored in plain text or are encrypted by an older key. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const { sealAll } = yield* ToolHeaders
    yield* persistently("Encrypting headers of tools waits", sealAll).pipe(
      Effect.tap((tools) => (tools === 0 ? Effect.void : Effect.logInfo("Headers of tools are encrypted", { tools }))),
      Effect.forkScoped,
    )
  }),
)
