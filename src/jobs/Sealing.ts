import { Effect, Layer } from "effect"
import { ToolHeaders } from "../storage/ToolHeaders.ts"
import { IdentitySecrets } from "../storage/widget/IdentitySecrets.ts"
import { persistently } from "../system/Background.ts"

/** Encrypts, once in the background, the secrets that were stored in plain text or are encrypted by an older key. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const headers = yield* ToolHeaders
    const identities = yield* IdentitySecrets
    const sealAll = Effect.all({ tools: headers.sealAll, identitySecrets: identities.sealAll })
    yield* persistently("Encrypting stored secrets waits", sealAll).pipe(
      Effect.tap((sealed) =>
        Object.values(sealed).some((count) => count > 0)
          ? Effect.logInfo("Stored secrets are encrypted", sealed)
          : Effect.void,
      ),
      Effect.forkScoped,
    )
  }),
)
