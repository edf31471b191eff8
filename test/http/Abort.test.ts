import { createServer, type ServerResponse } from "node:http"
import { afterAll, expect, test } from "bun:test"
import { until } from "../lib/Client.ts"
import { operatorKey } from "../lib/ServerProcess.ts"
import { startServer } from "../lib/TestServer.ts"

/** How many clients leave. `ABORTS=200` for the full number. */
const ABORTS = Number(process.env["ABORTS"] ?? 24)
/** Of one answer; more than any client here waits for. */
const TOKENS = 10_000
const TOKEN_MILLIS = 1

/** Answers with one word after the other for as long as somebody listens, and counts who is listening. */
let listening = 0
let closed = 0
const endless = createServer((request, response) => {
  request.resume()
  request.on("end", () => answer(response))
})
const answer = (response: ServerResponse): void => {
  const event = (data: { readonly type: string }) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`
  const usage = { input_tokens: 50, output_tokens: 1 }
  const message = {
    id: "m",
    type: "message",
    role: "assistant",
    model: "claude",
    content: [],
    stop_reason: null,
    usage,
  }
  response.writeHead(200, { "content-type": "text/event-stream" })
  response.write(
    event(Object.assign({ type: "message_start" }, { message })) +
      event(Object.assign({ type: "content_block_start" }, { index: 0, content_block: { type: "text", text: "" } })),
  )
  listening++
  let sent = 0
  const timer = setInterval(() => {
    const delta = { type: "text_delta", text: `word${sent++} ` }
    response.write(event(Object.assign({ type: "content_block_delta" }, { index: 0, delta })))
    if (sent === TOKENS) response.end()
  }, TOKEN_MILLIS)
  response.on("close", () => {
    clearInterval(timer)
    listening--
    closed++
  })
}
await new Promise<void>((resolve) => endless.listen(0, "127.0.0.1", resolve))
afterAll(() => {
  endless.closeAllConnections()
  endless.close()
})
const address = endless.address()
const port = address !== null && typeof address === "object" ? address.port : 0

const { client, url } = await startServer({ ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}` })

/** Reads so many bytes of a stream and leaves. Returns the text that had come, and how long the model went on. */
const leaveAfter = async (id: string, session: string, bytes: number) => {
  const controller = new AbortController()
  const response = await fetch(`${url}/api/external/chatbot/${id}/chat?stream=true`, {
    method: "POST",
    headers: { "x-api-key": operatorKey, "content-type": "application/json" },
    body: JSON.stringify({ messages: [{ role: "user", content: "When?" }], sessionToken: session }),
    signal: controller.signal,
  })
  let read = ""
  for await (const chunk of response.body ?? []) {
    read += Buffer.from(chunk).toString()
    if (read.length >= bytes) break
  }
  const before = closed
  controller.abort()
  await until(
    () => closed,
    (count) => count > before,
  )
  const complete = read.slice(0, read.lastIndexOf("\n\n") + 1)
  return Array.from(complete.matchAll(/"delta":"([^"]*)"/g), ([, delta]) => delta).join("")
}

test("wherever a client leaves, the model is stopped, and what there was of the reply is stored", async () => {
  const { id } = await client.newChatbot({ settings: { model: "claude-sonnet-5-5" } })
  for (let number = 0; number < ABORTS; number++) {
    const session = `left-${number}`
    const seen = await leaveAfter(id, session, Math.floor(Math.random() * 4_000))
    const messages = await until(
      () => client.messages(id, session),
      (stored) => stored.length === 2,
    )
    expect(messages[1]).toMatchObject({ sender_type: "bot", provider: "anthropic", tokens_used: 51 })
    // As much as the client had seen, and what was on its way.
    expect(messages[1]?.content.startsWith(seen)).toBe(true)
    expect(messages[1]?.content).toMatch(/^(?:word\d+ )*$/)
  }
  expect(listening).toBe(0)
  expect(closed).toBe(ABORTS)
})
