import { expect, test } from "bun:test"
import { Effect, Layer } from "effect"
import { Embeddings } from "../../src/embeddings/Embeddings.ts"
import * as IndexKeeping from "../../src/knowledge/IndexKeeping.ts"
import { chunksThatFit, NUMBERS_IN_MEMORY } from "../../src/knowledge/search/IndexBuilder.ts"
import { LexemeIndexes } from "../../src/storage/search/LexemeIndexes.ts"
import { VectorIndexes } from "../../src/storage/search/VectorIndexes.ts"
import { DatabaseTraits } from "../../src/system/DatabaseTraits.ts"
import { eventually } from "../lib/Layers.ts"

const BYTES = 100_000_000

/** Builds the layer, and returns which indexes it maintains. */
const maintainedWith = (answersWhileIndexing: boolean, isSemantic: boolean) =>
  Effect.gen(function* () {
    const maintained: Array<string> = []
    const maintain = (what: string) =>
      Effect.andThen(
        Effect.sync(() => maintained.push(what)),
        Effect.never,
      )
    const local = yield* Embeddings
    const stores = Layer.mergeAll(
      Layer.mock(LexemeIndexes)({ keep: (leastChunks) => maintain(`words from ${leastChunks} chunks on`) }),
      Layer.mock(VectorIndexes)({
        find: () => undefined,
        keep: (model, { chunks, numbers }) =>
          maintain(`vectors by ${model} from ${chunks} chunks or ${numbers} numbers on`),
      }),
      Layer.succeed(Embeddings, { ...local, model: "large", isSemantic }),
      Layer.succeed(DatabaseTraits, { isAlone: !answersWhileIndexing, answersWhileIndexing }),
    )
    yield* Layer.build(Layer.provide(IndexKeeping.layer({ bytes: BYTES }), stores))
    yield* eventually(Effect.yieldNow, () => maintained.length > 0)
    // The indexes of vectors come last, one step after those of words.
    yield* Effect.yieldNow
    return maintained.toSorted()
  }).pipe(Effect.scoped, Effect.provide(Embeddings.layerLocal), Effect.runPromise)

const most = chunksThatFit(BYTES)

test.each([
  [
    "a database that answers queries while it builds indexes gets them before they are needed",
    true,
    true,
    most / 2,
    [`vectors by large from ${Math.floor(most / 2)} chunks or ${NUMBERS_IN_MEMORY / 2} numbers on`],
  ],
  ["vectors without meaning get no index", true, false, most / 2, []],
  [
    "a database that answers no queries meanwhile gets only an index of words, once it is needed",
    false,
    true,
    most,
    [],
  ],
] as const)("%s", async (_, answersWhileIndexing, isSemantic, chunks, vectors) => {
  expect(await maintainedWith(answersWhileIndexing, isSemantic)).toEqual([
    ...vectors,
    `words from ${Math.floor(chunks)} chunks on`,
  ])
})
