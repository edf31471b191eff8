import { parseArgs } from "node:util"
import { NodeRuntime } from "@effect/platform-node-shared"
import { Effect } from "effect"
import { besideOptions, compare, type Reply, type Settings, settingsOf, startBoth, type Target } from "./http/Beside.ts"
import { apiKey, type Scenario, scenariosOf } from "./http/Fixture.ts"
import type { Pace } from "./http/FakeProvider.ts"
import { requestBytes } from "./http/Load.ts"
import * as Report from "./http/Report.ts"
import * as Streams from "./http/Streams.ts"
import { numbersOf } from "./lib/Options.ts"
import { quantile } from "./lib/Quantiles.ts"

interface ChatSettings extends Settings {
  /** Numbers of concurrent slow streams. */
  readonly streams: ReadonlyArray<number>
  readonly seconds: number
  readonly reply: Reply
}

const TOKENS_PER_SECOND = 20
/** Requests of each client in one measurement of the time to the first word. */
const FIRST_WORD_ROUNDS = 20
const RAMP_MILLISECONDS = 2_000
/** Pause between two servers, in which the first one completes its background work. */
const PAUSE_MILLISECONDS = 2_000

const setPace = (providerUrl: string, pace: Pace) =>
  Effect.promise(() => fetch(`${providerUrl}/pace`, { method: "POST", body: JSON.stringify(pace) }))

const millisecondsAt = (share: number, values: ReadonlyArray<number>): string => quantile(values, share).toFixed(1)

/** Measures the time to the first word with a provider that answers at once, so that it is the server's own share. */
const firstWords = Effect.fnUntraced(function* (
  requests: ReadonlyArray<Uint8Array>,
  clients: number,
  targets: ReadonlyArray<Target>,
) {
  for (const round of ["to warm up", "measured"]) {
    for (const { name, child } of targets) {
      const found: Array<number> = []
      let errors = 0
      for (let number = 0; number < FIRST_WORD_ROUNDS; number++) {
        const outcome = yield* Streams.hold({ port: child.port, requests, streams: clients, words: 40, rampMillis: 0 })
        found.push(...outcome.firstWords)
        errors += outcome.errors
      }
      if (round === "measured") {
        yield* Report.line(
          `First word, ${String(clients).padStart(3)} clients, ${name.padEnd(6)}: p50 ${millisecondsAt(0.5, found)} ms, p99 ${millisecondsAt(0.99, found)} ms, ${errors} errors`,
        )
      }
    }
  }
})

const heldStreams = Effect.fnUntraced(function* (
  requests: ReadonlyArray<Uint8Array>,
  streams: number,
  targets: ReadonlyArray<Target>,
  seconds: number,
) {
  for (const { name, child } of targets) {
    const before = { memory: child.memory().now, processor: child.processorTime() }
    const words = seconds * TOKENS_PER_SECOND
    const held = yield* Streams.hold({ port: child.port, requests, streams, words, rampMillis: RAMP_MILLISECONDS })
    const processor = child.processorTime() - before.processor
    const { now, peak } = child.memory()
    yield* Report.line(
      [
        `${String(streams).padStart(5)} streams of ${TOKENS_PER_SECOND} tokens/s for ${seconds} s, ${name.padEnd(6)}: ${held.errors} errors`,
        `first word p50 ${millisecondsAt(0.5, held.firstWords)} p99 ${millisecondsAt(0.99, held.firstWords)} ms`,
        `longest gap p50 ${millisecondsAt(0.5, held.longestGaps)} p99 ${millisecondsAt(0.99, held.longestGaps)} at most ${millisecondsAt(1, held.longestGaps)} ms`,
        `CPU ${((processor / held.milliseconds) * 100).toFixed(0)} % (${((processor * 1_000) / (streams * words)).toFixed(0)} µs a token)`,
        `memory ${before.memory.toFixed(0)} → ${now.toFixed(0)} MB, peak ${peak.toFixed(0)} MB`,
      ].join("; "),
    )
    yield* Effect.sleep(PAUSE_MILLISECONDS)
  }
})

const bench = Effect.fnUntraced(function* (settings: ChatSettings) {
  const { filled, providerUrl, targets } = yield* startBoth(settings, settings.reply)
  const path = `/api/external/chatbot/${filled.chatbot}/chat?stream=true`
  const requests = filled.questions.map((content) =>
    requestBytes({ method: "POST", path, apiKey, body: { messages: [{ role: "user", content }] } }),
  )
  const whole = scenariosOf(filled).filter(({ name }) => name === "two-step chat")
  const streamed: Scenario = { name: "the same, streamed", requests, expected: /zq39 / }
  const scenarios = [...whole, streamed].filter(({ name }) => name.includes(settings.only))
  yield* setPace(providerUrl, { tokens: 40, tokenMillis: 0 })
  yield* compare(scenarios, targets, settings)
  yield* Report.line("")
  if ("first words".includes(settings.only)) {
    for (const clients of [1, 256]) yield* firstWords(requests, clients, targets)
    yield* Report.line("")
  }
  if (!"held streams".includes(settings.only)) return
  yield* setPace(providerUrl, {
    tokens: settings.seconds * TOKENS_PER_SECOND,
    tokenMillis: 1_000 / TOKENS_PER_SECOND,
  })
  for (const streams of settings.streams) yield* heldStreams(requests, streams, targets, settings.seconds)
})

/**
 * Measures chats, whole and streamed, beside a bare server, with a provider that takes no time: requests per second,
 * the time to the first word, and many slow streams at once. `DATABASE_URL` as for `bench http`. Options: `--rounds 4`,
 * `--milliseconds 1500` of one round, `--clients 1,16,64,256`, `--streams 1000,2000` held for `--seconds 20`, `--only
 * chat`, `streamed`, `first words` or `held streams`, `--workers 2`, `--profile DIR`, `--embeddings` as `BenchEmbeddings`
 * has it, and `--reply whole`, or `least`: the bare server answers and stores everything that the contract requires of a
 * chat, or only the texts.
 */
export const run = (args: ReadonlyArray<string>): void => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      ...besideOptions,
      clients: { type: "string", default: "1,16,64,256" },
      streams: { type: "string", default: "1000,2000" },
      seconds: { type: "string", default: "20" },
      reply: { type: "string", default: "whole" },
    },
  })
  const settings: ChatSettings = {
    ...settingsOf(values),
    streams: numbersOf(values.streams),
    seconds: Number(values.seconds),
    reply: values.reply === "least" ? "least" : "whole",
  }
  NodeRuntime.runMain(Effect.scoped(bench(settings)))
}
