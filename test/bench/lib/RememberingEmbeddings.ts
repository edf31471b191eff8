import { Effect, Layer } from "effect"
import { Embeddings } from "../../../src/embeddings/Embeddings.ts"
import { embeddingsNamed } from "./BenchEmbeddings.ts"

/**
 * Embeddings of a model, named as in `EMBEDDINGS`, that remember each vector for as long as the benchmark runs: it embeds a passage for several
 * knowledge bases, and compares it with questions itself.
 */
export const rememberingEmbeddings = (model: string) =>
  Layer.effect(
    Embeddings,
    Effect.map(Embeddings, (embeddings) => {
      const questions = new Map<string, Float32Array>()
      const passages = new Map<string, Float32Array>()
      return {
        ...embeddings,
        embedQuery: Effect.fnUntraced(function* (text: string) {
          const vector = questions.get(text) ?? (yield* embeddings.embedQuery(text))
          questions.set(text, vector)
          return vector
        }),
        embedDocuments: Effect.fnUntraced(function* (texts: ReadonlyArray<string>) {
          const missing = Array.from(new Set(texts)).filter((text) => !passages.has(text))
          const vectors = yield* embeddings.embedDocuments(missing)
          for (const [index, text] of missing.entries()) passages.set(text, vectors[index] ?? new Float32Array())
          return texts.map((text) => passages.get(text) ?? new Float32Array())
        }),
      }
    }),
  ).pipe(Layer.provide(embeddingsNamed(model)))
