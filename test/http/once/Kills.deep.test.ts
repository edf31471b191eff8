import { expect, setDefaultTimeout, test } from "bun:test"
import { Context, Effect } from "effect"
import { CheckpointInterval } from "../../../src/services/conversations/RepliesUnderWay.ts"
import { Client, until } from "../../lib/Client.ts"
import { fakeKey, says } from "../../lib/FakeAnthropic.ts"
import { providerAnswering } from "../../lib/FakeProvider.ts"
import { onceUnderKills } from "../../lib/Once.ts"
import { operatorKey, serverProcess, settingsFor } from "../../lib/ServerProcess.ts"
import { fresh } from "../../lib/TestDatabase.ts"
import { testTimeout } from "../../lib/TestServer.ts"
import { searchSeed, searchTimes } from "../../lib/Sample.ts"
import { sharedRun } from "../../lib/Scoped.ts"

const checkpoints = Context.make(CheckpointInterval, "100 millis")

// Servers are started several times, which takes long on a busy machine.
setDefaultTimeout(3 * searchTimes * testTimeout)

const run = sharedRun()

test("requests of which a killed server left some unanswered have one effect each, and the same answer again", async () => {
  const servers = process.env["DATABASE_URL"] === undefined ? 1 : 2
  const { faults, kills, replays } = await run(
    onceUnderKills({ requests: 40 * searchTimes, replays: 0.5, kills: searchTimes, servers, seed: searchSeed }),
  )
  expect({ faults, kills }).toEqual({ faults: [], kills: searchTimes })
  expect(replays).toBeGreaterThan(5)
})

test("a stream whose server was killed is asked for again in the same conversation, in which nothing is twice", async () => {
  let isEndless = true
  const provider = await run(providerAnswering(() => (isEndless ? { kind: "endless" } : says("At noon."))))
  const settings = {
    ...(await run(Effect.flatMap(fresh, settingsFor))),
    ANTHROPIC_API_KEY: fakeKey,
    ANTHROPIC_BASE_URL: provider.url,
    RATE_LIMIT: "off",
  }
  const killed = await run(serverProcess(settings, [], checkpoints))
  const client = new Client(await killed.listening, operatorKey)
  const { id } = await client.newChatbot({ settings: { model: "claude-sonnet-5-5" } })
  const path = `/api/external/chatbot/${id}/chat?stream=true`
  const json = { messages: [{ role: "user", content: "Hello" }] }
  const headers = { "idempotency-key": "killed" }
  const response = await fetch(client.url + path, {
    method: "POST",
    headers: { ...headers, "x-api-key": operatorKey, "content-type": "application/json" },
    body: JSON.stringify(json),
  })
  const reader = response.body?.getReader()
  let text = ""
  while (text.length < 2_000) text += Buffer.from((await reader?.read())?.value ?? []).toString()
  killed.kill("SIGKILL")
  await killed.exited

  isEndless = false
  const next = new Client(await (await run(serverProcess(settings, [], checkpoints))).listening, operatorKey)
  const again = await until(
    () => next.post(path, { json, headers }),
    ({ status }) => status !== 409,
  )
  expect([again.status, again.headers.get("x-session-id")]).toEqual([200, response.headers.get("x-session-id")])
  const session = again.headers.get("x-session-id") ?? ""
  expect((await next.messages(id, session)).map(({ content }) => content)).toEqual(["Hello", "At noon."])
  expect((await next.session(id, session)).message_count).toBe(2)
  expect((await next.post(path, { json, headers })).text).toBe(again.text)
})
