import { Effect } from "effect"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import { analyzeEnglish, makeBm25 } from "./Bm25.ts"
import type { RetrievalSet } from "./RetrievalSet.ts"

/** The words of texts, stemmed by Lucene's analyser for English and by the database's Snowball stemmer for the rest. */
const analyze = Effect.fnUntraced(function* (language: string, texts: ReadonlyArray<string>) {
  if (language === "english") return texts.map(analyzeEnglish)
  const sql = yield* SystemSql
  const rows = yield* sql<{ words: ReadonlyArray<string> }>`
    select array(
      select lexeme from unnest(to_tsvector(${language}::text::regconfig, text)) as word, unnest(word.positions)
    ) as words from unnest(${texts}::text[]) with ordinality as given (text, place) order by place`
  return rows.map(({ words }) => words)
})

/** The passages that BM25 finds for each question of a set, best first. */
export const searchByBm25 = Effect.fnUntraced(function* (set: RetrievalSet, depth: number) {
  const [passages, questions] = yield* Effect.all([
    analyze(
      set.language,
      set.passages.map(({ title, text }) => `${title} ${text}`),
    ),
    analyze(
      set.language,
      set.questions.map(({ text }) => text),
    ),
  ])
  const search = makeBm25(set.passages.map(({ id }, index) => ({ id, words: passages[index] ?? [] })))
  return new Map(set.questions.map(({ id }, index) => [id, search(questions[index] ?? [], depth)]))
})
