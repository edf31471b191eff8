import { parseArgs } from "node:util"
import { Console, Context, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { type ChatbotId, OrganizationId } from "../../src/domain/Ids.ts"
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
import { inMemory } from "../lib/Knowledge.ts"
import { platform } from "../lib/Layers.ts"
import * as TestDatabase from "../lib/TestDatabase.ts"
import { makeBm25 } from "./lib/Bm25.ts"
import { addDocument, makeChatbot, makeOrganization, publish } from "./lib/Filling.ts"
import { fit, type IndexedSet } from "./lib/Fitting.ts"
import { half } from "./lib/Halves.ts"
import { measure } from "./lib/RankingMetrics.ts"
import { readSet, type RetrievalSet } from "./lib/RetrievalSet.ts"

const SETS = [
  "anthropic-docs",
  "anthropic-codebase",
  "cranfield",
  "squad-dev",
  ...["en", "de", "ru", "ar", "tr", "zh"].map((language) => `xquad/${language}`),
]
const DEPTH = 100
const TEN = 10
const INDEX_BYTES = 256 * 2 ** 20
/** Passages that a user sees, and questions of another set that are asked of each set. */
const TOP = 5
const FOREIGN_QUESTIONS = 400

const organization = OrganizationId.make(crypto.randomUUID())

/** The retriever of the server, and one without a threshold, which measures the ranking alone. */
class Unfiltered extends Context.Service<Unfiltered, Retriever["Service"]>()("parley/bench/Unfiltered") {}

const layer = (indexBytes: number) =>
  Layer.mergeAll(
    Retriever.layer({ threshold: undefined }),
    Layer.effect(Unfiltered, Retriever).pipe(Layer.provide(Layer.fresh(Retriever.layer({ threshold: 0 })))),
    Indexer.layer,
  ).pipe(
    Layer.provideMerge(KnowledgeIndexes.layer({ bytes: indexBytes })),
    Layer.provideMerge(inMemory),
    Layer.provideMerge(
      Layer.mergeAll(
        Chunks.layer,
        LexemeIndexes.layer,
        VectorIndexes.layer(),
        Embeddings.layerLocal,
        SecureRandom.layerWebCrypto,
      ),
    ),
    Layer.provideMerge(Layer.merge(TestDatabase.layer, platform)),
  )

/** Stores a set in the database. Each passage is a chunk, and neighbours with one title are a document. */
const load = Effect.fnUntraced(function* (set: RetrievalSet) {
  const chatbotId = yield* makeChatbot(set.name)
  const passageOf = new Map<string, string>()
  for (const passages of runsOf(set.passages)) {
    const texts = passages.map((passage) => passage.text)
    const documentId = yield* addDocument(chatbotId, passages[0]?.title ?? "", texts)
    for (const [index, passage] of passages.entries()) passageOf.set(`${documentId} ${index + 1}`, passage.id)
  }
  yield* publish(chatbotId)
  return { chatbotId, passageOf }
})

const runsOf = (passages: RetrievalSet["passages"]): ReadonlyArray<RetrievalSet["passages"]> => {
  const runs: Array<Array<RetrievalSet["passages"][number]>> = []
  for (const passage of passages) {
    const last = runs.at(-1)
    if (last?.[0]?.title === passage.title) last.push(passage)
    else runs.push([passage])
  }
  return runs
}

/** Searches as deep as the metric needs, because the depth changes the candidates of the fusion. */
const rankingOf = Effect.fnUntraced(function* (
  set: RetrievalSet,
  loaded: Effect.Success<ReturnType<typeof load>>,
  topK: number,
) {
  const retriever = yield* Unfiltered
  const run = new Map<string, ReadonlyArray<string>>()
  for (const question of set.questions) {
    const { hits } = yield* retriever.search({ chatbotId: loaded.chatbotId, query: question.text, topK })
    run.set(
      question.id,
      hits.map((hit) => loaded.passageOf.get(`${hit.documentId} ${hit.ordinal}`) ?? ""),
    )
  }
  return run
})

/** The share of the questions with at least one hit at the default threshold. */
const answeredShare = Effect.fnUntraced(function* (chatbotId: ChatbotId, questions: RetrievalSet["questions"]) {
  const retriever = yield* Retriever
  let answered = 0
  for (const question of questions) {
    const { hits } = yield* retriever.search({ chatbotId, query: question.text, topK: TOP })
    if (hits.length > 0) answered += 1
  }
  return answered / questions.length
})

const KEYS = ["ndcg10", "recall10", "recall100", "mrr10"] as const

const compare = Effect.fnUntraced(function* (directory: string, names: ReadonlyArray<string>) {
  yield* makeOrganization(organization)
  const loaded: Array<{ readonly set: RetrievalSet; readonly chatbotId: ChatbotId }> = []
  for (const name of names) {
    const set = readSet(directory, name)
    const stored = yield* load(set)
    loaded.push({ set, chatbotId: stored.chatbotId })
    const search = makeBm25(set.passages)
    const byBm25 = new Map(set.questions.map(({ id, text }) => [id, search(text, DEPTH)]))
    const found = yield* rankingOf(set, stored, TEN)
    const deep = yield* rankingOf(set, stored, DEPTH)
    const figures = (questions: RetrievalSet, keys: ReadonlyArray<(typeof KEYS)[number]>) => {
      const yardstick = measure(byBm25, questions.judgements)
      const { recall100 } = measure(deep, questions.judgements)
      const parley = { ...measure(found, questions.judgements), recall100 }
      const cells = keys.map((key) => `${key} ${parley[key].toFixed(4)} (BM25 ${yardstick[key].toFixed(4)})`)
      return cells.join("  ")
    }
    yield* Console.log(
      `${name.padEnd(20)} ${figures(set, KEYS)}  held out: ${figures(half(set, "held out"), ["ndcg10"])}`,
    )
  }
  yield* Console.log(
    "\nHeld-out questions for which something is found at the default threshold, by the set they come from:",
  )
  for (const base of loaded) {
    const cells: Array<string> = []
    for (const asked of loaded) {
      const questions = half(asked.set, "held out").questions.slice(0, FOREIGN_QUESTIONS)
      cells.push(`${asked.set.name} ${(100 * (yield* answeredShare(base.chatbotId, questions))).toFixed(1)} %`)
    }
    yield* Console.log(`${base.set.name.padEnd(20)} ${cells.join("  ")}`)
  }
})

/** The set as an index in the memory of this process. */
const indexed = Effect.fnUntraced(function* (set: RetrievalSet) {
  const { chatbotId, passageOf } = yield* load(set)
  const indexes = yield* KnowledgeIndexes
  const embeddings = yield* Embeddings
  const sql = yield* SystemSql
  const rows = yield* sql<{ id: string; place: string }>`
    select id, document_id || ' ' || ordinal as place from chunks where chatbot_id = ${chatbotId}`
  const questions = new Map<string, { query: LexicalQuery; vector: SparseVector }>()
  for (const { id, text } of set.questions) {
    const { query } = yield* indexes.open(chatbotId, text, "cached")
    questions.set(id, { query, vector: sparse(yield* embeddings.embedQuery(text)) })
  }
  const { index } = yield* indexes.open(chatbotId, "", "cached")
  const passages = new Map(rows.map(({ id, place }) => [id, passageOf.get(place) ?? ""]))
  return { set, index, questions, passageOf: passages } satisfies IndexedSet
})

const fitAll = Effect.fnUntraced(function* (directory: string, names: ReadonlyArray<string>) {
  yield* makeOrganization(organization)
  const sets = yield* Effect.forEach(names, (name) => indexed(readSet(directory, name)))
  const { weight } = yield* Embeddings
  yield* Effect.sync(() => fit(sets, weight, (line) => console.log(line)))
})

/**
 * Measures the ranking quality of the real storage and retriever on public sets, beside BM25. On the embedded database,
 * or on `DATABASE_URL`. Options: `--data DIR` (or `PARLEY_BENCH_DATA`), `--sets a,b`; `--no-index` searches as in a
 * knowledge base that is too large for an index in memory; `--fit` looks for better weights instead.
 */
export const run = (args: ReadonlyArray<string>): Promise<void> => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      data: { type: "string" },
      sets: { type: "string" },
      "no-index": { type: "boolean", default: false },
      fit: { type: "boolean", default: false },
    },
  })
  const directory = values.data ?? process.env["PARLEY_BENCH_DATA"]
  if (directory === undefined) throw new Error("Say where the sets are: --data DIR, or PARLEY_BENCH_DATA")
  const names = values.sets?.split(",") ?? SETS
  const indexBytes = values["no-index"] ? 1 : INDEX_BYTES
  const provided = Effect.provide(
    Layer.provideMerge(layer(indexBytes), Layer.succeed(CurrentOrganization, organization)),
  )
  return Effect.runPromise(
    Effect.scoped(values.fit ? provided(fitAll(directory, names)) : provided(compare(directory, names))),
  )
}
