import { connect } from "node:net"
import { describe, expect, test } from "bun:test"
import { MessageId } from "../../../src/domain/Ids.ts"
import { Client, problem, until, wrongPaths } from "../../lib/Client.ts"
import { calls, fails, message, says } from "../../lib/FakeAnthropic.ts"
import { signIdentity } from "../../lib/Identity.ts"
import { random } from "../../lib/Random.ts"
import { searchSeed, sizeOf } from "../../lib/Sample.ts"
import { sharedServer } from "../../lib/TestServer.ts"
import { publish, type Stream, visit, type VisitorClient } from "../../lib/Visitors.ts"
import type { Answer } from "../../lib/Wire.ts"

/*
 * What visitors of the chat widget do with their conversations, over a real socket, with a model that streams.
 */

/** How many replies are cut off at a random moment and read on. `CUTS=200` for more. */
const CUTS = Number(process.env["CUTS"] ?? sizeOf(60, 12))
/** How often one reply is cut off. */
const CUTS_OF_ONE = 2
const AT_ONCE = 50

const server = await sharedServer()
const { client, provider } = server

const words = ["Grüße", "🙂🙂", "日本語", "plain", "a\nline"]
const text = Array.from({ length: 40 }, (_, place) => `${words[place % words.length]}${place}`).join(" ")
const paced: Answer = { kind: "paced", text }
const endless: Answer = { kind: "endless" }

const widgetOf = async (settings: object = {}, more: object = {}) => {
  const chatbot = await client.newChatbot({ settings: { model: "claude-sonnet-5-5", ...settings }, ...more })
  const key = await publish(client, chatbot.id)
  return { chatbot, key, visitor: await visit(client, key) }
}

/** Begins a reply without an end, and waits for some of its text. */
const begin = async (visitor: VisitorClient, more: object = {}, id: string = crypto.randomUUID()) => {
  await provider.answers(endless)
  const stream = await visitor.say("Go on", { ...more }, id)
  await stream.read(({ text }) => text.length > 20)
  return { stream, id, ...stream.ids }
}

describe("the page on which a visitor asks", () => {
  test("is shown with the conversation that began there, without what may be secret, and is no other afterwards", async () => {
    const { chatbot, visitor } = await widgetOf({ model: "local/extractive" })
    const secret = crypto.randomUUID()
    const on = (url: string, title?: string) => ({ page: { url, ...(title !== undefined && { title }) } })
    const { conversation } = (
      await visitor.hear("Hello", on(`https://ada:pw@Example.com/a%20b/?token=${secret}#${secret}`, "Prices <b>"))
    ).ids
    const page = { url: "https://example.com/a%20b/", title: "Prices <b>" }
    expect((await client.session(chatbot.id, conversation)).page).toEqual(page)
    await visitor.hear("Hello again", { conversation_id: conversation, ...on("https://example.com/other") })
    expect((await client.session(chatbot.id, conversation)).page).toEqual(page)
    expect(JSON.stringify(await visitor.conversations())).not.toContain("example.com")
    expect(await server.dump()).not.toContain(secret)

    const none = (await visitor.hear("Hello")).ids.conversation
    expect(await client.session(chatbot.id, none)).not.toHaveProperty("page")
    await visitor.hear("Hello again", { conversation_id: none, ...on("http://example.com") })
    expect((await client.session(chatbot.id, none)).page).toEqual({ url: "http://example.com/" })
  })

  test("is an address of a website, and neither it nor its title is long", async () => {
    const { visitor } = await widgetOf()
    for (const [page, path] of [
      [{ url: "javascript:alert(1)" }, "page.url"],
      [{ url: "file:///etc/passwd" }, "page.url"],
      [{ url: "https://" }, "page.url"],
      [{ url: "/prices" }, "page.url"],
      [{ url: `https://example.com/${"a".repeat(2_000)}` }, "page.url"],
      [{ url: "https://example.com/", title: "a".repeat(201) }, "page.title"],
      [{ url: "https://example.com/", title: "a\0" }, "page.title"],
      [{ url: "https://example.com/", referrer: "a" }, "page.referrer"],
    ] as const) {
      const message = { id: crypto.randomUUID(), text: "Hello" }
      expect(wrongPaths(await visitor.send("POST", "/chat", { message, page }))).toEqual([path])
    }
  })
})

