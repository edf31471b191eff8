import { beforeAll, describe, expect, test } from "bun:test"
import type { Reply } from "../../lib/Client.ts"
import { calls, says } from "../../lib/FakeAnthropic.ts"
import { repeatedWait } from "../../lib/EventLoop.ts"
import { sharedServer } from "../../lib/TestServer.ts"

/*
 * Expensive requests within the limits, from four clients at once, do not block other requests. The tests watch for
 * long computations in the server's process and send requests to /healthz meanwhile.
 */
const { client, provider } = await sharedServer()

/**
 * The longest wait in milliseconds of processor time: 100 are promised on a fast machine, and compiling counts here.
 */
const LONGEST_WAIT = 250

const marks = "\u0f71\u0f72\u0f73"
const long = (unit: string, length: number) => unit.repeat(Math.ceil(length / unit.length)).slice(0, length)
const extractive = { settings: { model: "local/extractive" } }

let id: string
let gated: string
let openai: string
beforeAll(async () => {
  const content = `# Opening hours\n\nWe are open from nine to five.\n\n${long("The heron breeds beside the mill. ", 20_000)}`
  ;({ id } = await client.newChatbot(extractive))
  ;({ id: gated } = await client.newChatbot({
    settings: { ...extractive.settings, isRequestUserInfoEnabled: true },
  }))
  ;({ id: openai } = await client.newChatbot({ settings: { model: "openai/gpt-5" } }))
  for (const one of [id, gated, openai]) {
    await client.learn(one, { "hours.md": content })
    await provider.answers(says("We are open from nine to five."))
    await client.chat(one, "When are you open? I am ann@example.com")
  }
})

const chat = (bot: string, contents: ReadonlyArray<string>, more: object = {}, query = "") =>
  client.post(`/api/external/chatbot/${bot}/chat${query}`, {
    json: { messages: contents.map((content) => ({ role: "user", content })), ...more },
  })

/** A conversation as long as a JSON body may be. */
const conversation = (unit: string, last: string) => {
  const length = Math.floor((1_000 * unit.length) / Buffer.byteLength(unit))
  return [...Array.from({ length: 900 }, () => long(unit, length)), last]
}

const upload = async (files: Readonly<Record<string, string>>): Promise<Reply> => {
  const bot = await client.newChatbot(extractive)
  return client.upload(bot.id, files)
}

const requests: ReadonlyArray<readonly [string, () => Promise<Reply>]> = [
  ["marks in the history and in the last message", () => chat(id, [long(marks, 32_000), long(marks, 32_000)])],
  [
    "marks in the history and in the last message, as a stream",
    () => chat(id, [long(marks, 32_000), long(marks, 32_000)], {}, "?stream=true"),
  ],
  ["the largest question of marks", () => chat(id, [long(marks, 32_000)])],
  ["the largest question of brackets", () => chat(id, [long("![", 32_000)])],
  ["the largest question of words", () => chat(id, [long("heron mill five a b c d e ", 32_000)])],
  ["the largest question of Chinese", () => chat(id, [long("漢字仮名交じり文", 32_000)])],
  ["a thousand messages in which an e-mail address is searched", () => chat(gated, conversation("a@a.", "@ "))],
  ["a thousand messages of dots and marks", () => chat(gated, conversation(`a.${marks}`, long("a.@", 32_000)))],
  [
    "a thousand messages that are all alike, twice",
    async () => {
      const sessionToken = crypto.randomUUID()
      await chat(id, conversation("a", "a"), { sessionToken })
      return chat(id, ["b", ...conversation("a", "a")], { sessionToken })
    },
  ],
  [
    "an answer of brackets whose sources are searched",
    async () => {
      await provider.answers(calls("heron mill"), says(`We open at nine. ${long("![", 60_000)}`))
      return chat(openai, ["When?"])
    },
  ],
  [
    "an answer of a thousand sentences whose sources are searched",
    async () => {
      await provider.answers(calls("heron mill"), says(long("The heron breeds. 1 2 3 Mill. ", 60_000)))
      return chat(openai, ["When?"])
    },
  ],
  ["the largest query of marks", () => client.search(id, long(marks, 2_000))],
  ["the largest query of a ligature of eighteen letters", () => client.search(id, long("\ufdfa", 2_000))],
  ["the largest query of Chinese", () => client.search(id, long("漢字仮名交じり文", 2_000))],
  [
    "an address of marks",
    () =>
      client.patch(`/api/external/chatbot/${id}/chat-widget`, { json: { logo: `https://${long(marks, 330_000)}` } }),
  ],
  [
    "a tool's address of marks",
    () =>
      client.post(`/api/external/chatbot/${id}/tools`, {
        json: { name: "a", description: "a", input_schema: { type: "object" }, url: `https://${long(marks, 330_000)}` },
      }),
  ],
  ["a small document of marks", () => upload({ "a.md": long(marks, 10_000) })],
  ["a small document of brackets", () => upload({ "a.md": long("![", 32_000) })],
  ["a small document of Chinese", () => upload({ "a.txt": long("漢", 10_000) })],
  ["a document whose name is marks", () => upload({ [`${long(marks, 3_000)}.md`]: "A heron." })],
  ["a key whose name is marks", () => client.post("/api/admin/api-keys", { json: { name: long(marks, 330_000) } })],
]

describe("other requests do not wait long while four clients send", () => {
  test.each(requests)("%s", async (_, request) => {
    let isOver = false
    const bystander = async () => {
      let asked = 0
      while (!isOver) {
        expect((await client.get("/healthz")).status).toBe(200)
        asked++
      }
      return asked
    }
    const [replies, wait] = await repeatedWait(LONGEST_WAIT, async () => {
      isOver = false
      const asking = bystander()
      const replies = await Promise.all([request(), request(), request(), request()])
      isOver = true
      expect(await asking).toBeGreaterThan(0)
      return replies
    })
    for (const { status } of replies) expect(status).toBeLessThan(500)
    expect(wait).toBeLessThan(LONGEST_WAIT)
  })
})
