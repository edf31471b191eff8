import { afterAll, beforeEach, describe, expect, test } from "bun:test"
import { signal } from "@preact/signals"
import { SessionId } from "../../src/domain/Ids.ts"
import type { StoredState } from "../../src/web/shared/Bridge.ts"
import { until } from "../lib/Until.ts"
import { Chat } from "../../src/web/widget/model/Chat.ts"
import { Client } from "../../src/web/widget/model/Client.ts"
import { Conversations } from "../../src/web/widget/model/Conversations.ts"
import { Reply } from "../../src/web/widget/model/Entries.ts"
import type { Host } from "../../src/web/widget/model/Host.ts"

const first = SessionId.make("00000000-0000-7000-8000-000000000001")
const second = SessionId.make("00000000-0000-7000-8000-000000000002")

/** The answers that are held back, by the query of their requests, and whether requests for older pages fail. */
let gate = Promise.withResolvers<void>()
let areOlderRefused = false
/** How often the newest messages were read, and from which time on a person's message is among them. */
let reads = 0
let writtenAt = Infinity
beforeEach(() => {
  reads = 0
  writtenAt = Infinity
  gate = Promise.withResolvers()
  areOlderRefused = false
})

const message = (id: string) => ({ id, role: "user", content: id, created_at: "", is_complete: true })

/** A server with conversations of two pages, whose older page comes when the gate opens. */
const server = Bun.serve({
  port: 0,
  fetch: async ({ url }) => {
    const { pathname, searchParams } = new URL(url)
    if (pathname.endsWith("/sessions"))
      return Response.json({ token: "token", expires_at: new Date(Date.now() + 3_600_000).toISOString(), visitor: {} })
    const isOlder = searchParams.has("cursor")
    if (isOlder) {
      await gate.promise
      if (areOlderRefused) return Response.json({ code: "internal_error" }, { status: 500 })
    }
    const next_cursor = isOlder ? null : "older"
    if (pathname.endsWith("/conversations"))
      return Response.json({ conversations: [{ id: isOlder ? second : first }], next_cursor })
    const written = ++reads >= writtenAt ? [message("from a person")] : []
    return Response.json({ messages: [message(isOlder ? "old" : "new"), ...written], next_cursor })
  },
})
afterAll(() => server.stop(true))

const open = () => {
  const state = signal<StoredState | undefined>({ secret: "yLwDnJm3TzqV0k5bXhRr9A" })
  const host: Host = {
    mode: "preview",
    language: undefined,
    theme: undefined,
    page: () => undefined,
    state,
    keep: (kept) => void (state.value = kept),
    tell: () => undefined,
    listen: () => undefined,
  }
  const client = new Client({ root: server.url.href, key: "key", secret: () => state.value?.secret })
  const chat = new Chat(host, client, () => {
    throw new Error("Nothing is said here")
  })
  return { chat, conversations: new Conversations(host, chat) }
}

describe("earlier messages", () => {
  test("are shown once when they are asked for twice", async () => {
    const { chat } = open()
    await chat.open(first)
    const clicks = [chat.loadEarlier(), chat.loadEarlier()]
    gate.resolve()
    await Promise.all(clicks)
    expect(chat.entries.value.map(({ key }) => key)).toEqual(["old", "new"])
    expect(chat.earlier.value).toBeUndefined()
  })

  test("of a conversation that is no longer open are shown nowhere, nor why they could not be read", async () => {
    for (areOlderRefused of [false, true]) {
      gate = Promise.withResolvers()
      const { chat } = open()
      await chat.open(first)
      const late = chat.loadEarlier()
      chat.startNew()
      gate.resolve()
      await late
      expect(chat.entries.value).toEqual([])
      expect(chat.failure.value).toBeUndefined()
    }
  })
})

test("earlier conversations are listed once when they are asked for twice, and their failure shows in no other one", async () => {
  const { chat, conversations } = open()
  await conversations.load()
  const clicks = [conversations.load(true), conversations.load(true)]
  gate.resolve()
  await Promise.all(clicks)
  expect(conversations.list.value?.map(({ id }) => id)).toEqual([first, second])

  gate = Promise.withResolvers()
  areOlderRefused = true
  await conversations.load()
  const late = conversations.load(true)
  await chat.open(second)
  gate.resolve()
  await late
  expect(chat.failure.value).toBeUndefined()
})

describe("what a person wrote while the widget was not told", () => {
  test("is read as soon as the chatbot's reply has ended", async () => {
    const { chat } = open()
    await chat.open(first)
    chat.current.value = new Reply()
    writtenAt = 2
    chat.people.onResync()
    expect(chat.entries.value.map(({ key }) => key)).toEqual(["new"])
    chat.current.value = undefined
    await until(() => chat.entries.value.length, 2)
    expect(chat.entries.value.at(-1)?.key).toBe("from a person")
  })

  test("is read as soon as the conversation is loaded", async () => {
    const { chat } = open()
    writtenAt = 2
    const loading = chat.open(first)
    chat.people.onResync()
    await loading
    await until(() => chat.entries.value.length, 2)
  })
})