const refusal = async ({ response }: Stream) => ({ status: response.status, code: Object(await response.json()).code })

describe("a reply to a visitor", () => {
  test(`is the stored text, ${CUTS} of ${CUTS} times that it is cut off at a random moment and read on`, async () => {
    await provider.answers(paced)
    const { visitor } = await widgetOf()
    const next = random(searchSeed)
    const one = async () => {
      const first = await visitor.say("Tell me")
      await first.read(({ events }) => events.length > 0)
      const { conversation, reply } = first.ids
      let stream = first
      let seen = ""
      let place = 0
      for (let cuts = 0; ; cuts++) {
        // The last time, it is read to its end.
        const patience = cuts < CUTS_OF_ONE ? next() * text.length : Number.POSITIVE_INFINITY
        const hasEnded = await stream.read((so) => so.text.length >= patience)
        await stream.leave()
        expect(stream.events.map(({ id }) => id)).toEqual(stream.events.map((_, index) => place + 1 + index))
        seen += stream.text
        place += stream.events.length
        if (hasEnded) break
        stream = await visitor.resume(reply, place)
        expect(stream.response.status).toBe(200)
      }
      const [question, answer, ...more] = await visitor.messages(conversation)
      expect([question?.content, more]).toEqual(["Tell me", []])
      expect(answer).toMatchObject({ id: reply, content: text, is_complete: true })
      return seen === answer?.content
    }
    let equal = 0
    for (let done = 0; done < CUTS; done += AT_ONCE) {
      const some = await Promise.all(Array.from({ length: Math.min(AT_ONCE, CUTS - done) }, one))
      equal += some.filter(Boolean).length
    }
    expect(equal).toBe(CUTS)
  })

  test("goes on when its reader leaves, and is read by several at once from wherever they like", async () => {
    await provider.answers(
      message([{ type: "text", text: "Let me look." }, ...calls("ferry").content], "tool_use"),
      paced,
    )
    const { visitor } = await widgetOf()
    // The model's second answer waits until everybody reads.
    const begin = provider.hold()
    const saying = visitor.say("Tell me")
    await until(provider.arrived, (arrived) => arrived === 1)
    const goOn = provider.hold()
    begin()
    const first = await saying
    await first.read(({ events }) => events.length > 2)
    await first.leave()
    const { conversation, reply } = first.ids
    expect((await visitor.page(conversation)).reply).toEqual({ id: reply })
    const readers = await Promise.all([0, 1, 2].map((after) => visitor.resume(reply, after)))
    goOn()
    await Promise.all(readers.map((reader) => reader.read()))
    expect(readers.map((reader) => reader.text).at(0)).toBe(`Let me look.\n\n${text}`)
    expect(readers.map((reader) => reader.events[0]?.id)).toEqual([1, 2, 3])
    for (const { last } of readers) expect(last).toEqual({ type: "finish", finish_reason: "stop", written_by: "model" })
    expect((await visitor.page(conversation)).reply).toBeUndefined()
    // Events that it never had.
    expect(await refusal(await visitor.resume(reply, 100_000))).toEqual({ status: 404, code: "not_found" })
    expect(provider.hungUp()).toBe(0)
  })

  test("is shown to another tab together with its question, whenever that asks", async () => {
    await provider.answers(says("Yes."))
    const { visitor } = await widgetOf()
    const { conversation } = (await visitor.hear("Question 0")).ids
    for (let round = 1; round <= 5; round += 1) {
      const question = `Question ${round}`
      let hasEnded = false
      const asked = visitor.hear(question, { conversation_id: conversation }).finally(() => (hasEnded = true))
      const look = async () => {
        while (!hasEnded) {
          const { messages, reply } = await visitor.page(conversation)
          if (reply === undefined) continue
          expect(messages.findLast(({ id }) => id !== reply.id)).toMatchObject({ role: "user", content: question })
        }
      }
      await Promise.all([asked, look(), look(), look()])
    }
  })

  test("that somebody does not read reaches the others, and is stored", async () => {
    const { visitor } = await widgetOf()
    const { conversation, reply, stream } = await begin(visitor)
    const { hostname, port } = new URL(client.url)
    const socket = connect(Number(port), hostname).pause()
    socket.write(
      `GET /api/widget/chat/${reply}?after=0 HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${visitor.session.token}\r\n\r\n`,
    )
    const before = stream.text.length
    await stream.read(({ text }) => text.length > before + 5_000)
    problem(await visitor.send("DELETE", `/chat/${crypto.randomUUID()}`), 404, "not_found")
    expect((await visitor.send("DELETE", `/chat/${reply}`)).status).toBe(200)
    await stream.read()
    expect((await visitor.messages(conversation)).at(-1)?.content).toBe(stream.text)
    socket.destroy()
  })

  test("is stopped by its visitor, and what there was of it is stored", async () => {
    const { visitor } = await widgetOf()
    const { conversation, id, reply, stream } = await begin(visitor)
    expect((await visitor.send("DELETE", `/chat/${reply}`)).body).toEqual({ message: "Reply stopped successfully" })
    // Whoever has the answer finds the reply stored.
    const stored = await visitor.messages(conversation)
    expect(await stream.read()).toBe(true)
    expect(stream.last).toEqual({ type: "stopped" })
    expect(stored.map(({ content, is_complete }) => [content, is_complete])).toEqual([
      ["Go on", true],
      [stream.text, false],
    ])
    expect(provider.hungUp()).toBe(1)
    expect((await visitor.send("DELETE", `/chat/${reply}`)).status).toBe(200)
    // The same message again is answered by what there is.
    const again = await visitor.hear("Go on", { conversation_id: conversation }, id)
    expect([again.text, again.last]).toEqual([stream.text, { type: "stopped" }])
    expect(await visitor.messages(conversation)).toHaveLength(2)
  })

  test("shows what the chatbot does, and the sources, whose passages can be read", async () => {
    const { chatbot, visitor } = await widgetOf()
    const [document] = await client.learn(chatbot.id, {
      "refunds.md": "# Refunds\n\nRefunds take five days.\n\nThey are free.",
    })
    const citation = {
      type: "search_result_location",
      source: `${document?.id}#1`,
      cited_text: "Refunds take five days.",
    }
    await provider.answers(
      message([{ type: "text", text: "Let me look." }, ...calls("refund").content], "tool_use"),
      message([{ type: "text", text: "Five days.", citations: [citation] }], "end_turn"),
    )
    const stream = await visitor.hear("How long do refunds take?")
    expect(stream.text).toBe("Let me look.\n\nFive days.")
    const [start, ...rest] = stream.events.filter(({ event }) => event.type !== "text").map(({ event }) => event)
    const source = { index: 0, title: expect.any(String), page: null, quote: "Refunds take five days." }
    expect(start).toMatchObject({ type: "start" })
    expect(rest).toEqual([
      { type: "tool", tool: "search", query: "refund" },
      { type: "source", ...source },
      { type: "finish", finish_reason: "stop", written_by: "model" },
    ])
    const { conversation, reply } = stream.ids
    const [, answer] = await visitor.messages(conversation)
    expect(answer).toMatchObject({ content: stream.text, sources: [source], written_by: "model" })
    // The operator sees the same, in the public API.
    const [, message_] = await client.messages(chatbot.id, conversation)
    expect(message_).toMatchObject({
      content: stream.text,
      sources: [{ quote: source.quote, document_id: expect.any(String), chunk: 1 }],
    })
    const passage = `/conversations/${conversation}/messages/${reply}/sources`
    expect((await visitor.send("GET", `${passage}/0`)).body).toEqual({
      source,
      section: null,
      content: expect.stringContaining("They are free."),
    })
    problem(await visitor.send("GET", `${passage}/1`), 404, "not_found")
    const file = await visitor.send("GET", `/conversations/${conversation}/transcript?format=markdown`)
    expect(file.headers.get("content-type")).toBe("text/markdown; charset=utf-8")
    expect(file.text).toContain("Reply (model), ")
    expect(file.text).toContain("Refunds take five days.")
    expect(file.text).not.toContain("searchKnowledgeBase")
    const json = await visitor.send("GET", `/conversations/${conversation}/transcript`)
    expect(json.body).toEqual({
      conversation: (await visitor.conversations())[0],
      messages: await visitor.messages(conversation),
    })
  })
})

