import { Effect, Layer, Redacted } from "effect"
import { ChatbotTools } from "../../src/storage/ChatbotTools.ts"
import { Secrets } from "../../src/system/Secrets.ts"
import { ToolHeaders } from "../../src/storage/ToolHeaders.ts"
import { platform } from "./Layers.ts"

/*
 * Keys for secrets, and what is stored with them.
 */

/** A key of 32 bytes, all the same. */
export const keyOf = (byte: number): Uint8Array => new Uint8Array(32).fill(byte)

/** The first of these keys encrypts, all of them decrypt. */
export const secretsWith = (...keys: ReadonlyArray<Uint8Array>) =>
  Layer.provide(Secrets.layer({ keys: keys.length === 0 ? undefined : Redacted.make(keys) }), platform)

/** Works with tools as a server with these keys does, over the same database. */
export const withKeys = (...keys: ReadonlyArray<Uint8Array>) =>
  Effect.provide(
    Layer.mergeAll(ChatbotTools.layer, ToolHeaders.layer).pipe(Layer.provideMerge(secretsWith(...keys)), Layer.fresh),
  )
