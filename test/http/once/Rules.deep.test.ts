import { expect, test } from "bun:test"
import { type Sent, until } from "../../lib/Client.ts"
import { random } from "../../lib/Random.ts"
import { sharedServer } from "../../lib/TestServer.ts"

const { client } = await sharedServer()

const chatbots = "/api/external/chatbots"
const keyed = (key: string, sent: Sent): Sent => ({ ...sent, headers: { ...sent.headers, "idempotency-key": key } })
const named = async (name: string) => {
  const { body } = await client.get(chatbots)
  const all: ReadonlyArray<{ readonly name: string }> = Object(body).chatbots
  return all.filter((one) => one.name === name).length
}

test("a client that leaves at any moment finds its request undone or done, and never taken for ever", async () => {
  const draw = random(3)
  const { id } = await client.newChatbot()
  const kinds = [
    (key: string, signal?: AbortSignal) =>
      client.post(chatbots, keyed(key, { json: { name: `Left ${key}` }, ...(signal !== undefined && { signal }) })),
    (key: string, signal?: AbortSignal) => {
      const form = new FormData()
      form.set("chatbotId", id)
      form.append("files", new File([`Ships of ${key}`], `${key}.txt`))
      return client.post("/api/embedfiles", { ...keyed(key, { form }), ...(signal !== undefined && { signal }) })
    },
    (key: string, signal?: AbortSignal) =>
      client.post(`/api/external/chatbot/${id}/chat`, {
        ...keyed(key, { json: { messages: [{ role: "user", content: `Question ${key}` }] } }),
        ...(signal !== undefined && { signal }),
      }),
  ]
  const sent = Array.from({ length: 36 }, (_, number) => `left-${number}`)
  await Promise.all(
    sent.map(async (key, number) => {
      const leaving = new AbortController()
      const ask = kinds[number % kinds.length]
      const left = ask?.(key, leaving.signal).catch(() => "left")
      await Bun.sleep(draw() * 100)
      leaving.abort()
      await left
      const reply = await until(
        () => ask?.(key),
        (found) => found?.status !== 409 && found?.status !== 429,
      )
      expect(reply?.status).toBeWithin(200, 203)
    }),
  )
  const names = (await client.documents(id)).map(({ name }) => name)
  expect(names.toSorted()).toEqual(
    sent
      .filter((_, number) => number % 3 === 1)
      .map((key) => `${key}.txt`)
      .toSorted(),
  )
  for (const [number, key] of sent.entries()) if (number % 3 === 0) expect(await named(`Left ${key}`)).toBe(1)
  const sessions: ReadonlyArray<{ readonly message_count: number }> = Object(
    (await client.get(`/api/external/chatbot/${id}/conversations?limit=100`)).body,
  ).data
  expect(sessions.map(({ message_count }) => message_count)).toEqual(Array.from({ length: 12 }, () => 2))
})
