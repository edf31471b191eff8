import { Effect, Stream } from "effect"
import { Embeddings } from "../../../src/embeddings/Embeddings.ts"
import { LIKELY_SIMILARITY } from "../../../src/domain/knowledge/Passage.ts"
import { KnowledgeIndexes } from "../../../src/knowledge/search/KnowledgeIndexes.ts"
import { LexicalIndex } from "../../../src/knowledge/search/LexicalIndex.ts"
import { type LexicalQuery, isOfPairs } from "../../../src/knowledge/search/LexicalQuery.ts"
import {
  type Calibration,
  DEFAULT_CALIBRATION,
  similarityWithSpelling,
} from "../../../src/knowledge/search/Similarity.ts"
import { packsOf } from "../../../src/knowledge/segments/SegmentBuild.ts"
import { SegmentBuilder } from "../../../src/knowledge/segments/SegmentBuilder.ts"
import { sparse } from "../../../src/knowledge/segments/Sketch.ts"
import { type PackedChunk, unpack, uuidText } from "../../../src/storage/search/ChunkPacks.ts"
import { Chunks } from "../../../src/storage/search/Chunks.ts"
import { bounded } from "../../../src/text/BoundedText.ts"
import { addDocument, makeChatbot, publish } from "./Filling.ts"
import { type Half, halfOf } from "./Halves.ts"
import type { Article } from "./sets/Articles.ts"

/*
 * Whether a search says "not found" where it should, and nowhere else, in each script: questions are asked of knowledge
 * bases that have their article, and of some that lack it.
 */

/** An article as an index holds it, and its questions as a search asks them. */
export interface IndexedArticle {
  readonly half: Half
  readonly chunks: ReadonlyArray<PackedChunk>
  readonly questions: ReadonlyArray<{
    readonly text: string
    readonly query: LexicalQuery
    readonly vector: Float32Array
  }>
}

/** Stores the articles in the database, and reads them as its indexes do. */
export const indexed = Effect.fnUntraced(function* (name: string, articles: ReadonlyArray<Article>) {
  const embeddings = yield* Embeddings
  const indexes = yield* KnowledgeIndexes
  const chunks = yield* Chunks
  const chatbotId = yield* makeChatbot(name)
  const articleOf = new Map<string, string>()
  for (const { id, paragraphs } of articles) articleOf.set(yield* addDocument(chatbotId, "", paragraphs), id)
  yield* publish(chatbotId)
  const documents = yield* chunks.serving(chatbotId, embeddings.model)
  const packs = yield* Stream.runCollect(packsOf(chunks, chatbotId, documents, embeddings.model))
  const all = Array.from(packs).flatMap((pack) => Array.from(unpack(pack)))
  return yield* Effect.forEach(articles, ({ id, questions }) =>
    Effect.gen(function* () {
      const asked = yield* Effect.forEach(questions, ({ text }) =>
        Effect.gen(function* () {
          const { query } = yield* indexes.open(chatbotId, bounded(text), "cached")
          return { text, query, vector: yield* embeddings.embedQuery(text) }
        }),
      )
      const own = all.filter(({ documentId }) => articleOf.get(uuidText(documentId, 0)) === id)
      const article: IndexedArticle = { half: halfOf(id), chunks: own, questions: asked }
      return article
    }),
  )
})

/** The articles of a small knowledge base. */
const FEW = 5
/** The candidates of a search, of which any may have the highest similarity. */
const CANDIDATES = 30

/** The highest similarities of a passage to the questions: of those that the knowledge base answers, and of others. */
export interface Similarities {
  readonly size: "few articles" | "all but one"
  readonly half: Half
  readonly right: ReadonlyArray<number>
  readonly offTopic: ReadonlyArray<number>
}

/** Asks knowledge bases of both sizes. */
export const similaritiesOf = (
  articles: ReadonlyArray<IndexedArticle>,
  calibration: Calibration = DEFAULT_CALIBRATION,
): ReadonlyArray<Similarities> => {
  const best = (known: ReadonlyArray<IndexedArticle>): ((article: IndexedArticle) => ReadonlyArray<number>) => {
    const builder = new SegmentBuilder()
    for (const { chunks } of known) for (const chunk of chunks) builder.add(chunk)
    const index = new LexicalIndex([builder.build()], { calibration })
    return ({ questions }) =>
      questions.map(({ query, vector }) => {
        const question = sparse(vector)
        return index.search(query, CANDIDATES).reduce((most, match) => {
          const cosine = index.cosine(question, match) ?? 0
          const lifted = similarityWithSpelling(match.similarity, cosine, index.size, calibration)
          return Math.max(most, isOfPairs(query) ? match.similarity : lifted)
        }, 0)
      })
  }
  const ofAll = best(articles)
  return (["fitted", "held out"] as const).flatMap((half): ReadonlyArray<Similarities> => {
    const own = articles.filter((article) => article.half === half)
    const groups = own.flatMap((_, from) => (from % FEW === 0 ? [own.slice(from, from + FEW)] : []))
    const few = groups.filter(({ length }) => length === FEW)
    return [
      {
        size: "few articles",
        half,
        right: few.flatMap((group) => group.flatMap(best(group))),
        offTopic: few.flatMap((group, number) => few[(number + 1) % few.length]?.flatMap(best(group)) ?? []),
      },
      {
        size: "all but one",
        half,
        right: own.flatMap(ofAll),
        offTopic: own.flatMap((article) => best(articles.filter((each) => each !== article))(article)),
      },
    ]
  })
}

/** The shares of questions for which a threshold decides wrongly. */
export const errorsOf = ({ offTopic, right }: Similarities, threshold = LIKELY_SIMILARITY) => {
  const isFound = (similarity: number) => similarity > 0 && similarity >= threshold
  return {
    found: offTopic.filter(isFound).length / offTopic.length,
    empty: 1 - right.filter(isFound).length / right.length,
  }
}
