import { describe, expect, test } from "bun:test"
import { Context, type Duration, Schema } from "effect"
import { ListBytes } from "../../src/http/chatbots/Chatbots.ts"
import { ShareBounds } from "../../src/admission/Shares.ts"
import { type Client, problem, read, type Reply, until } from "../lib/Client.ts"
import { says } from "../lib/FakeAnthropic.ts"
import { callTool, connectMcp } from "../lib/Mcp.ts"
import { rawRequest } from "../lib/RawRequest.ts"
import { startServer } from "../lib/TestServer.ts"

const LIST_BYTES = 128 * 1024

const bounds = ShareBounds.defaultValue()
const boundsWith = (wait: Duration.Input) =>
  Context.make(ListBytes, LIST_BYTES).pipe(
    Context.add(ShareBounds, {
      ...bounds,
      organization: { ...bounds.organization, uploads: 1, chats: 1, streams: 1 },
      wait,
    }),
  )
const { client, provider } = await startServer({}, boundsWith("200 millis"))
/** A server at which requests wait for their turn however busy the machine is. */
const patient = await startServer({}, boundsWith("60 seconds"))

/** Asks until the place is free that another request had. */
const untilServed = (ask: () => Promise<Reply>) => until(ask, ({ status }) => status !== 429)

const chatPath = (id: string) => `/api/external/chatbot/${id}/chat`
const messages = [{ role: "user", content: "Are you there?" }]

const claude = async () => {
  const own = await client.newOrganization()
  return { own, bot: await own.newChatbot({ settings: { model: "claude-sonnet-5-5", isToolEnabled: false } }) }
}

/** Begins a chat, whole or streamed, whose model answers when the returned function is called. */
const occupied = async (own: Client, id: string, stream: boolean) => {
  await provider.answers(says("Here."))
  const release = provider.hold()
  const chat = own.post(`${chatPath(id)}?stream=${stream}`, { json: { messages } })
  await until(provider.arrived, (arrived) => arrived > 0)
  return async () => {
    release()
    expect((await chat).status).toBe(200)
  }
}

describe("a chat beyond its organization's share is refused with 429", () => {
  test("in every dialect, and another organization is served", async () => {
    const { own, bot } = await claude()
    const local = await own.newChatbot({ settings: { model: "local/extractive" } })
    const others = await client.newOrganization()
    const theirs = await others.newChatbot({ settings: { model: "local/extractive" } })
    const finish = await occupied(own, bot.id, false)
    const reply = await own.say(local.id, "Hello")
    problem(reply, 429, "too_many_at_once")
    expect(reply.headers.get("retry-after")).toBe("1")
    expect((await own.post("/v1/chat/completions", { json: { model: local.slug, messages } })).body).toMatchObject({
      error: { code: "rate_limit_exceeded" },
    })
    const { mcp } = await connectMcp(`${client.url}/mcp/${local.id}`, { "x-api-key": own.key ?? "" })
    const refused = await callTool(mcp, "chat", { message: "Hello" })
    expect([refused.isError, JSON.stringify(refused)]).toEqual([true, expect.stringContaining("too_many_at_once")])
    await mcp.close()
    expect((await others.say(theirs.id, "Hello")).status).toBe(200)
    // A streamed chat has a share of its own.
    expect((await own.post(`${chatPath(local.id)}?stream=true`, { json: { messages } })).status).toBe(200)
    await finish()
    expect((await untilServed(() => own.say(local.id, "Hello"))).status).toBe(200)
  })

  test("while a stream is open, and served once its client has left", async () => {
    const { own, bot } = await claude()
    await provider.answers(says("Here."))
    const release = provider.hold()
    const leaving = new AbortController()
    const json = { messages }
    const left = own.post(`${chatPath(bot.id)}?stream=true`, { json, signal: leaving.signal }).catch(() => "left")
    await until(provider.arrived, (arrived) => arrived > 0)
    problem(await own.post(`${chatPath(bot.id)}?stream=true`, { json }), 429, "too_many_at_once")
    leaving.abort()
    expect(await left).toBe("left")
    release()
    expect((await untilServed(() => own.post(`${chatPath(bot.id)}?stream=true`, { json }))).status).toBe(200)
  })
})

describe("an upload beyond its organization's share", () => {
  test("is refused before its body is read, and is served once the one before has ended", async () => {
    const own = await client.newOrganization()
    const { id } = await own.newChatbot()
    const others = await client.newOrganization()
    const theirs = await others.newChatbot()
    const headers = { "x-api-key": own.key ?? "", "content-type": "multipart/form-data; boundary=x" }
    const half = rawRequest(client.url, "POST /api/embedfiles", { ...headers, "content-length": "1000000" }, "--x\r\n")
    await half.send("Content-Disposition: form-data; ")
    // It reaches the server a moment later.
    const refused = await until(() => own.upload(id, { "a.txt": "The tide turns at noon." }), { status: 429 })
    problem(refused, 429, "too_many_at_once")
    await others.learn(theirs.id, { "a.txt": "The tide turns at noon." })
    half.socket.destroy()
    const upload = () => own.upload(id, { "a.txt": "The tide turns at noon." })
    expect((await untilServed(upload)).status).toBe(200)
  })

  test("begins as soon as the one before is received", async () => {
    const own = await patient.client.newOrganization()
    const { id } = await own.newChatbot()
    // Of five at once, each begins while the ones before wait for their documents.
    const files = ["1", "2", "3", "4", "5"].map((name) => own.upload(id, { [`${name}.txt`]: `Number ${name}.` }))
    expect((await Promise.all(files)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
  })
})

describe("a list of chatbots", () => {
  test("ends at a number of bytes, and goes on where `Link` says", async () => {
    const own = await client.newOrganization()
    const made: Array<string> = []
    for (let number = 0; number < 45; number++) {
      made.unshift((await own.newChatbot({ settings: { prompt: "é".repeat(4_000) } })).id)
    }
    const Page = Schema.Struct({
      chatbots: Schema.Array(Schema.Struct({ id: Schema.String })),
      next_cursor: Schema.NullOr(Schema.String),
    })
    const shown: Array<string> = []
    let pages = 0
    for (let path: string | undefined = "/api/external/chatbots"; path !== undefined;) {
      const page: Awaited<ReturnType<Client["get"]>> = await own.get(path)
      pages++
      const { chatbots, next_cursor } = read(Page, page)
      expect(Buffer.byteLength(page.text)).toBeLessThan(2 * LIST_BYTES)
      shown.push(...chatbots.map(({ id }) => id))
      const link = page.headers.get("link")
      expect(link === null).toBe(next_cursor === null)
      path = link === null ? undefined : link.slice(1, link.indexOf(">"))
    }
    expect(shown).toEqual(made)
    expect(pages).toBeGreaterThan(1)
    // Names of models are short: all of them are one page.
    expect((await own.get("/v1/models")).headers.get("link")).toBeNull()
  })
})