describe("a message that is sent again", () => {
  test("is stored and answered once, by the reply that is being made or was made", async () => {
    await provider.answers(paced)
    const { visitor } = await widgetOf()
    const id = crypto.randomUUID()
    const streams = await Promise.all([visitor.say("Tell me", {}, id), visitor.say("Tell me", {}, id.toUpperCase())])
    await Promise.all(streams.map((stream) => stream.read()))
    expect(streams.map(({ text }) => text)).toEqual([text, text])
    expect(new Set(streams.map(({ ids }) => ids.reply)).size).toBe(1)
    const { conversation } = streams[0]?.ids ?? { conversation: "" }
    const later = await visitor.hear("Tell me", { conversation_id: conversation }, id)
    expect([later.text, later.last]).toEqual([text, { type: "finish", finish_reason: "stop", written_by: "model" }])
    expect(provider.requests()).toHaveLength(1)
    expect((await visitor.conversations()).map(({ message_count }) => message_count)).toEqual([2])
    const [question] = await visitor.messages(conversation)
    expect(question?.client_id).toBe(id)
  })

  test("is answered anew after a failure, and stored once", async () => {
    const { visitor } = await widgetOf()
    await provider.answers({ kind: "reset in body" }, says("Here it is."))
    const id = crypto.randomUUID()
    const failed = await visitor.hear("Tell me", {}, id)
    expect([failed.text, failed.last]).toMatchObject(["Hello", { type: "error", code: expect.any(String) }])
    const again = await visitor.hear("Tell me", {}, id)
    expect(again.text).toBe("Here it is.")
    expect(again.events[0]?.id).toBe(failed.place + 1)
    expect((await visitor.messages(again.ids.conversation)).map(({ content }) => content)).toEqual([
      "Tell me",
      "Here it is.",
    ])
  })
})

