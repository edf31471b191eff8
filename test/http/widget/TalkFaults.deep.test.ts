import { expect, setDefaultTimeout, test } from "bun:test"
import { Context, Effect } from "effect"
import { CheckpointInterval } from "../../../src/services/conversations/RepliesUnderWay.ts"
import { Client, until } from "../../lib/Client.ts"
import { fakeKey, says } from "../../lib/FakeAnthropic.ts"
import { providerAnswering } from "../../lib/FakeProvider.ts"
import { operatorKey, serverProcess, settingsFor } from "../../lib/ServerProcess.ts"
import { fresh } from "../../lib/TestDatabase.ts"
import { testTimeout } from "../../lib/TestServer.ts"
import { publish, visit } from "../../lib/Visitors.ts"
import type { Answer } from "../../lib/Wire.ts"
import { sharedRun } from "../../lib/Scoped.ts"

const bounds = Context.make(CheckpointInterval, "100 millis")

/*
 * Replies to visitors of the chat widget whose server dies or shuts down.
 */

setDefaultTimeout(testTimeout)

const run = sharedRun()

let answer: Answer = { kind: "endless" }
const provider = await run(providerAnswering(() => answer))
const settings = {
  ...(await run(Effect.flatMap(fresh, settingsFor))),
  ANTHROPIC_API_KEY: fakeKey,
  ANTHROPIC_BASE_URL: provider.url,
  DEFAULT_MODEL: "claude-sonnet-5-5",
  DRAIN_TIMEOUT: "300ms",
  // What is stored of a reply on its way shows there.
  LOG_LEVEL: "debug",
}
const secret = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString("base64url")

const start = async () => {
  const server = await run(serverProcess(settings, [], bounds))
  return { server, client: new Client(await server.listening, operatorKey) }
}

test("a message is stored and answered once, although its server is killed or shut down while it answers", async () => {
  const killed = await start()
  const { id: chatbot } = await killed.client.newChatbot()
  const key = await publish(killed.client, chatbot)
  const session = { visitor_secret: secret }
  const [kept, lost] = [crypto.randomUUID(), crypto.randomUUID()]

  // One reply has been stored on its way, and of the other nothing was there to be stored.
  const visitor = await visit(killed.client, key, session)
  const first = await visitor.say("Tell me", {}, kept)
  await first.read(({ text }) => text.length > 100)
  const { conversation, reply } = first.ids
  // What is stored after the next time has as much of it as was read.
  const checkpoints = () => killed.server.stdout().split('"message":"Replies under way were stored"').length
  const before = checkpoints()
  await until(checkpoints, (count) => count > before + 1)
  answer = { kind: "hang" }
  const second = await visitor.say("And then?", {}, lost)
  await second.read(({ events }) => events.length > 0)
  killed.server.kill("SIGKILL")
  await killed.server.exited
  const seen = first.text

  const next = await start()
  const back = await visit(next.client, key, session)
  expect(back.session.visitor.id).toBe(visitor.session.visitor.id)
  expect((await back.resume(reply, first.place)).response.status).toBe(404)
  const stored = await until(() => back.messages(conversation), { length: 2 })
  expect(stored[1]).toMatchObject({ id: reply, is_complete: false })
  answer = says("Here it is.")
  const [again, anew] = [await back.hear("Tell me", {}, kept), await back.hear("And then?", {}, lost)]
  expect([again.ids, again.text, again.last]).toEqual([first.ids, stored[1]?.content ?? "", { type: "stopped" }])
  expect(seen.startsWith(again.text) || again.text.startsWith(seen)).toBe(true)
  expect([anew.ids, anew.text]).toEqual([second.ids, "Here it is."])
  expect((await back.conversations()).map(({ message_count }) => message_count)).toEqual([2, 2])

  // A server that shuts down gives a reply some time, tells its readers that it is over, and stores what there is of it.
  answer = { kind: "endless" }
  const last = await back.say("More", { conversation_id: conversation })
  await last.read(({ text }) => text.length > 100)
  next.server.kill("SIGTERM")
  expect(await last.read()).toBe(true)
  expect(last.last).toMatchObject({ type: "error", code: "unavailable" })
  expect(await next.server.exited).toBe(0)
  expect(next.server.stderr()).toBe("")

  const third = await start()
  const messages = await (await visit(third.client, key, session)).messages(conversation)
  expect(messages.at(-1)).toMatchObject({ content: last.text, is_complete: false })
})
