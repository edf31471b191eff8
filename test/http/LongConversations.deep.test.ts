import { beforeAll, describe, expect, test } from "bun:test"
import { repeatedWait } from "../lib/EventLoop.ts"
import { startServer } from "../lib/TestServer.ts"

/*
 * A conversation of a thousand of the longest messages, 32 MB in all. Whatever four clients request of it at once, no
 * other request waits for long.
 */
const { client } = await startServer()

/** The longest wait in milliseconds of processor time: 100 are promised on a fast machine. */
const LONGEST_WAIT = 250

const LENGTH = 32_000
const MESSAGES = 1_000
/** As many of the messages as one request may have. */
const AT_ONCE = 30

const longText = (number: number) => `${number} `.padEnd(LENGTH, "The heron breeds beside the mill. ")
const sessionToken = crypto.randomUUID()
let id: string

const chat = (contents: ReadonlyArray<string>) =>
  client.post(`/api/external/chatbot/${id}/chat`, {
    json: { messages: contents.map((content) => ({ role: "user", content })), sessionToken },
  })

beforeAll(async () => {
  ;({ id } = await client.newChatbot({ settings: { model: "local/extractive" } }))
  for (let said = 0; said < MESSAGES; said += AT_ONCE) {
    const contents = Array.from({ length: AT_ONCE }, (_, index) => longText(said + index))
    expect((await chat(contents)).status).toBe(200)
  }
})

const conversation = () => `/api/external/chatbot/${id}/conversations`

/** Reads a whole response and keeps nothing: parsing 32 MB would block the event loop that the server shares. */
const drain = async (path: string): Promise<{ readonly status: number }> => {
  const response = await fetch(client.url + path, { headers: { "x-api-key": client.key ?? "" } })
  await response.body?.pipeTo(new WritableStream())
  return response
}

const requests: ReadonlyArray<readonly [string, () => Promise<{ readonly status: number }>]> = [
  ["a thousand messages more", () => chat(Array.from({ length: 1_000 }, () => crypto.randomUUID()))],
  ["one message more", () => chat(["When does the heron breed?"])],
  ["a page of it", () => client.get(`${conversation()}/${sessionToken}/messages?limit=100`)],
  ["its transcript", () => drain(`${conversation()}/${sessionToken}/transcript`)],
  ["its transcript as Markdown", () => drain(`${conversation()}/${sessionToken}/transcript?format=markdown`)],
  ["the list that it is in", () => client.get(conversation())],
]

describe("a conversation of 32 MB does not block other requests", () => {
  test.each(requests)("%s", async (_, request) => {
    const [replies, wait] = await repeatedWait(LONGEST_WAIT, () =>
      Promise.all([request(), request(), request(), request()]),
    )
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(wait).toBeLessThan(LONGEST_WAIT)
  })
})
