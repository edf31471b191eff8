import { Context, Effect, Layer } from "effect"
import type { Unavailable } from "../domain/Errors.ts"
import { embedLocally, LOCAL_DIMENSIONS, LOCAL_MODEL } from "./LocalEmbedding.ts"

/** Text as vectors, by one model that the whole server uses. */
export class Embeddings extends Context.Service<
  Embeddings,
  {
    /** Stored with every vector; names whatever changes vectors, since those of two names are never compared. */
    readonly model: string
    readonly dimensions: number
    /** Share of the vector score in a fused score, 0–1: how much the model adds to a lexical search. */
    readonly weight: number
    /** Whether the cosine tells likeness of meaning, so that it finds what shares no word with the question. */
    readonly isSemantic: boolean
    readonly embedQuery: (text: string) => Effect.Effect<Float32Array, Unavailable>
    /** One vector for each text, in order. */
    readonly embedDocuments: (texts: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Float32Array>, Unavailable>
  }
>()("parley/embeddings/Embeddings") {
  /**
   * Needs no network. Not by way of `effect/ai`'s `EmbeddingModel`, which remote providers use: it checks each number of
   * a vector against a schema, which takes ten times as long as making this one.
   */
  static readonly layerLocal = Layer.succeed(this, {
    model: LOCAL_MODEL,
    dimensions: LOCAL_DIMENSIONS,
    weight: 0.2,
    isSemantic: false,
    embedQuery: (text) => Effect.sync(() => embedLocally(text)),
    // A text takes a fifth of a millisecond, so other requests get their turn between two of them.
    embedDocuments: (texts) => Effect.forEach(texts, (text) => Effect.map(Effect.yieldNow, () => embedLocally(text))),
  })
}
