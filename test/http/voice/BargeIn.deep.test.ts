import { expect, test } from "bun:test"
import { Context } from "effect"
import { EndingLooks } from "../../../src/services/voice/VoiceTurns.ts"
import { fakeSpeech, MS_PER_CHARACTER, samplesOf } from "../../lib/FakeSpeech.ts"
import { random } from "../../lib/Random.ts"
import { sizeOf } from "../../lib/Sample.ts"
import { sharedRun } from "../../lib/Scoped.ts"
import { startServer } from "../../lib/TestServer.ts"
import { publish, visit } from "../../lib/Visitors.ts"
import { speak } from "../../lib/VoiceClient.ts"

/*
 * Users who interrupt: the history keeps what they have heard.
 */

const VISITORS = sizeOf(10, 3)
const TURNS = 20

const run = sharedRun()
const fake = await run(fakeSpeech)
/** A turn waits for the end of the one before it as long as a busy machine takes for it. */
const { client, provider } = await startServer(
  { RATE_LIMIT: "off", DEFAULT_MODEL: "claude-sonnet-5-5", SPEECH_BASE_URL: fake.url },
  Context.make(EndingLooks, 600),
)

const sentences = [
  "The ferry to the island leaves at noon, and every hour after that until eight.",
  "A ticket costs four euros; children under six travel free with their parents.",
  "Bicycles are welcome on the lower deck.",
  "In winter, from November on, there is no ferry on Mondays.",
  "Would you like me to tell you where the pier is?",
]
const text = sentences.join(" ")

const wordsOf = (content: string): ReadonlyArray<string> => content.match(/[\p{L}\p{N}]+/gu) ?? []

/** The words that were heard whole when these clauses had sounded for a time. */
const wordsHeard = (clauses: ReadonlyArray<string>, ms: number): ReadonlyArray<string> => {
  let left = Math.floor(ms / MS_PER_CHARACTER)
  return clauses.flatMap((clause) => {
    const most = left
    left = Math.max(0, left - clause.length)
    return Array.from(clause.matchAll(/[\p{L}\p{N}]+/gu)).flatMap(({ 0: word, index }) =>
      index + word.length <= most ? [word] : [],
    )
  })
}

test(`${VISITORS * TURNS} barge-ins at random moments leave in the history what was heard, to the word`, async () => {
  const next = random(20_261_127)
  const chatbot = await client.newChatbot({ settings: { model: "claude-sonnet-5-5" } })
  await client.patch(`/api/external/chatbot/${chatbot.id}/voice-agent`, { json: { voice: "alloy" } })
  const key = await publish(client, chatbot.id)
  await provider.answers({ kind: "paced", text })
  // Speech comes in pieces of any length, so that turns are aborted within clauses as well.
  fake.speak = (input) => {
    const audio = samplesOf(input.length * MS_PER_CHARACTER)
    return new Response(
      new ReadableStream({
        async start(controller) {
          for (let at = 0; at < audio.length;) {
            const length = 1 + Math.floor(next() * 9_000)
            controller.enqueue(audio.subarray(at, at + length))
            at += length
            await Bun.sleep(next() * 4)
          }
          controller.close()
        },
      }),
    )
  }

  let right = 0
  let within = 0
  await Promise.all(
    Array.from({ length: VISITORS }, async () => {
      const visitor = await visit(client, key)
      let before: Record<string, string | number> = {}
      const expected: Array<ReadonlyArray<string>> = []
      for (let number = 0; number <= TURNS; number++) {
        const leaving = new AbortController()
        const turn = await speak(visitor, { text: `Question ${number}`, ...before }, leaving.signal)
        expect(turn.response.status).toBe(200)
        // The last turn is heard to its end, so that the one before it is stored by then.
        const enough = number === TURNS ? Number.POSITIVE_INFINITY : Math.floor(next() * 3_200)
        await turn.read(({ audioMs, ids }) => ids.reply !== "" && audioMs >= enough)
        leaving.abort()
        if (number === TURNS) before = { conversation_id: turn.ids.conversation }
        else {
          const heard_ms = Math.floor(turn.audioMs * next())
          expected.push(wordsHeard(turn.clauses, heard_ms))
          before = { conversation_id: turn.ids.conversation, heard_message_id: turn.ids.reply, heard_ms }
          if (heard_ms > 0) within++
        }
      }
      const messages = await visitor.messages(String(before["conversation_id"]))
      const replies = messages.filter(({ role }) => role === "assistant")
      for (const [index, words] of expected.entries()) {
        const stored = replies[index]
        const isRight = Bun.deepEquals(wordsOf(stored?.content ?? ""), words) && text.startsWith(stored?.content ?? "")
        if (isRight) right++
        else expect([index, wordsOf(stored?.content ?? "")]).toEqual([index, words])
      }
    }),
  )
  expect([right, within > (VISITORS * TURNS) / 2]).toEqual([VISITORS * TURNS, true])
})
