import { Effect } from "effect"
import type { Finding } from "../../domain/console/SystemState.ts"
import { Embeddings } from "../../embeddings/Embeddings.ts"
import { Inspection, type LexemeIndexFacts, type VectorFacts } from "../../storage/inspection/Inspection.ts"
import { count, note, ok } from "./Check.ts"
import { ofQueue } from "./Queue.ts"

/** Reports the vectors of passages, and the indexes of words in the database. */
export const vectorsCheck = Effect.gen(function* () {
  const inspection = yield* Inspection
  const { model } = yield* Embeddings

  const vectors = ofVectors(yield* inspection.vectors, model)
  const indexes = yield* inspection.lexemeIndexes
  return [
    ...vectors,
    ...indexes.map(({ chatbot, state }) =>
      (state === "ready" ? ok : note)("search", `chatbot ${chatbot}, ${INDEX_STATES[state]}`),
    ),
  ]
})

/** Describes the lexeme index of a chatbot whose knowledge exceeds `INDEX_MEMORY`, or soon will. */
const INDEX_STATES: Record<LexemeIndexFacts["state"], string> = {
  ready: "is large; its words are indexed in the database",
  building:
    "is large; its words are being indexed in the database, and until then searches without an index in memory are slow",
  broken:
    "the index of its words is incomplete and will be rebuilt when it is searched; until then its searches are slow",
}

/** Reports the vectors by embedding model, and the progress of embedding again. */
const ofVectors = (
  { awaitingVectors, declared, models, reembeddings }: VectorFacts,
  model: string,
): ReadonlyArray<Finding> => {
  const all = models.reduce((sum, { chunks }) => sum + chunks, 0)
  const done = models.find((one) => one.model === model)?.chunks ?? 0
  const lines = models.map(({ model: made, chunks, documents }) =>
    ok("vectors", `${count(chunks, "chunk")} of ${count(documents, "document")} by ${made}`),
  )
  if (awaitingVectors > 0) {
    lines.push(
      note("vectors", `${count(awaitingVectors, "new document")} cannot be found until the embedding model answers`),
    )
  }
  if (declared !== null && declared !== model) {
    lines.push(
      note("vectors", `the server that was started last embeds by ${declared}, and these settings by ${model}`),
    )
  }
  if (done === all) return lines
  const share = Math.floor((100 * done) / all)
  return [
    ...lines,
    note("vectors", `${share} % are by ${model}; the others are found by their words until they are embedded again`),
    ofQueue("vectors", reembeddings, "document"),
  ]
}
