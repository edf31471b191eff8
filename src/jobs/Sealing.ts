import { Effect, Layer } from "effect"
import type { Unavailable } from "../domain/Errors.ts"
import { ModelConnections } from "../storage/models/ModelConnections.ts"
import { SignInProviders } from "../storage/people/SignInProviders.ts"
import { ToolHeaders } from "../storage/tools/ToolHeaders.ts"
import { IdentitySecrets } from "../storage/widget/IdentitySecrets.ts"
import { Webhooks } from "../storage/webhooks/Webhooks.ts"
import { persistently } from "../system/Background.ts"

const seal = (what: string, counted: string, sealAll: Effect.Effect<number, Unavailable>) =>
  persistently(`Encrypting waits: ${what}`, sealAll).pipe(
    Effect.tap((count) => (count === 0 ? Effect.void : Effect.logInfo(`${what} are encrypted`, { [counted]: count }))),
    Effect.forkScoped,
  )

/** Encrypts, once in the background, the secrets that were stored in plain text or are encrypted by an older key. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    yield* seal("Headers of tools", "tools", (yield* ToolHeaders).sealAll)
    yield* seal("Identity secrets", "secrets", (yield* IdentitySecrets).sealAll)
    yield* seal("Secrets of sign-in providers", "providers", (yield* SignInProviders).sealAll)
    yield* seal("Keys of model connections", "connections", (yield* ModelConnections).sealAll)
    yield* seal("Secrets of webhooks", "webhooks", (yield* Webhooks).sealAll)
  }),
)
