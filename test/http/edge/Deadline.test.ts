import { expect, test } from "bun:test"
import { problem, until } from "../../lib/Client.ts"
import { startServer } from "../../lib/TestServer.ts"
import { uiEvents } from "../../lib/UiEvents.ts"

/** No test needs a reply that is in time. */
const { client, provider } = await startServer({ CHAT_DEADLINE: "2s" })

test("the time of a reply is limited, whether it never begins or would never end", async () => {
  const { id } = await client.newChatbot({ settings: { model: "claude-sonnet-5-5" } })
  await provider.answers({ kind: "hang" }, { kind: "endless" })
  const never = client.say(id, "When?", { sessionToken: "never" })
  await until(() => provider.requests().length, 1)
  const endless = client.post(`/api/external/chatbot/${id}/chat?stream=true`, {
    json: { sessionToken: "endless", messages: [{ role: "user", content: "When?" }] },
  })
  problem(await never, 504, "provider_timeout")
  expect(await client.messages(id, "never")).toMatchObject([{ content: "When?" }])
  const events = await uiEvents((await endless).text)
  expect(events.at(-1)).toEqual({ type: "error", errorText: "The model did not answer in time." })
  const [, partial] = await client.messages(id, "endless")
  expect(partial?.content).toMatch(/^(?:word\d+ )+$/)
  expect(partial?.content).toBe(events.find(({ type }) => type === "text-delta")?.delta)
  await until(provider.hungUp, 2)
})
