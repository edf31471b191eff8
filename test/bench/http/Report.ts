import { Console, type Effect } from "effect"
import type { BenchEmbeddings } from "../lib/BenchEmbeddings.ts"
import { quantile } from "../lib/Quantiles.ts"
import type { Outcome } from "./Load.ts"

export interface Round extends Outcome {
  /** Milliseconds of the server's processor time. */
  readonly processorTime: number
  /** Milliseconds of Postgres's processor time; NaN when it is on another machine. */
  readonly postgresTime: number
}

export const line = (text: string) => Console.log(text)

const columns = ["requests/s", "p50 ms", "p99 ms", "CPU ms", "PG CPU ms", "errors"]
  .map((name) => name.padStart(11))
  .join("")

const headings = `${"".padEnd(18)}${"clients".padStart(8)}${"bare".padStart(66)}${"Parley".padStart(66)}
${"".padEnd(26)}${columns}${columns}${"ratio".padStart(8)}`

const replies = {
  least: "Parley also returns and stores the\n  steps, calls and results, and its reply is larger.",
  whole: "Both also return and store the\n  steps, calls and results.",
}

export const header = (
  passages: number,
  settings: { readonly rounds: number; readonly milliseconds: number; readonly embeddings: BenchEmbeddings },
  reply: "least" | "whole",
): Effect.Effect<void> =>
  line(`Parley beside a bare server (test/bench/http/Bare.ts: Bun.serve, the SDK, SQL), both on one Postgres, 16 connections each.
${settings.rounds} rounds of ${settings.milliseconds} ms each, in turn; the ratio is Parley's requests per second over bare's.

What the ratio does not tell:
- Load, server, Postgres and provider share the processors of this machine: what all of them do is a part of both figures.
  "CPU ms" is the processor time that the server itself takes for one request, "PG CPU ms" that of Postgres.
- Parley validates, authenticates with scopes, isolates tenants by row-level security, sets CORS and version headers, and
  writes a line of its log for each request to a file. Bare does none of that, and logs nothing.
- Parley remembers a key for 0.9 s. Bare reads it with the chatbot, in the same statement.
- query-knowledge over the same ${passages} passages: Parley ranks words together with vectors (embeddings: ${settings.embeddings.title});
  bare asks the provider to embed the question and searches ${settings.embeddings.dimensions} dimensions by HNSW. They do not return the same passages.
- two-step chat: both call the SDK twice, search once, and store question and answer. ${replies[reply]}
  Parley's provider-side request holds instructions and cache marks.
- The messages page and the list return the same rows; bare counts the messages, Parley keeps the count.

${headings}`)

const summaryOf = (rounds: ReadonlyArray<Round>) => {
  const latencies = rounds.flatMap((round) => round.latencies)
  const each = (time: "processorTime" | "postgresTime") =>
    rounds.reduce((sum, round) => sum + round[time], 0) / latencies.length
  const seconds = rounds.reduce((sum, round) => sum + round.milliseconds, 0) / 1_000
  return {
    perSecond: latencies.length / seconds,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    processorTime: each("processorTime"),
    postgresTime: each("postgresTime"),
    errors: rounds.reduce((sum, round) => sum + round.errors, 0),
  }
}

const cells = ({ errors, p50, p99, perSecond, postgresTime, processorTime }: ReturnType<typeof summaryOf>): string =>
  [
    perSecond.toFixed(0),
    p50.toFixed(2),
    p99.toFixed(2),
    processorTime.toFixed(3),
    postgresTime.toFixed(3),
    String(errors),
  ]
    .map((cell) => cell.padStart(11))
    .join("")

export const row = (
  scenario: string,
  clients: number,
  bare: ReadonlyArray<Round>,
  parley: ReadonlyArray<Round>,
): Effect.Effect<void> => {
  const [baseline, subject] = [summaryOf(bare), summaryOf(parley)]
  const ratio = (subject.perSecond / baseline.perSecond).toFixed(2)
  return line(
    `${scenario.padEnd(18)}${String(clients).padStart(8)}${cells(baseline)}${cells(subject)}${ratio.padStart(8)}`,
  )
}

export const coldStart = (where: string, times: ReadonlyArray<number>): Effect.Effect<void> => {
  return line(
    `Start to the first answered request, ${where}: ${quantile(times, 0.5).toFixed(0)} ms, at best ${quantile(times, 0).toFixed(0)} ms`,
  )
}
