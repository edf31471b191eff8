import { describe, expect, test } from "bun:test"
import { Context, Duration } from "effect"
import { ShareBounds } from "../../../src/admission/Shares.ts"
import { EventInterval } from "../../../src/services/organizations/Events.ts"
import { problem } from "../../lib/Client.ts"
import { listen } from "../../lib/EventReader.ts"
import { startServer } from "../../lib/TestServer.ts"

const bounds = ShareBounds.defaultValue()
const server = await startServer(
  {},
  Context.make(ShareBounds, {
    ...bounds,
    organization: { ...bounds.organization, events: 4 },
    wait: "100 millis",
  }).pipe(Context.add(EventInterval, Duration.millis(20))),
)
const { client } = server
const nowhere = "01a9b7c2-1f2e-7c3d-8a4b-5c6d7e8f9a0b"

describe("the events of an organization", () => {
  test("begin with resync, and tell of documents, conversations and chatbots", async () => {
    const mine = await client.newOrganization()
    const { id } = await mine.newChatbot()
    const listener = await listen(mine)
    expect(listener.events[0]).toEqual({ type: "resync" })

    const { session_id } = await mine.chat(id, "Hello")
    const conversation = await listener.until(({ conversation }) => conversation?.message_count === 2)
    expect(conversation).toMatchObject({ type: "conversation", chatbot_id: id, conversation: { id: session_id } })

    await mine.learn(id, { "a.txt": "Some words." })
    expect(await listener.until(({ type }) => type === "knowledge")).toEqual({ type: "knowledge", chatbot_id: id })
    await mine.upload(id, { "b.txt": "   " })
    const failed = await listener.until(({ document }) => document?.status === "failed")
    expect(failed).toMatchObject({
      type: "document",
      chatbot_id: id,
      document: { name: "b.txt", error: { code: expect.any(String) } },
    })
    await mine.delete(`/api/external/chatbot/${id}/knowledge-base?id=${failed.document?.id}`)
    await listener.until(({ document_id, type }) => type === "document_deleted" && document_id === failed.document?.id)

    await mine.patch(`/api/external/chatbots?id=${id}`, { json: { description: "Other" } })
    await listener.until(({ chatbot_id, type }) => type === "chatbot" && chatbot_id === id)
    const second = await mine.newChatbot()
    await listener.until(({ chatbot_id, type }) => type === "chatbot" && chatbot_id === second.id)
    await mine.delete(`/api/external/chatbot/${second.id}`)
    await listener.until(({ chatbot_id, type }) => type === "chatbot_deleted" && chatbot_id === second.id)
    listener.leave()
  })

  test("are those of the key's organization, of its scopes, and of the only chatbot that it serves or asks for", async () => {
    const [mine, other] = [await client.newOrganization(), await client.newOrganization()]
    const [first, second] = [await mine.newChatbot(), await mine.newChatbot()]
    const bound = (await mine.newKey({ chatbot_id: first.id })).client
    const ofSecond = await listen(mine, `?chatbot_id=${second.id}`)
    const ofBound = await listen(bound)
    const reader = await listen(await mine.limitedTo("chatbots:read"))
    const stranger = await listen(other)
    await mine.chat(second.id, "Hello")
    await mine.chat(first.id, "Hello")
    await mine.patch(`/api/external/chatbots?id=${second.id}`, { json: { description: "Other" } })
    await mine.patch(`/api/external/chatbots?id=${first.id}`, { json: { description: "Other" } })
    for (const [listener, chatbot] of [
      [ofSecond, second.id],
      [ofBound, first.id],
    ] as const) {
      await listener.until(({ type }) => type === "chatbot")
      await listener.until(({ type }) => type === "conversation")
      expect(new Set(listener.events.map(({ chatbot_id = chatbot }) => chatbot_id))).toEqual(new Set([chatbot]))
    }
    await reader.until(({ chatbot_id }) => chatbot_id === first.id)
    expect(new Set(reader.events.map(({ type }) => type))).toEqual(new Set(["resync", "chatbot"]))
    const { id: theirs } = await other.newChatbot()
    await stranger.until(({ chatbot_id }) => chatbot_id === theirs)
    expect(stranger.events).toMatchObject([{ type: "resync" }, { type: "chatbot", chatbot_id: theirs }])
    for (const listener of [ofSecond, ofBound, reader, stranger]) listener.leave()
    problem(await bound.get(`/api/external/events?chatbot_id=${second.id}`), 403, "forbidden")
    problem(await other.get(`/api/external/events?chatbot_id=${second.id}`), 404, "not_found")
    problem(await mine.get(`/api/external/events?chatbot_id=${nowhere}`), 404, "not_found")
    problem(await (await mine.limitedTo("chat")).get("/api/external/events"), 403, "forbidden")
    problem(await client.withKey(undefined).get("/api/external/events"), 401, "unauthorized")
  })

  test("end when the key is revoked", async () => {
    const mine = await client.newOrganization()
    const key = await mine.newKey()
    const [staying, leaving] = [await listen(mine), await listen(key.client)]
    await mine.delete(`/api/admin/api-keys/${key.id}`)
    await leaving.ended
    const { id } = await mine.newChatbot()
    await staying.until(({ chatbot_id }) => chatbot_id === id)
    expect(leaving.events).toEqual([{ type: "resync" }])
    staying.leave()
  })

  test("are sent to a limited number of clients, and to another one when one has left", async () => {
    const mine = await client.newOrganization()
    const listeners = [await listen(mine), await listen(mine), await listen(mine), await listen(mine)]
    problem(await mine.get("/api/external/events"), 429, "too_many_at_once")
    listeners[0]?.leave()
    const next = await (async () => {
      for (;;) {
        const again = await listen(mine).catch(() => undefined)
        if (again !== undefined) return again
      }
    })()
    for (const listener of [...listeners, next]) listener.leave()
  })
})