describe("a reply that is made again", () => {
  test("takes the place of the one before, for the visitor", async () => {
    const { chatbot, visitor } = await widgetOf()
    await provider.answers(says("First."), says("Second."))
    const { conversation, reply } = (await visitor.hear("Tell me")).ids
    const id = crypto.randomUUID()
    const again = { conversation_id: conversation, regenerates: reply }
    const second = await visitor.hear("Tell me", again, id)
    expect((await visitor.messages(conversation)).map(({ content }) => content)).toEqual(["Tell me", "Second."])
    expect((await client.messages(chatbot.id, conversation)).map(({ content }) => content)).toEqual([
      "Tell me",
      "First.",
      "Second.",
    ])
    // The model has not seen the first answer.
    expect(provider.requests()[1]?.body).not.toContain("First.")
    expect((await visitor.hear("Tell me", again, id)).ids).toEqual(second.ids)
    const stale = await visitor.say("Tell me", again)
    expect(await refusal(stale)).toEqual({ status: 409, code: "conflict" })
    expect((await visitor.say("Tell me", { regenerates: reply })).response.status).toBe(400)
  })

  test("may be one of which nothing was stored", async () => {
    const { visitor } = await widgetOf()
    await provider.answers(says("First."), fails(400, "invalid_request_error"), says("Second."))
    const first = await visitor.hear("One")
    const { conversation } = first.ids
    const failed = await visitor.hear("Two", { conversation_id: conversation })
    expect(failed.last?.type).toBe("error")
    const of = { conversation_id: conversation }
    const stale = await visitor.say("One", { ...of, regenerates: first.ids.reply })
    expect(await refusal(stale)).toEqual({ status: 409, code: "conflict" })
    expect((await visitor.hear("Two", { ...of, regenerates: failed.ids.reply })).text).toBe("Second.")
    expect((await visitor.messages(conversation)).map(({ content }) => content)).toEqual([
      "One",
      "First.",
      "Two",
      "Second.",
    ])
  })
})

