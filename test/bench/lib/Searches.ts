import { Console, Effect } from "effect"
import type { Child } from "../http/Child.ts"
import { apiKey } from "../http/Fixture.ts"
import * as Load from "../http/Load.ts"
import { indexesMade, meter, pagesRead, postgresClock } from "./Backends.ts"
import { summary } from "./Quantiles.ts"

/** How long, and how often, questions are asked before the measurement: each of them once, and at least so many. */
const WARM_UP_MILLISECONDS = 60_000
const WARM_UP_MIN = 4_000
const WARM_UP_CLIENTS = 4
const REQUESTS_MAX = 1_000_000

/** A search of a chatbot. */
export const searchRequest = (chatbot: string, query: string): Uint8Array =>
  Load.requestBytes({
    method: "POST",
    path: `/api/external/chatbot/${chatbot}/query-knowledge`,
    apiKey,
    body: { query },
  })

/** Measures searches through HTTP, once what they read is in memory, and prints a line for each number of clients. */
export const measureSearches = Effect.fnUntraced(function* (
  child: Child,
  url: string,
  name: string,
  requests: ReadonlyArray<Uint8Array>,
  { clients: counts, milliseconds }: { readonly clients: ReadonlyArray<number>; readonly milliseconds: number },
) {
  const postgres = yield* postgresClock(url)
  const ask = (clients: number, milliseconds: number, requestsMax: number) =>
    Load.run({ port: child.port, requests, clients, milliseconds, requestsMax })
  yield* indexesMade(url)
  yield* ask(WARM_UP_CLIENTS, WARM_UP_MILLISECONDS, Math.max(WARM_UP_MIN, requests.length))
  yield* indexesMade(url)
  for (const clients of counts) {
    const pages = yield* pagesRead(url)
    const costOf = meter(child, postgres)
    const { errors, latencies, milliseconds: took } = yield* ask(clients, milliseconds, REQUESTS_MAX)
    const answers = latencies.length
    const cost = costOf(answers)
    const pagesEach = ((yield* pagesRead(url)) - pages) / answers
    const perSecond = ((1_000 * answers) / took).toFixed(0).padStart(5)
    yield* Console.log(
      `${name}, ${String(clients).padStart(2)} clients: ${perSecond} requests/s  ${summary(latencies)}  ${answers} answers, ${errors} errors; ${pagesEach.toFixed(1)} pages each; ${cost}`,
    )
  }
})
