import { join } from "node:path"
import { Effect } from "effect"
import { Client } from "../../lib/Client.ts"
import { fakeKey, says } from "../../lib/FakeAnthropic.ts"
import { fakeProvider } from "../../lib/FakeProvider.ts"
import { fakeSpeech, recordingOf } from "../../lib/FakeSpeech.ts"
import { operatorKey } from "../../lib/Spawn.ts"
import { temporaryDirectory } from "../../lib/TemporaryDirectory.ts"
import { publish, visit, type VisitorClient } from "../../lib/Visitors.ts"
import { speak } from "../../lib/VoiceClient.ts"
import { start, withoutLimits } from "../http/Child.ts"
import { quantile, summary } from "../lib/Quantiles.ts"

/*
 * The server's share of the time until a visitor hears an answer, and what twenty who speak at once cost each other and
 * those who write. Model and speech servers are scripted, so that what remains is ours.
 */

const SPEAKERS = 20
/** Turns of each speaker in a round; the pauses between them are shorter than anybody's. */
const TURNS = 12
const PAUSE = 400
const ROUNDS = 3
const DELAYS = [0, 300] as const

const audio = recordingOf("When does the ferry leave?", 2)

/** Milliseconds from the sending of a recording to the first audio. */
const firstAudio = async (visitor: VisitorClient): Promise<number> => {
  const begin = performance.now()
  const turn = await speak(visitor, { audio })
  await turn.read(({ frames }) => frames.some(({ type }) => type === "data-audio"))
  const took = performance.now() - begin
  await turn.read()
  if (turn.audio.length === 0) throw new Error(JSON.stringify(turn.frames))
  return took
}
const write = async (visitor: VisitorClient): Promise<number> => {
  const begin = performance.now()
  await visitor.hear("When does the ferry leave?")
  return performance.now() - begin
}

const repeat = async (times: number, action: () => Promise<number>, pause = 0): Promise<ReadonlyArray<number>> => {
  const found: Array<number> = []
  for (let time = 0; time < times; time++) {
    found.push(await action())
    if (pause > 0) await Bun.sleep(pause * (0.5 + Math.random()))
  }
  return found
}
const median = (values: ReadonlyArray<number>) => quantile(values, 0.5)

/** Returns lines with the medians of three rounds. */
export const conversations = Effect.gen(function* () {
  const speech = yield* fakeSpeech
  const provider = yield* fakeProvider(says("Yes, of course. The ferry leaves at noon, and it takes an hour."))
  const child = yield* start({
    script: join(import.meta.dir, "../../../src/main.ts"),
    ready: { path: "/readyz" },
    output: "/dev/null",
    environment: {
      DATA_DIR: yield* temporaryDirectory("voice"),
      BOOTSTRAP_API_KEY: operatorKey,
      ANTHROPIC_API_KEY: fakeKey,
      ANTHROPIC_BASE_URL: provider.url,
      DEFAULT_MODEL: "claude-sonnet-5-5",
      TRANSCRIPTION_BASE_URL: speech.url,
      SPEECH_BASE_URL: speech.url,
      ...withoutLimits,
      ...(process.env["DATABASE_URL"] && { DATABASE_URL: process.env["DATABASE_URL"] }),
    },
  })
  return yield* Effect.promise(async () => {
    const client = new Client(`http://127.0.0.1:${child.port}`, operatorKey)
    const { id } = await client.newChatbot({ settings: { model: "claude-sonnet-5-5" } })
    await client.patch(`/api/external/chatbot/${id}/voice-agent`, { json: {} })
    const key = await publish(client, id)
    const visitors = await Promise.all(Array.from({ length: SPEAKERS + 1 }, () => visit(client, key)))
    const [writer, ...speakers] = visitors
    if (writer === undefined) return []
    await Promise.all(speakers.map((visitor) => firstAudio(visitor)))
    await repeat(50, () => write(writer))
    const lines = [`memory with nobody: ${child.memory().now.toFixed(0)} MB`]
    for (const delay of DELAYS) {
      const shares: Array<{ alone: number; among: number; p99: number; text: number; beside: number; memory: number }> =
        []
      for (let round = 0; round < ROUNDS; round++) {
        speech.delay = delay
        const alone = await repeat(30, () => firstAudio(speakers[0] ?? writer))
        const text = await repeat(150, () => write(writer))
        const beside: Array<number> = []
        let isOver = false
        const writing = (async () => {
          while (!isOver) beside.push(await write(writer))
        })()
        const among = (
          await Promise.all(speakers.map((visitor) => repeat(TURNS, () => firstAudio(visitor), PAUSE)))
        ).flat()
        isOver = true
        await writing
        const found = {
          alone: median(alone) - 2 * delay,
          among: median(among) - 2 * delay,
          p99: quantile(among, 0.99) - 2 * delay,
          text: quantile(text, 0.99),
          beside: quantile(beside, 0.99),
          memory: child.memory().now,
        }
        shares.push(found)
        lines.push(
          `  round ${round + 1}, servers of ${delay} ms: alone ${summary(alone)}; of ${SPEAKERS} ${summary(among)}; chats alone ${summary(text)}; beside ${summary(beside)}`,
        )
      }
      const of = (name: keyof (typeof shares)[number]) => median(shares.map((share) => share[name]))
      lines.push(
        `servers of ${delay} ms: our share of the first audio ${of("alone").toFixed(1)} ms alone, ${of("among").toFixed(1)} ms of ${SPEAKERS} at once (p99 ${of("p99").toFixed(1)} ms, ${(of("among") / of("alone")).toFixed(1)} times);`,
        `  p99 of a chat ${of("text").toFixed(1)} ms alone, ${of("beside").toFixed(1)} ms beside them (${(of("beside") / of("text")).toFixed(1)} times); memory ${of("memory").toFixed(0)} MB`,
      )
    }
    return lines
  })
})
