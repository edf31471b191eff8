import { parseArgs } from "node:util"
import { Console, Context, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { OrganizationId } from "../../src/domain/Ids.ts"
import { CurrentOrganization } from "../../src/domain/Tenancy.ts"
import { Embeddings } from "../../src/embeddings/Embeddings.ts"
import { LIKELY_SIMILARITY } from "../../src/domain/knowledge/Passage.ts"
import { Indexer, textToEmbed } from "../../src/knowledge/Indexer.ts"
import { KnowledgeIndexes } from "../../src/knowledge/search/KnowledgeIndexes.ts"
import { Retriever } from "../../src/knowledge/Retriever.ts"
import { Chunks } from "../../src/storage/search/Chunks.ts"
import { LexemeIndexes } from "../../src/storage/search/LexemeIndexes.ts"
import { VectorIndexes } from "../../src/storage/search/VectorIndexes.ts"
import { platform } from "../lib/Layers.ts"
import * as TestDatabase from "../lib/TestDatabase.ts"
import { benchReranker } from "./lib/BenchEmbeddings.ts"
import { curvesOf, linesOf, sharesOf, THRESHOLDS } from "./lib/Curves.ts"
import { makeOrganization } from "./lib/Filling.ts"
import { passagesByChunk, placeOf, store, type StoredPassages } from "./lib/KnowledgeOfSets.ts"
import { ndcg10 } from "./lib/RankingMetrics.ts"
import { rememberingEmbeddings } from "./lib/RememberingEmbeddings.ts"
import { PUBLIC_SETS, readSet, type RetrievalSet } from "./lib/RetrievalSet.ts"
import { sampleOf } from "./lib/Sample.ts"
import { bounded } from "../../src/text/BoundedText.ts"

const TEN = 10
const INDEX_BYTES = 256 * 2 ** 20

const organization = OrganizationId.make(crypto.randomUUID())

/** The retriever of the server, and one without a threshold, which measures the ranking alone. */
class Unfiltered extends Context.Service<Unfiltered, Retriever["Service"]>()("parley/bench/Unfiltered") {}

/** The retriever of the server, with the reranker of the environment. */
class Reranked extends Context.Service<Reranked, Retriever["Service"]>()("parley/bench/Reranked") {}

const layer = (indexBytes: number, embeddings: string) =>
  Layer.mergeAll(
    Retriever.layer({ threshold: undefined }),
    Layer.effect(Unfiltered, Retriever).pipe(Layer.provide(Layer.fresh(Retriever.layer({ threshold: 0 })))),
    Layer.effect(Reranked, Retriever).pipe(
      Layer.provide(Layer.fresh(Retriever.layer({ threshold: undefined }))),
      Layer.provide(benchReranker),
    ),
    Indexer.layer,
  ).pipe(
    Layer.provideMerge(KnowledgeIndexes.layer({ bytes: indexBytes })),
    Layer.provideMerge(
      Layer.mergeAll(
        Chunks.layer,
        LexemeIndexes.layer,
        VectorIndexes.layer(),
        rememberingEmbeddings(embeddings),
        SecureRandom.layerWebCrypto,
      ),
    ),
    Layer.provideMerge(Layer.merge(TestDatabase.layer, platform)),
  )

/** The ids of passages, best first, by the id of the question. */
type Run = ReadonlyMap<string, ReadonlyArray<string>>

/** The passages that a search of the server finds, as many as the metric needs. */
const searched = Effect.fnUntraced(function* (
  retriever: Retriever["Service"],
  { questions }: RetrievalSet,
  { chatbotId, passageOf }: StoredPassages,
) {
  const run = new Map<string, ReadonlyArray<string>>()
  for (const { id, text } of questions) {
    const { hits } = yield* retriever.search({ chatbotId, query: text, topK: TEN })
    run.set(
      id,
      hits.map((hit) => passageOf.get(placeOf(hit)) ?? ""),
    )
  }
  return run
})

/** As `searched`, with the share of the searches that were reranked, and their mean time; undefined where none was. */
const reranked = Effect.fnUntraced(function* (set: RetrievalSet, stored: StoredPassages) {
  const retriever = yield* Reranked
  let count = 0
  const start = performance.now()
  const search = (question: Parameters<typeof retriever.search>[0]) =>
    Effect.tap(retriever.search(question), ({ hits: [best] }) => {
      if (best?.reranked !== undefined) count++
      return Effect.void
    })
  const run = yield* searched({ search }, set, stored)
  const milliseconds = (performance.now() - start) / set.questions.length
  return count === 0 ? undefined : { run, share: count / set.questions.length, milliseconds }
})

/** The passages with the highest scores of their words alone. */
const byWords = Effect.fnUntraced(function* ({ questions }: RetrievalSet, stored: StoredPassages) {
  const indexes = yield* KnowledgeIndexes
  const passageOf = yield* passagesByChunk(stored)
  const run = new Map<string, ReadonlyArray<string>>()
  for (const { id, text } of questions) {
    const { index, query } = yield* indexes.open(stored.chatbotId, bounded(text), "cached")
    run.set(
      id,
      index.search(query, TEN).map(({ chunkId }) => passageOf.get(chunkId) ?? ""),
    )
  }
  return run
})

/** The passages whose vectors are nearest to that of the question. */
const byVectors = Effect.fnUntraced(function* ({ passages, questions }: RetrievalSet) {
  const embeddings = yield* Embeddings
  const vectors = yield* embeddings.embedDocuments(
    passages.map(({ text, title }) => textToEmbed(title, { headings: [], text })),
  )
  const run = new Map<string, ReadonlyArray<string>>()
  for (const { id, text } of questions) {
    const question = yield* embeddings.embedQuery(text)
    const near = passages.map((passage, index) => ({
      id: passage.id,
      cosine: (vectors[index] ?? question).reduce((sum, value, place) => sum + value * (question[place] ?? 0), 0),
    }))
    run.set(
      id,
      near
        .sort((left, right) => right.cosine - left.cosine)
        .slice(0, TEN)
        .map((passage) => passage.id),
    )
  }
  return run
})

/** The tolerated loss of nDCG@10 against the better one of BM25 and words alone. */
const TOLERATED = 0.005

const COLUMNS = ["BM25", "words", "vectors", "hybrid", "default", "reranked", "empty %", "subjects", "articles", "near"]
const NAME_WIDTH = 26
const COLUMN_WIDTH = 9

const compare = Effect.fnUntraced(function* (sets: ReadonlyArray<RetrievalSet>, isWhole: boolean) {
  yield* makeOrganization(organization)
  const retriever = yield* Retriever
  const unfiltered = yield* Unfiltered
  yield* Console.log(
    `nDCG@10 of BM25, of words and of vectors alone, of both without a threshold, and of both with the default one,\n` +
      `and with the reranker of RERANK_URL and RERANK_MODEL as well.\n` +
      `Shares of questions in percent: left empty though answerable; that found something, though they are about other\n` +
      `subjects, about articles that were removed, or near misses. "!" marks a default that is more than ${TOLERATED} below\n` +
      `the better one of BM25 and words.\n`,
  )
  yield* Console.log("".padEnd(NAME_WIDTH) + COLUMNS.map((column) => column.padStart(COLUMN_WIDTH)).join(""))
  const curves: Array<string> = []
  for (const set of sets) {
    const stored = yield* store(set.name, set.passages)
    const ndcg = (run: Run): number => ndcg10(run, set.judgements)
    const bm25 = isWhole ? PUBLIC_SETS.get(set.name) : undefined
    const words = ndcg(yield* byWords(set, stored))
    const vectors = ndcg(yield* byVectors(set))
    const hybrid = ndcg(yield* searched(unfiltered, set, stored))
    const cut = ndcg(yield* searched(retriever, set, stored))
    const curvesOfSet = yield* curvesOf(set, stored, sets)
    const second = yield* reranked(set, stored)
    const cells = [
      bm25?.toFixed(4) ?? "–",
      ...[words, vectors, hybrid, cut].map((value) => value.toFixed(4)),
      second === undefined ? "–" : ndcg(second.run).toFixed(4),
      ...sharesOf(curvesOfSet, LIKELY_SIMILARITY).map((share) =>
        share === undefined ? "–" : (100 * share).toFixed(1),
      ),
    ]
    const mark = cut < Math.max(bm25 ?? 0, words) - TOLERATED ? " !" : ""
    if (second !== undefined) {
      const { milliseconds, share } = second
      curves.push(
        `${set.name.padEnd(NAME_WIDTH)} reranked: ${(100 * share).toFixed(0)} %, ${milliseconds.toFixed(0)} ms`,
      )
    }
    yield* Console.log(set.name.padEnd(NAME_WIDTH) + cells.map((cell) => cell.padStart(COLUMN_WIDTH)).join("") + mark)
    curves.push(...linesOf(set.name, curvesOfSet))
  }
  yield* Console.log(
    `\nShare of questions in percent, by threshold:${" ".repeat(8)}${THRESHOLDS.map((each) => each.toFixed(2).padStart(6)).join("")}`,
  )
  for (const line of curves) yield* Console.log(line)
})

/** The number of an option that is one; undefined where it is absent. */
const numberOf = (value: string | undefined): number | undefined => (value === undefined ? undefined : Number(value))

/**
 * Measures the quality of the real storage and retriever on public sets, beside BM25: of the ranking, and of the
 * threshold. On the embedded database, or on `DATABASE_URL`. Options: `--data DIR` (or `PARLEY_BENCH_DATA`),
 * `--sets a,b` instead of all public ones; `--embeddings` names a model, as `EMBEDDINGS` does; `RERANK_URL` and
 * `RERANK_MODEL` name a reranker; `--passages N` and `--queries N` measure a part of each set, the same in every run,
 * where a model would take hours for all of it; `--no-index` searches as in a knowledge base that is too large for an
 * index in memory.
 */
export const run = (args: ReadonlyArray<string>): Promise<void> => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      data: { type: "string" },
      sets: { type: "string" },
      passages: { type: "string" },
      queries: { type: "string" },
      "no-index": { type: "boolean", default: false },
      embeddings: { type: "string", default: "local" },
    },
  })
  const directory = values.data ?? process.env["PARLEY_BENCH_DATA"]
  if (directory === undefined) throw new Error("Say where the sets are: --data DIR, or PARLEY_BENCH_DATA")
  const names = values.sets?.split(",") ?? Array.from(PUBLIC_SETS.keys())
  const size = { passages: numberOf(values.passages), questions: numberOf(values.queries) }
  const sets = names.map((name) => sampleOf(readSet(directory, name), size))
  const indexBytes = values["no-index"] ? 1 : INDEX_BYTES
  const isWhole = size.passages === undefined && size.questions === undefined
  return compare(sets, isWhole).pipe(
    Effect.provide(
      Layer.provideMerge(layer(indexBytes, values.embeddings), Layer.succeed(CurrentOrganization, organization)),
    ),
    Effect.scoped,
    Effect.runPromise,
  )
}
