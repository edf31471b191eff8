import { Console, Effect } from "effect"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import type { Child } from "../http/Child.ts"
import { apiKey } from "../http/Fixture.ts"
import * as Load from "../http/Load.ts"
import { indexesMade, meter, pagesRead, postgresClock } from "../lib/Backends.ts"
import { summary } from "../lib/Quantiles.ts"

/** How long searches are measured, and with how many clients at once. */
export interface SearchOptions {
  readonly clients: ReadonlyArray<number>
  readonly milliseconds: number
  /** The number of different questions; each is asked once before the measurement. */
  readonly questions: number
}

/** The longest time for which questions are asked before the measurement. */
const WARM_UP_MILLISECONDS = 60_000
const REQUESTS_MAX = 1_000_000

/** Measures searches of the large chatbots, and of one with a single document, through HTTP. */
export const search = Effect.fn("growth.search")(function* (
  child: Child,
  url: string,
  { clients, milliseconds, questions: different }: SearchOptions,
) {
  const sql = yield* SystemSql
  const postgres = yield* postgresClock(url)
  yield* indexesMade(url)
  const chatbots = yield* sql<{ id: string; passages: number }>`
    select id, passages from bench_chatbots
    where n in (1, 2, (select min(n) from bench_chatbots where n > 2 and passages > 0)) order by passages`
  const questions = yield* sql<{ question: string }>`
    select question from bench_questions order by hashint4(n) limit ${different}`
  for (const { id, passages } of chatbots) {
    const requests = questions.map(({ question }) =>
      Load.requestBytes({
        method: "POST",
        path: `/api/external/chatbot/${id}/query-knowledge`,
        apiKey,
        body: { query: question },
      }),
    )
    const ask = (count: number, time: number, requestsMax: number) =>
      Load.run({ port: child.port, requests, clients: count, milliseconds: time, requestsMax })
    yield* ask(2, WARM_UP_MILLISECONDS, requests.length)
    yield* indexesMade(url)
    for (const count of clients) {
      const pages = yield* pagesRead
      const costOf = meter(child, postgres)
      const outcome = yield* ask(count, milliseconds, REQUESTS_MAX)
      const answers = outcome.latencies.length
      const cost = costOf(answers)
      yield* Console.log(
        `${passages} passages, ${count} clients: ${summary(outcome.latencies, 0)}, ${answers} answers, ${outcome.errors} errors; ${(((yield* pagesRead) - pages) / answers).toFixed(1)} pages each; ${cost}`,
      )
    }
  }
})
