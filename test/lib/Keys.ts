import { Effect, Layer, Redacted } from "effect"
import { ChatbotTools } from "../../src/storage/tools/ChatbotTools.ts"
import { Secrets } from "../../src/system/Secrets.ts"
import { ServerSecrets } from "../../src/storage/ServerSecrets.ts"
import { ToolHeaders } from "../../src/storage/tools/ToolHeaders.ts"
import { IdentitySecrets } from "../../src/storage/widget/IdentitySecrets.ts"
import { Webhooks } from "../../src/storage/webhooks/Webhooks.ts"
import { platform } from "./Layers.ts"

/*
 * Keys for secrets, and the services that use them.
 */

/** A key of 32 equal bytes. */
export const keyOf = (byte: number): Uint8Array => new Uint8Array(32).fill(byte)

/** The secrets of a server with these keys: the first one encrypts, and all of them decrypt. */
export const secretsWith = (...keys: ReadonlyArray<Uint8Array>) =>
  Layer.provide(Secrets.layer({ keys: keys.length === 0 ? undefined : Redacted.make(keys) }), platform)

/** Provides the repositories of secrets as a server with these keys has them, over the same database. */
export const withKeys = (...keys: ReadonlyArray<Uint8Array>) =>
  Effect.provide(
    Layer.mergeAll(
      ChatbotTools.layer,
      ToolHeaders.layer,
      ServerSecrets.layer,
      IdentitySecrets.layer,
      Webhooks.layer,
    ).pipe(Layer.provideMerge(secretsWith(...keys)), Layer.fresh),
  )
