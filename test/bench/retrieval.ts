import { parseArgs } from "node:util"
import { Console, Context, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { ChatbotId, DocumentId, OrganizationId } from "../../src/domain/Ids.ts"
import { CurrentOrganization } from "../../src/domain/Tenancy.ts"
import { Embeddings } from "../../src/embeddings/Embeddings.ts"
import { Indexer } from "../../src/knowledge/Indexer.ts"
import { KnowledgeIndexes } from "../../src/knowledge/KnowledgeIndexes.ts"
import { Retriever } from "../../src/knowledge/Retriever.ts"
import { Chunks } from "../../src/storage/Chunks.ts"
import { VectorIndexes } from "../../src/storage/VectorIndexes.ts"
import { SystemSql } from "../../src/storage/Database.ts"
import { json } from "../../src/storage/SqlValues.ts"
import * as TestDatabase from "../lib/TestDatabase.ts"
import { makeBm25 } from "./lib/Bm25.ts"
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
const INDEX_BYTES = 256 * 2 ** 20
/** The first passages shown to a user, and the questions asked of a foreign set. */
const TOP = 5
const FOREIGN_QUESTIONS = 400

const organization = OrganizationId.make(crypto.randomUUID())

/** The retriever as the server has it, and one that hides nothing, to measure the order alone. */
class Unfiltered extends Context.Service<Unfiltered, Retriever["Service"]>()("parley/bench/Unfiltered") {}

const layer = Layer.mergeAll(
  Retriever.layer({ threshold: undefined }),
  Layer.effect(Unfiltered, Retriever).pipe(Layer.provide(Layer.fresh(Retriever.layer({ threshold: 0 })))),
  Indexer.layer,
).pipe(
  Layer.provideMerge(KnowledgeIndexes.layer({ bytes: INDEX_BYTES })),
  Layer.provideMerge(
    Layer.mergeAll(Chunks.layer, VectorIndexes.layer(), Embeddings.layerLocal, SecureRandom.layerWebCrypto),
  ),
  Layer.provideMerge(TestDatabase.layer),
)

/** A set in the database: each passage a chunk, neighbours of one title a document. */
const load = Effect.fnUntraced(function* (set: RetrievalSet) {
  const sql = yield* SystemSql
  const indexer = yield* Indexer
  const chatbotId = ChatbotId.make(crypto.randomUUID())
  yield* sql`insert into chatbots ${sql.insert({
    id: chatbotId,
    organization_id: organization,
    name: set.name,
    description: "",
    slug: set.name.replace("/", "-"),
    is_public: false,
    personality_config: json({}),
    settings: json({}),
    chat_widget_config: json({}),
  })}`
  const passageOf = new Map<string, string>()
  for (const passages of runsOf(set.passages)) {
    const documentId = DocumentId.make(crypto.randomUUID())
    yield* sql`insert into documents ${sql.insert({
      id: documentId,
      organization_id: organization,
      chatbot_id: chatbotId,
      name: passages[0]?.title ?? "",
      content_type: "text/plain",
      size_bytes: 0,
      sha256: documentId,
      blob_key: documentId,
      status: "ready",
      chunk_count: passages.length,
      revision: 1,
    })}`
    for (const [index, passage] of passages.entries()) passageOf.set(`${documentId} ${index + 1}`, passage.id)
    yield* indexer.index(
      {
        chatbotId,
        documentId,
        revision: 1,
        title: passages[0]?.title ?? "",
        chunks: passages.map((passage, index) => ({
          ordinal: index + 1,
          headings: [],
          text: passage.text,
          page: null,
        })),
      },
      () => Effect.void,
    )
  }
  yield* sql`update chatbots set knowledge_version = knowledge_version + 1 where id = ${chatbotId}`
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

/** Searches as deep as the figure looks: how deep a search goes changes what its fusion sees. */
const rankingOf = Effect.fnUntraced(function* (set: RetrievalSet, loaded: Effect.Success<ReturnType<typeof load>>) {
  const retriever = yield* Unfiltered
  const measureTo = Effect.fnUntraced(function* (topK: number) {
    const run = new Map<string, ReadonlyArray<string>>()
    for (const question of set.questions) {
      const { hits } = yield* retriever.search({ chatbotId: loaded.chatbotId, query: question.text, topK })
      run.set(
        question.id,
        hits.map((hit) => loaded.passageOf.get(`${hit.documentId} ${hit.ordinal}`) ?? ""),
      )
    }
    return measure(run, set.judgements)
  })
  return { ...(yield* measureTo(10)), recall100: (yield* measureTo(DEPTH)).recall100 }
})

/** Share of the questions for which something is found at the default threshold. */
const answeredShare = Effect.fnUntraced(function* (chatbotId: ChatbotId, questions: RetrievalSet["questions"]) {
  const retriever = yield* Retriever
  let answered = 0
  for (const question of questions) {
    const { hits } = yield* retriever.search({ chatbotId, query: question.text, topK: TOP })
    if (hits.length > 0) answered += 1
  }
  return answered / questions.length
})

const compare = Effect.fnUntraced(function* (directory: string, names: ReadonlyArray<string>) {
  const sql = yield* SystemSql
  yield* sql`insert into organizations ${sql.insert({ id: organization, name: "Bench" })}`
  const loaded: Array<{ readonly set: RetrievalSet; readonly chatbotId: ChatbotId }> = []
  for (const name of names) {
    const set = readSet(directory, name)
    const stored = yield* load(set)
    loaded.push({ set, chatbotId: stored.chatbotId })
    const search = makeBm25(set.passages)
    const yardstick = measure(new Map(set.questions.map(({ id, text }) => [id, search(text, DEPTH)])), set.judgements)
    const parley = yield* rankingOf(set, stored)
    const figures = (["ndcg10", "recall10", "recall100", "mrr10"] as const).map(
      (key) => `${key} ${parley[key].toFixed(4)} (BM25 ${yardstick[key].toFixed(4)})`,
    )
    yield* Console.log(
      `${name.padEnd(20)} ${figures.join("  ")}  ratio ${(parley.ndcg10 / yardstick.ndcg10).toFixed(3)}`,
    )
  }
  yield* Console.log("\nQuestions for which something is found at the default threshold, by the set they come from:")
  for (const base of loaded) {
    const cells: Array<string> = []
    for (const asked of loaded) {
      const share = yield* answeredShare(base.chatbotId, asked.set.questions.slice(0, FOREIGN_QUESTIONS))
      cells.push(`${asked.set.name} ${(100 * share).toFixed(1)} %`)
    }
    yield* Console.log(`${base.set.name.padEnd(20)} ${cells.join("  ")}`)
  }
})

/**
 * Ranking quality of the real storage and retriever on public sets, beside BM25. On the embedded database, or on
 * `DATABASE_URL`. Options: `--data DIR` (or `PARLEY_BENCH_DATA`), `--sets a,b`.
 */
export const run = (args: ReadonlyArray<string>): Promise<void> => {
  const { values } = parseArgs({ args: [...args], options: { data: { type: "string" }, sets: { type: "string" } } })
  const directory = values.data ?? process.env["PARLEY_BENCH_DATA"]
  if (directory === undefined) throw new Error("Say where the sets are: --data DIR, or PARLEY_BENCH_DATA")
  return compare(directory, values.sets?.split(",") ?? SETS).pipe(
    Effect.provideService(CurrentOrganization, organization),
    Effect.provide(layer),
    Effect.scoped,
    Effect.runPromise,
  )
}
