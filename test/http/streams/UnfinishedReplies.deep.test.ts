import { expect, setDefaultTimeout, test } from "bun:test"
import { Context, Effect } from "effect"
import { CheckpointInterval } from "../../../src/services/conversations/RepliesUnderWay.ts"
import { Client, until } from "../../lib/Client.ts"
import { fakeKey } from "../../lib/FakeAnthropic.ts"
import { fakeOpenAiKey } from "../../lib/FakeOpenAi.ts"
import { providerAnswering } from "../../lib/FakeProvider.ts"
import { type Protocol, protocols } from "../../lib/Faults.ts"
import { operatorKey, serverProcess, settingsFor } from "../../lib/ServerProcess.ts"
import { fresh } from "../../lib/TestDatabase.ts"
import { testTimeout } from "../../lib/TestServer.ts"
import { sharedRun } from "../../lib/Scoped.ts"

const checkpoints = Context.make(CheckpointInterval, "200 millis")

setDefaultTimeout(testTimeout)

const run = sharedRun()

const STREAMS = 10
/** How many characters each client has seen when the server is killed. */
const SEEN_MIN = 100

const textIn = (stream: string) =>
  Array.from(stream.slice(0, stream.lastIndexOf("\n\n") + 1).matchAll(/"delta":"([^"]*)"/g), ([, delta]) => delta).join(
    "",
  )

test("the streams of a killed server are in their conversations once, as far as they got, with their tokens", async () => {
  const provider = await run(providerAnswering(() => ({ kind: "endless" })))
  const settings = {
    ...(await run(Effect.flatMap(fresh, settingsFor))),
    ANTHROPIC_API_KEY: fakeKey,
    ANTHROPIC_BASE_URL: provider.url,
    OPENAI_API_KEY: fakeOpenAiKey,
    OPENAI_BASE_URL: provider.url,
    // What is stored on the way shows there.
    LOG_LEVEL: "debug",
  }
  const killed = await run(serverProcess(settings, [], checkpoints))
  const client = new Client(await killed.listening, operatorKey)
  const chatbots = await Promise.all(
    (["anthropic", "openai"] as const).map(async (protocol: Protocol) => {
      const { id } = await client.newChatbot({ settings: { model: protocols[protocol].model } })
      return id
    }),
  )
  const streams = Array.from({ length: STREAMS }, (_, number) => {
    const stream = { chatbot: chatbots[number % chatbots.length] ?? "", session: `stream-${number}`, read: "" }
    void (async () => {
      const response = await fetch(`${client.url}/api/external/chatbot/${stream.chatbot}/chat?stream=true`, {
        method: "POST",
        headers: { "x-api-key": operatorKey, "content-type": "application/json" },
        body: JSON.stringify({ messages: [{ role: "user", content: "Hello" }], sessionToken: stream.session }),
      })
      for await (const bytes of response.body ?? []) stream.read += Buffer.from(bytes).toString()
    })().catch(() => {})
    return stream
  })
  await until(
    () => Math.min(...streams.map(({ read }) => textIn(read).length)),
    (length) => length >= SEEN_MIN,
  )
  // What is stored from now on has as much. The first one may have begun before.
  const stored = () => killed.stdout().split(`"message":"Replies under way were stored","count":${STREAMS}`).length
  const before = stored()
  await until(stored, (count) => count > before + 1)
  // Reading the conversation does not show replies that are still running.
  expect((await client.messages(chatbots[0] ?? "", "stream-0")).map(({ content }) => content)).toEqual(["Hello"])
  killed.kill("SIGKILL")
  await killed.exited

  const next = new Client(await (await run(serverProcess(settings, [], checkpoints))).listening, operatorKey)
  let tokens = 0
  for (const { chatbot, read, session } of streams) {
    const [asked, partial, ...more] = await until(
      () => next.messages(chatbot, session),
      ({ length }) => length === 2,
    )
    expect([asked?.content, more]).toEqual(["Hello", []])
    expect(partial).toMatchObject({ sender_type: "bot" })
    expect(partial?.content.length).toBeGreaterThanOrEqual(SEEN_MIN)
    // The client may have seen more than was stored, and text may have been on its way.
    const length = Math.min(partial?.content.length ?? 0, textIn(read).length)
    expect(partial?.content.slice(0, length)).toBe(textIn(read).slice(0, length))
    tokens += partial?.tokens_used ?? 0
    expect((await next.session(chatbot, session)).message_count).toBe(2)
  }
  const usage = await next.get("/api/external/usage")
  expect(usage.body).toMatchObject({ total: { replies: STREAMS, total_tokens: tokens } })

  // The client continues with the text that it has seen, and nothing is stored twice.
  const [{ chatbot = "", read = "", session = "" } = {}] = streams
  const seen = textIn(read)
  const more = new AbortController()
  void next
    .post(`/api/external/chatbot/${chatbot}/chat`, {
      json: {
        messages: [
          { role: "user", content: "Hello" },
          { role: "assistant", content: seen },
          { role: "user", content: "Go on" },
        ],
        sessionToken: session,
      },
      signal: more.signal,
    })
    .catch(() => {})
  const contents = await until(
    async () => (await next.messages(chatbot, session)).map(({ content }) => content),
    ({ length }) => length > 2,
  )
  more.abort()
  expect(contents).toEqual(["Hello", expect.any(String), "Go on"])
})