describe("what a visitor says", () => {
  test("is refused while a reply is being made in the conversation, and answered after it", async () => {
    const { visitor } = await widgetOf()
    const { conversation, reply } = await begin(visitor)
    const other = await visitor.say("Another", { conversation_id: conversation })
    expect(await refusal(other)).toEqual({ status: 409, code: "conflict" })
    await visitor.send("DELETE", `/chat/${reply}`)
    await provider.answers(says("Yes."))
    expect((await visitor.hear("Another", { conversation_id: conversation })).text).toBe("Yes.")
  })

  test("is refused in words when it is too long, empty, or for a chatbot that does not answer", async () => {
    const { chatbot, visitor } = await widgetOf()
    const body = (text: string) => ({ message: { id: crypto.randomUUID(), text } })
    expect(wrongPaths(await visitor.send("POST", "/chat", body("x".repeat(100_000))))).toEqual(["message.text"])
    expect(wrongPaths(await visitor.send("POST", "/chat", body("")))).toEqual(["message.text"])
    expect(wrongPaths(await visitor.send("POST", "/chat", { ...body("Hi"), email: "not one" }))).toEqual(["email"])
    problem(await visitor.send("POST", "/chat", body("x".repeat(2_000_000))), 413, "too_large")
    await client.patch(`/api/external/chatbots?id=${chatbot.id}`, { json: { active: false } })
    problem(await visitor.send("POST", "/chat", body("Hi")), 409, "chatbot_inactive")
    expect(await visitor.conversations()).toEqual([])
  })

  test("is answered without a question for the e-mail address when it comes with one, or declines", async () => {
    const { chatbot, key, visitor } = await widgetOf({ isRequestUserInfoEnabled: true })
    await provider.answers(says("Hello."))
    const given = await visitor.hear("Hi", { email: " ada@example.com " })
    expect(given.text).toBe("Hello.")
    expect((await client.session(chatbot.id, given.ids.conversation)).user_info).toEqual({ email: "ada@example.com" })
    const other = await visit(client, key)
    const declined = await other.hear("Hi", { email: "" })
    expect(declined.text).toBe("Hello.")
    expect((await other.hear("Go on", { conversation_id: declined.ids.conversation })).text).toBe("Hello.")
    expect((await client.session(chatbot.id, declined.ids.conversation)).user_info).toEqual({})
    expect((await (await visit(client, key)).hear("Hi")).text).toContain("e-mail address")
  })
})

