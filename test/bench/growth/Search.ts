import { Effect } from "effect"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import type { Child } from "../http/Child.ts"
import { measureSearches, searchRequest } from "../lib/Searches.ts"

/** How long searches are measured, and with how many clients at once. */
interface SearchOptions {
  readonly clients: ReadonlyArray<number>
  readonly milliseconds: number
  /** The number of different questions; each is asked once before the measurement. */
  readonly questions: number
}

/** Measures searches of the large chatbots, and of one with a single document, through HTTP. */
export const search = Effect.fn("growth.search")(function* (child: Child, url: string, options: SearchOptions) {
  const sql = yield* SystemSql
  const chatbots = yield* sql<{ id: string; passages: number }>`
    select id, passages from bench_chatbots
    where n in (1, 2, (select min(n) from bench_chatbots where n > 2 and passages > 0)) order by passages`
  const questions = yield* sql<{ question: string }>`
    select question from bench_questions order by hashint4(n) limit ${options.questions}`
  for (const { id, passages } of chatbots) {
    const requests = questions.map(({ question }) => searchRequest(id, question))
    yield* measureSearches(child, url, `${passages} passages`, requests, options)
  }
})
