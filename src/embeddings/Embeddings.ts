import { Context, Effect, Layer, Schema } from "effect"
import type { Unavailable } from "../domain/Errors.ts"
import { inTurns } from "../system/InTurns.ts"
import { embedLocally, LOCAL_MODEL } from "./LocalEmbedding.ts"

/** The model takes other texts, and not this one, however often it is asked. */
export class TextRefused extends Schema.TaggedError<TextRefused>()("TextRefused", {}) {}

/** Text as vectors of length 1, by one model that the whole server uses. */
export class Embeddings extends Context.Service<
  Embeddings,
  {
    /** Stored with every vector; names whatever changes vectors, since those of two names are never compared. */
    readonly model: string
    /** Share of the vector score in a fused score, 0–1: how much the model adds to a lexical search. */
    readonly weight: number
    /** Whether the cosine tells likeness of meaning, so that it finds what shares no word with the question. */
    readonly isSemantic: boolean
    /** The cosine that texts on different things reach, 0–1; what is above it tells likeness. */
    readonly unrelatedCosine: number
    /** Fails at once where it would have to wait long: a search goes on without it. */
    readonly embedQuery: (text: string) => Effect.Effect<Float32Array, Unavailable>
    /**
     * One vector for each text, in order, all of one dimension. Waits for a provider that asks to, for minutes;
     * `Unavailable` when that was in vain, or when somebody has to mend a setting first.
     */
    readonly embedDocuments: (
      texts: ReadonlyArray<string>,
    ) => Effect.Effect<ReadonlyArray<Float32Array>, Unavailable | TextRefused>
  }
>()("parley/embeddings/Embeddings") {
  /** Needs no network. */
  static readonly layerLocal = Layer.succeed(this, {
    model: LOCAL_MODEL,
    weight: 0.2,
    isSemantic: false,
    unrelatedCosine: 0,
    embedQuery: (text) => Effect.sync(() => embedLocally(text)),
    embedDocuments: (texts) => inTurns(texts, embedLocally),
  })
}
