import { parseArgs } from "node:util"
import { Console, Context, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { OrganizationId } from "../../src/domain/Ids.ts"
import { CurrentOrganization } from "../../src/domain/Tenancy.ts"
import { Embeddings } from "../../src/embeddings/Embeddings.ts"
import { Indexer } from "../../src/knowledge/Indexer.ts"
import { KnowledgeIndexes } from "../../src/knowledge/search/KnowledgeIndexes.ts"
import type { LexicalQuery } from "../../src/knowledge/search/LexicalQuery.ts"
import { Retriever } from "../../src/knowledge/Retriever.ts"
import { sparse, type SparseVector } from "../../src/knowledge/segments/Sketch.ts"
import { Chunks } from "../../src/storage/search/Chunks.ts"
import { LexemeIndexes } from "../../src/storage/search/LexemeIndexes.ts"
import { VectorIndexes } from "../../src/storage/search/VectorIndexes.ts"
import { SystemSql } from "../../src/storage/sql/Database.ts"
import { platform } from "../lib/Layers.ts"
import * as TestDatabase from "../lib/TestDatabase.ts"
import { embeddingsNamed } from "./lib/BenchEmbeddings.ts"
import { calibrate } from "./lib/Calibrating.ts"
import { curvesOf, linesOf, questionsOfOthers, sampled, THRESHOLDS } from "./lib/Curves.ts"
import { makeOrganization } from "./lib/Filling.ts"
import { fit, type IndexedSet } from "./lib/Fitting.ts"
import { half } from "./lib/Halves.ts"
import { placeOf, store, type StoredPassages } from "./lib/KnowledgeOfSets.ts"
import { measure } from "./lib/RankingMetrics.ts"
import type { RetrievalSet } from "./lib/RetrievalSet.ts"
import { ALL_SETS, makeSet, PUBLIC_SETS } from "./lib/sets/Sets.ts"
import { withGaps } from "./lib/sets/Gaps.ts"
import { searchByBm25 } from "./lib/Snowball.ts"
import { bounded } from "../../src/text/BoundedText.ts"

const DEPTH = 100
const TEN = 10
const INDEX_BYTES = 256 * 2 ** 20

const organization = OrganizationId.make(crypto.randomUUID())

/** The retriever of the server, and one without a threshold, which measures the ranking alone. */
class Unfiltered extends Context.Service<Unfiltered, Retriever["Service"]>()("parley/bench/Unfiltered") {}

const layer = (indexBytes: number, embeddings: string) =>
  Layer.mergeAll(
    Retriever.layer({ threshold: undefined }),
    Layer.effect(Unfiltered, Retriever).pipe(Layer.provide(Layer.fresh(Retriever.layer({ threshold: 0 })))),
    Indexer.layer,
  ).pipe(
    Layer.provideMerge(KnowledgeIndexes.layer({ bytes: indexBytes })),
    Layer.provideMerge(
      Layer.mergeAll(
        Chunks.layer,
        LexemeIndexes.layer,
        VectorIndexes.layer(),
        embeddingsNamed(embeddings),
        SecureRandom.layerWebCrypto,
      ),
    ),
    Layer.provideMerge(Layer.merge(TestDatabase.layer, platform)),
  )

/** Searches as deep as the metric needs, because the depth changes the candidates of the fusion. */
const rankingOf = Effect.fnUntraced(function* (
  retriever: Retriever["Service"],
  set: RetrievalSet,
  { chatbotId, passageOf }: StoredPassages,
  topK: number,
) {
  const run = new Map<string, ReadonlyArray<string>>()
  for (const { id, text } of set.questions) {
    const { hits } = yield* retriever.search({ chatbotId, query: text, topK })
    run.set(
      id,
      hits.map((hit) => passageOf.get(placeOf(hit)) ?? ""),
    )
  }
  return run
})

const compare = Effect.fnUntraced(function* (directory: string, names: ReadonlyArray<string>) {
  yield* makeOrganization(organization)
  const retriever = yield* Retriever
  const unfiltered = yield* Unfiltered
  const sets = names.map((name) => makeSet(directory, name))
  const stored: Array<StoredPassages> = []
  for (const set of sets) {
    const passages = yield* store(set.name, set.passages)
    stored.push(passages)
    const byBm25 = yield* searchByBm25(set, DEPTH)
    const found = yield* rankingOf(unfiltered, set, passages, TEN)
    const cut = yield* rankingOf(retriever, set, passages, TEN)
    const deep = yield* rankingOf(unfiltered, set, passages, DEPTH)
    const of = (run: typeof found, { judgements }: RetrievalSet = set) => measure(run, judgements)
    const compared = (key: "ndcg10" | "recall10" | "recall100" | "mrr10", run: typeof found) =>
      `${key} ${of(run)[key].toFixed(4)} (BM25 ${of(byBm25)[key].toFixed(4)})`
    const heldOut = half(set, "held out")
    const cells = [
      compared("ndcg10", found),
      `cut ${of(cut).ndcg10.toFixed(4)}`,
      compared("recall10", found),
      compared("recall100", deep),
      compared("mrr10", found),
      `held out: ndcg10 ${of(found, heldOut).ndcg10.toFixed(4)} (BM25 ${of(byBm25, heldOut).ndcg10.toFixed(4)})`,
    ]
    yield* Console.log(`${set.name.padEnd(26)} ${cells.join("  ")}`)
  }
  yield* Console.log(
    `\nShare of questions in percent, by threshold:${" ".repeat(8)}${THRESHOLDS.map((each) => each.toFixed(2).padStart(6)).join("")}`,
  )
  for (const [index, set] of sets.entries()) {
    const passages = stored[index]
    if (passages === undefined) continue
    for (const line of linesOf(set.name, yield* curvesOf(set, passages, sets))) yield* Console.log(line)
  }
})

/** The set as an index in the memory of this process. */
const indexed = Effect.fnUntraced(function* (set: RetrievalSet) {
  const { chatbotId, passageOf } = yield* store(set.name, set.passages)
  const indexes = yield* KnowledgeIndexes
  const embeddings = yield* Embeddings
  const sql = yield* SystemSql
  const rows = yield* sql<{ id: string; place: string }>`
    select id, document_id || ' ' || ordinal as place from chunks where chatbot_id = ${chatbotId}`
  const questions = new Map<string, { query: LexicalQuery; vector: SparseVector }>()
  for (const { id, text } of set.questions) {
    const { query } = yield* indexes.open(chatbotId, bounded(text), "cached")
    questions.set(id, { query, vector: sparse(yield* embeddings.embedQuery(text)) })
  }
  const { index } = yield* indexes.open(chatbotId, bounded(""), "cached")
  const passages = new Map(rows.map(({ id, place }) => [id, passageOf.get(place) ?? ""]))
  return { set, index, questions, passageOf: passages } satisfies IndexedSet
})

/** The most questions of a set to which weights are fitted. */
const FITTING = 300

const limited = (set: RetrievalSet): RetrievalSet => {
  const questions = sampled(set.questions, FITTING)
  return {
    ...set,
    questions,
    judgements: new Map(questions.map(({ id }) => [id, set.judgements.get(id) ?? new Map()])),
  }
}

const fitAll = Effect.fnUntraced(function* (directory: string, names: ReadonlyArray<string>) {
  yield* makeOrganization(organization)
  const sets = yield* Effect.forEach(names, (name) => indexed(limited(makeSet(directory, name))))
  const { weight } = yield* Embeddings
  yield* Effect.sync(() => fit(sets, weight, (line) => console.log(line)))
})

/** The questions of each kind that a set is asked to calibrate similarity. */
const CALIBRATING = 150

const calibrateAll = Effect.fnUntraced(function* (directory: string, names: ReadonlyArray<string>) {
  yield* makeOrganization(organization)
  const indexes = yield* KnowledgeIndexes
  const sets = names.map((name) => makeSet(directory, name))
  const asked = Effect.fnUntraced(function* (
    { chatbotId }: StoredPassages,
    answerable: boolean,
    questions: RetrievalSet["questions"],
  ) {
    const queries = yield* Effect.forEach(sampled(questions, CALIBRATING), ({ text }) =>
      Effect.map(indexes.open(chatbotId, bounded(text), "cached"), ({ query }) => query),
    )
    const { index } = yield* indexes.open(chatbotId, bounded(""), "cached")
    return { index, answerable, queries }
  })
  const calibrated = yield* Effect.forEach(sets, (set) =>
    Effect.gen(function* () {
      const { passages, offTopic } = withGaps(set)
      const full = yield* store(set.name, set.passages)
      const gaps = yield* store(set.name, passages)
      return {
        name: set.name,
        group:
          set.language === "english" && set.name !== "xquad/zh" ? set.subject : set.name.slice(0, "xquad/de".length),
        asked: yield* Effect.all([
          asked(full, true, set.questions),
          asked(full, false, questionsOfOthers(set, sets)),
          asked(gaps, false, offTopic),
        ]),
      }
    }),
  )
  yield* Effect.sync(() => calibrate(calibrated, (line) => console.log(line)))
})

/**
 * Measures the ranking quality of the real storage and retriever on public sets, beside BM25. On the embedded database,
 * or on `DATABASE_URL`. Options: `--data DIR` (or `PARLEY_BENCH_DATA`), `--sets a,b`; `--public` leaves out the sets that
 * are made of the public ones; `--embeddings` names a model, as `EMBEDDINGS` does; `--no-index` searches as in a knowledge
 * base that is too large for an index in memory; `--fit` looks for better weights instead, and `--calibrate` for a better
 * calibration of similarity.
 */
export const run = (args: ReadonlyArray<string>): Promise<void> => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      data: { type: "string" },
      sets: { type: "string" },
      public: { type: "boolean", default: false },
      "no-index": { type: "boolean", default: false },
      fit: { type: "boolean", default: false },
      calibrate: { type: "boolean", default: false },
      embeddings: { type: "string", default: "local" },
    },
  })
  const directory = values.data ?? process.env["PARLEY_BENCH_DATA"]
  if (directory === undefined) throw new Error("Say where the sets are: --data DIR, or PARLEY_BENCH_DATA")
  const names = values.sets?.split(",") ?? (values.public ? PUBLIC_SETS : ALL_SETS)
  const indexBytes = values["no-index"] ? 1 : INDEX_BYTES
  const provided = Effect.provide(
    Layer.provideMerge(layer(indexBytes, values.embeddings), Layer.succeed(CurrentOrganization, organization)),
  )
  return Effect.runPromise(
    Effect.scoped(
      values.fit
        ? provided(fitAll(directory, names))
        : values.calibrate
          ? provided(calibrateAll(directory, names))
          : provided(compare(directory, names)),
    ),
  )
}