describe("a conversation", () => {
  test("goes over to the verified visitor whom the browser turns out to be", async () => {
    const { chatbot, key } = await widgetOf()
    await provider.answers(says("Yes."))
    const visitor_secret = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString("base64url")
    const anonymous = await visit(client, key, { visitor_secret })
    const { conversation, reply } = (await anonymous.hear("Hi")).ids
    const running = await begin(anonymous)
    const made = await client.post(`/api/external/chatbot/${chatbot.id}/identity-secrets`)
    const exp = Math.floor(Date.now() / 1_000) + 600
    const identity = signIdentity(Object(made.body).secret, { aud: chatbot.id, sub: "user-7", exp })
    const verified = await visit(client, key, { visitor_secret, identity })
    expect(verified.session.visitor.is_verified).toBe(true)
    expect((await verified.messages(conversation)).map(({ id }) => id)).toContain(MessageId.make(reply))
    expect((await verified.send("DELETE", `/chat/${running.reply}`)).status).toBe(200)
    await running.stream.read()
    expect(await verified.conversations()).toHaveLength(2)
    expect(await anonymous.conversations()).toEqual([])
    problem(await anonymous.send("GET", `/conversations/${conversation}/messages`), 404, "not_found")
    // Nobody else's go over with them.
    expect(await (await visit(client, key, { identity })).conversations()).toHaveLength(2)
  })

  test("is listed for its visitor, page by page", async () => {
    await provider.answers(says("Yes."))
    const { visitor } = await widgetOf()
    const first = (await visitor.hear("One\n  thing")).ids.conversation
    const second = (await visitor.hear("Another thing")).ids.conversation
    await visitor.hear("More of it", { conversation_id: first })
    expect((await visitor.conversations()).map(({ id, message_count, title }) => [id, title, message_count])).toEqual([
      [first, "One thing", 4],
      [second, "Another thing", 2],
    ])
    const page = await visitor.send("GET", "/conversations?limit=1")
    const { conversations, next_cursor } = Object(page.body)
    expect(conversations.map(({ id }: { id: string }) => id)).toEqual([first])
    expect(Object((await visitor.send("GET", `/conversations?limit=1&cursor=${next_cursor}`)).body)).toMatchObject({
      conversations: [{ id: second }],
      next_cursor: null,
    })
    const latest = await visitor.page(first, "?limit=3")
    expect(latest.messages.map(({ content }) => content)).toEqual(["Yes.", "More of it", "Yes."])
    const before = await visitor.page(first, `?limit=3&cursor=${latest.next_cursor}`)
    expect([before.messages.map(({ content }) => content), before.next_cursor]).toEqual([["One\n  thing"], null])
  })

  test("is rated by its visitor", async () => {
    await provider.answers(says("Yes."))
    const { chatbot, visitor } = await widgetOf()
    const { conversation, reply } = (await visitor.hear("Hi")).ids
    const feedback = { rating: "down", comment: "No." }
    const rated = await visitor.send("POST", `/conversations/${conversation}/messages/${reply}/feedback`, feedback)
    expect(rated.body).toEqual({ message_id: reply, feedback })
    const [question, answer] = await visitor.messages(conversation)
    expect(answer?.feedback).toMatchObject(feedback)
    expect((await client.messages(chatbot.id, conversation))[1]?.feedback).toMatchObject(feedback)
    problem(
      await visitor.send("POST", `/conversations/${conversation}/messages/${question?.id}/feedback`, feedback),
      409,
      "conflict",
    )
  })

  test("is deleted by its visitor, one or all, also while replies are being made", async () => {
    const { visitor } = await widgetOf()
    const { conversation, reply, stream } = await begin(visitor)
    expect((await visitor.send("DELETE", `/conversations/${conversation}`)).status).toBe(200)
    await stream.read()
    expect(stream.last).toEqual({ type: "stopped" })
    expect(await visitor.conversations()).toEqual([])
    problem(await visitor.send("GET", `/conversations/${conversation}/messages`), 404, "not_found")
    problem(await visitor.send("DELETE", `/conversations/${conversation}`), 404, "not_found")
    const [one, two] = [await begin(visitor), await begin(visitor)]
    expect((await visitor.send("DELETE", "/conversations")).body).toEqual({ deleted: 2 })
    await Promise.all([one.stream.read(), two.stream.read()])
    expect(await visitor.conversations()).toEqual([])
    expect(await server.dump()).not.toContain(`"session_id": "${one.conversation}"`)
    expect((await visitor.say("On", { conversation_id: conversation })).response.status).toBe(404)
    expect(reply).not.toBe("")
  })

  test("is erased by the address of its visitor, and by the visitor's id", async () => {
    await provider.answers(says("Yes."))
    const { chatbot, visitor } = await widgetOf({ isRequestUserInfoEnabled: true })
    const { conversation } = (await visitor.hear("Hi", { email: "eve@example.com" })).ids
    await visitor.hear("Hello", { email: "" })
    const erase = async (json: object) => (await client.post("/api/external/erasures", { json })).body
    expect(await erase({ email: "EVE@example.com" })).toEqual({ erased: { conversations: 1, messages: 2 } })
    expect((await visitor.conversations()).map(({ id }) => id)).not.toContain(conversation)
    const id = (await visitor.conversations())[0]?.id ?? ""
    const { visitor_id } = await client.session(chatbot.id, id)
    expect(visitor_id).toBe(visitor.session.visitor.id)
    expect(await erase({ visitor_id })).toEqual({ erased: { conversations: 1, messages: 2 } })
    expect(await visitor.conversations()).toEqual([])
    expect(wrongPaths(await client.post("/api/external/erasures", { json: { visitor_id, email: "a@b.de" } }))).toEqual([
      "email",
    ])
  })

  test("of somebody else is nowhere to be found", async () => {
    const { chatbot, key, visitor } = await widgetOf()
    await provider.answers(says("Yes."))
    const ids = (await visitor.hear("Hi")).ids
    const ofKey = (await client.chat(chatbot.id, "Hi")).session_id
    const running = await begin(visitor)
    const elsewhere = await widgetOf()
    for (const other of [await visit(client, key), elsewhere.visitor]) {
      for (const { conversation, reply } of [ids, running, { ...ids, conversation: ofKey }]) {
        const path = `/conversations/${conversation}`
        const requests = [
          ["GET", `${path}/messages`],
          ["GET", `${path}/transcript`],
          ["DELETE", path],
          ["POST", `${path}/messages/${reply}/feedback`, { rating: "up" }],
          ["GET", `${path}/messages/${reply}/sources/0`],
          ["GET", `/chat/${running.reply}?after=0`],
          ["DELETE", `/chat/${running.reply}`],
          ["POST", "/chat", { conversation_id: conversation, message: { id: crypto.randomUUID(), text: "Hi" } }],
          [
            "POST",
            "/chat",
            { conversation_id: conversation, regenerates: reply, message: { id: crypto.randomUUID(), text: "Hi" } },
          ],
        ] as const
        for (const [method, address, json] of requests) {
          problem(await other.send(method, address, json), 404, "not_found")
        }
      }
      // Not even with the id that the other's browser gave its message.
      const stream = await other.say("Hi", {}, running.id)
      await stream.read(({ events }) => events.length > 0)
      expect(stream.ids.reply).not.toBe(running.reply)
      await other.send("DELETE", `/chat/${stream.ids.reply}`)
      expect((await other.conversations()).map(({ id }) => String(id))).toEqual([stream.ids.conversation])
      expect((await other.send("DELETE", "/conversations")).body).toEqual({ deleted: 1 })
    }
    expect(await visitor.conversations()).toHaveLength(2)
    await visitor.send("DELETE", `/chat/${running.reply}`)
    // An API key does not pass for a visitor.
    problem(await client.get("/api/widget/conversations"), 401, "unauthorized")
    expect((await new Client(client.url, undefined).get("/api/widget/conversations")).status).toBe(401)
  })
})

test("a chatbot that is deleted while it answers ends the reply without storing it", async () => {
  const { chatbot, visitor } = await widgetOf()
  const { reply, stream } = await begin(visitor)
  expect((await client.delete(`/api/external/chatbot/${chatbot.id}`)).status).toBe(200)
  const stop = await until(
    () => visitor.send("DELETE", `/chat/${reply}`),
    ({ status }) => status !== 200,
  )
  expect([401, 404]).toContain(stop.status)
  await stream.leave()
})
