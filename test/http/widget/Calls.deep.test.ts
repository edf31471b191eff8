import { expect, setDefaultTimeout, test } from "bun:test"
import { Effect } from "effect"
import { Client, until } from "../../lib/Client.ts"
import { startRealtime } from "../../lib/FakeRealtime.ts"
import { scopedRun } from "../../lib/Scoped.ts"
import { operatorKey, serverProcess, settingsFor } from "../../lib/ServerProcess.ts"
import { fresh } from "../../lib/TestDatabase.ts"
import { testTimeout } from "../../lib/TestServer.ts"
import { callable, dialAt, realtimeSettings } from "../../lib/VoiceCalls.ts"

setDefaultTimeout(testTimeout)

const run = scopedRun()
const provider = startRealtime()

test("a realtime call ends when the server shuts down, which stores what was said", async () => {
  const settings = { ...(await run(Effect.flatMap(fresh, settingsFor))), ...realtimeSettings(provider) }
  const first = await run(serverProcess(settings))
  const { chatbot, visitor } = await callable(new Client(await first.listening, operatorKey))
  const { call, conversation_id } = await dialAt(provider, visitor)
  call.hears("Hello")
  call.tell({
    type: "response.output_audio_transcript.done",
    item_id: call.adds("assistant"),
    transcript: "Hello, how can",
  })
  // Events are handled in their order: with the result of the tool, what was said before has arrived too.
  call.calls("listDocuments", {})
  await until(
    () => call.outputs,
    ({ length }) => length === 1,
  )
  first.kill("SIGTERM")
  await first.exited
  expect(call.isHungUp).toBe(true)

  const second = await run(serverProcess(settings))
  const messages = await new Client(await second.listening, operatorKey).messages(chatbot.id, conversation_id)
  expect(messages.map(({ content }) => content)).toEqual(["Hello", "Hello, how can"])
})
