import { Console, Effect } from "effect"
import { LEXEME_INDEX } from "../../../src/storage/search/LexemeIndexes.ts"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import type { Child } from "../http/Child.ts"
import { apiKey } from "../http/Fixture.ts"
import * as Load from "../http/Load.ts"
import { backendTime, pagesRead } from "../lib/Backends.ts"

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

const quantile = (sorted: ReadonlyArray<number>, share: number): string =>
  (sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN).toFixed(0)

/** Within this time after its start, and after each index, a server begins to make the next index that is missing. */
const INDEX_BEGINS_MILLISECONDS = 5_000

/** Waits until the server has made the indexes of words of all large chatbots, which takes minutes for millions of passages. */
const indexed = Effect.gen(function* () {
  const sql = yield* SystemSql
  for (let quietSince = performance.now(); performance.now() - quietSince < INDEX_BEGINS_MILLISECONDS;) {
    const unfinished = yield* sql`select from pg_index join pg_class on pg_class.oid = indexrelid
      where starts_with(relname, ${LEXEME_INDEX}) and not indisvalid`
    if (unfinished.length > 0) quietSince = performance.now()
    yield* Effect.sleep(500)
  }
})

/** Measures searches of the large chatbots, and of one with a single document, through HTTP. */
export const search = Effect.fn("growth.search")(function* (
  child: Child,
  url: string,
  { clients, milliseconds, questions: different }: SearchOptions,
) {
  const sql = yield* SystemSql
  yield* indexed
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
    for (const count of clients) {
      const pages = yield* pagesRead
      const [own, backends] = [child.processorTime(), yield* backendTime(url)]
      const outcome = yield* ask(count, milliseconds, REQUESTS_MAX)
      const each = (total: number) => (total / outcome.latencies.length).toFixed(1)
      const ofServer = each(child.processorTime() - own)
      const ofPostgres = each((yield* backendTime(url)) - backends)
      const sorted = outcome.latencies.toSorted((left, right) => left - right)
      yield* Console.log(
        `${passages} passages, ${count} clients: p50 ${quantile(sorted, 0.5)}  p95 ${quantile(sorted, 0.95)}  p99 ${quantile(sorted, 0.99)} ms, ${sorted.length} answers, ${outcome.errors} errors; each: ${each((yield* pagesRead) - pages)} pages, ${ofServer} ms of the server's CPU, ${ofPostgres} ms of Postgres's`,
      )
    }
  }
})
