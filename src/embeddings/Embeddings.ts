import { Context, Effect, Layer, Schema } from "effect"
import type { Unavailable } from "../domain/Errors.ts"
import { inTurns } from "../system/InTurns.ts"
import { bounded } from "../text/BoundedText.ts"
import { embedLocally, LOCAL_MODEL } from "./LocalEmbedding.ts"

/** The embedding model permanently refuses a text, while it accepts others. */
export class TextRefused extends Schema.TaggedError<TextRefused>()("TextRefused", {
  /** Why, in sentences for people. */
  reason: Schema.optionalKey(Schema.String),
}) {}

/** Turns texts into vectors of length 1, by the one embedding model of the server. */
export class Embeddings extends Context.Service<
  Embeddings,
  {
    /**
     * The name of the model, which is stored with every vector. It differs for everything that changes vectors, because
     * only vectors of the same name are compared.
     */
    readonly model: string
    /** The share of the vector score in a fused score, 0–1. The rest is the lexical score. */
    readonly weight: number
    /** Whether the cosine measures similarity of meaning, so that it finds texts without a word of the question. */
    readonly isSemantic: boolean
    /** The cosine that unrelated texts reach, 0–1. Only a higher one means similarity. */
    readonly unrelatedCosine: number
    /** The vector of a question. Fails early rather than waiting long, so that a search can go on without it. */
    readonly embedQuery: (text: string) => Effect.Effect<Float32Array, Unavailable>
    /**
     * The vectors of texts, in their order, all of the same dimension. Waits for minutes when the provider asks for it.
     * Fails with `Unavailable` when that was in vain, or when an operator has to correct a setting first.
     *
     * @param onWait called with the reason, in sentences for people, before it waits
     */
    readonly embedDocuments: (
      texts: ReadonlyArray<string>,
      onWait?: (reason: string) => void,
    ) => Effect.Effect<ReadonlyArray<Float32Array>, Unavailable | TextRefused>
  }
>()("parley/embeddings/Embeddings") {
  /** The local model, which needs no network. */
  static readonly layerLocal = Layer.succeed(this, {
    model: LOCAL_MODEL,
    weight: 0.2,
    isSemantic: false,
    unrelatedCosine: 0,
    embedQuery: (text) => Effect.sync(() => embedLocally(bounded(text))),
    embedDocuments: (texts) => inTurns(texts, (text) => embedLocally(bounded(text))),
  })
}
