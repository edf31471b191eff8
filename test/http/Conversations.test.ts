import { describe, expect, test } from "bun:test"
import { type Client, problem, wrongPaths } from "../lib/Client.ts"
import { sharedServer } from "../lib/TestServer.ts"

const { client } = await sharedServer()

const at = (id: string, rest = "") => `/api/external/chatbot/${id}/conversations${rest}`
const nowhere = "01a9b7c2-1f2e-7c3d-8a4b-5c6d7e8f9a0b"
const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/)
const uuid = expect.stringMatching(/^[0-9a-f-]{36}$/)

/** Creates a chatbot with one session of this many questions and answers. */
const chatted = async (questions: number, sessionToken = "visitor") => {
  const { id } = await client.newChatbot()
  let session = ""
  for (let n = 1; n <= questions; n++) session = (await client.chat(id, `Question ${n}`, { sessionToken })).session_id
  return { id, session }
}

describe("9. messages", () => {
  test("have every field of the specification", async () => {
    const { id, session } = await chatted(1)
    const common = {
      id: uuid,
      session_id: session,
      attachments: null,
      created_at: timestamp,
      metadata: {},
      migrated_data: false,
      session_token: null,
    }
    const reply = await client.get(at(id, `/${session}/messages`))
    expect(reply.status).toBe(200)
    expect(reply.body).toStrictEqual({
      data: [
        {
          ...common,
          sender_type: "user",
          content: "Question 1",
          model: null,
          provider: null,
          tokens_used: 0,
          tool_calls: null,
          tool_results: null,
        },
        {
          ...common,
          sender_type: "bot",
          content: expect.any(String),
          model: "local/extractive",
          provider: "local",
          tokens_used: expect.any(Number),
          tool_calls: [
            {
              type: "tool-call",
              toolCallId: expect.any(String),
              toolName: "searchKnowledgeBase",
              args: { query: "Question 1" },
            },
            // Where nothing at all is found, the documents are listed.
            { type: "tool-call", toolCallId: expect.any(String), toolName: "listDocuments", args: {} },
          ],
          tool_results: [
            expect.objectContaining({ type: "tool-result", result: [] }),
            expect.objectContaining({ type: "tool-result", result: { total: 0, titles: [] } }),
          ],
          // A field that the specification lacks stands only where it says something.
          unanswered: true,
        },
      ],
      metadata: { currentPage: 1, pageSize: 20, totalCount: 2, totalPages: 1 },
    })
  })

  test("come in pages in ascending order, and a page past the end is empty", async () => {
    const { id } = await chatted(11)
    const page = async (query: string) => (await client.get(at(id, `/visitor/messages${query}`))).body
    const all = await client.messages(id, "visitor")
    const first = all.slice(0, 20)
    const metadata = { currentPage: 1, pageSize: 20, totalCount: 22, totalPages: 2 }
    expect(all).toHaveLength(22)
    expect(all.filter(({ sender_type }) => sender_type === "user").map(({ content }) => content)).toEqual(
      Array.from({ length: 11 }, (_, n) => `Question ${n + 1}`),
    )
    expect(all.map(({ created_at, id: message }) => created_at + message)).toEqual(
      all.map(({ created_at, id: message }) => created_at + message).toSorted(),
    )
    expect(await page("?page=1")).toStrictEqual({ data: first, metadata })
    expect(await page("?page=2")).toStrictEqual({ data: all.slice(20), metadata: { ...metadata, currentPage: 2 } })
    expect(await page("?page=3")).toStrictEqual({ data: [], metadata: { ...metadata, currentPage: 3 } })
    expect(await page("?page=7&limit=3")).toStrictEqual({
      data: all.slice(18, 21),
      metadata: { currentPage: 7, pageSize: 3, totalCount: 22, totalPages: 8 },
    })
    expect(await page("?limit=100")).toMatchObject({ metadata: { pageSize: 100, totalPages: 1 } })
    expect(await page("?page=1000000000&limit=1")).toMatchObject({ data: [] })
  })

  test.each([
    "page=0",
    "page=-1",
    "page=1.5",
    "page=1e2",
    "page=0x1",
    "page=%201",
    "page=",
    "limit=0",
    "limit=101",
    "limit=ten",
    "limit=",
  ])("refuse %s", async (query) => {
    const { id } = await chatted(1)
    const reply = await client.get(at(id, `/visitor/messages?${query}`))
    expect(wrongPaths(reply)).toEqual([`query.${query.split("=")[0]}`])
  })
})

describe("sessions", () => {
  test("are listed by their last activity, newest first", async () => {
    const { id } = await client.newChatbot()
    expect((await client.get(at(id))).body).toStrictEqual({
      data: [],
      metadata: { currentPage: 1, pageSize: 20, totalCount: 0, totalPages: 0 },
    })
    const a = await client.chat(id, "Hello", { sessionToken: "a", platform: "phone" })
    const b = await client.chat(id, "Hello")
    const c = await client.chat(id, "Hello", { sessionToken: "c" })
    await client.chat(id, "Hello again", { sessionToken: "a" })
    const sessionOf = async (session: string) => await client.session(id, session)
    const [first, second, third] = [
      await sessionOf(a.session_id),
      await sessionOf(c.session_id),
      await sessionOf(b.session_id),
    ]
    const last = (await client.messages(id, "a")).at(-1)
    expect(first).toStrictEqual({
      id: a.session_id,
      chatbot_id: id,
      session_token: "a",
      platform: "phone",
      state: "open",
      title: "Hello",
      last_message: { id: last?.id ?? uuid, content: last?.content ?? "", sender_type: "bot" },
      user_info: {},
      message_count: 4,
      language: "en",
      created_at: timestamp,
      updated_at: timestamp,
    })
    expect(third.session_token).toBeNull()
    const metadata = { currentPage: 1, pageSize: 20, totalCount: 3, totalPages: 1 }
    expect((await client.get(at(id))).body).toStrictEqual({ data: [first, second, third], metadata })
    expect((await client.get(at(id, "?limit=2&page=2"))).body).toStrictEqual({
      data: [third],
      metadata: { currentPage: 2, pageSize: 2, totalCount: 3, totalPages: 2 },
    })
    expect(wrongPaths(await client.get(at(id, "?limit=101")))).toEqual(["query.limit"])
    expect(wrongPaths(await client.get(at(id, "?page=0")))).toEqual(["query.page"])
  })

  test.each(["a token / with + signs?", "ü".repeat(200), "潮".repeat(200), "messages"])(
    "are found by id and by session token: %s",
    async (token) => {
      const { id, session } = await chatted(1, token)
      expect(await client.session(id, token)).toStrictEqual(await client.session(id, session))
      expect(await client.messages(id, token)).toStrictEqual(await client.messages(id, session))
    },
  )

  test("are closed and opened, which is no activity, and a new message of the user opens them again", async () => {
    const { id, session } = await chatted(1)
    const before = await client.session(id, session)
    const set = (state: string) => client.patch(at(id, "/visitor"), { json: { state } })
    expect((await set("closed")).body).toStrictEqual({ session: { ...before, state: "closed" } })
    expect(await client.session(id, session)).toStrictEqual({ ...before, state: "closed" })
    expect((await set("open")).body).toStrictEqual({ session: before })
    await set("closed")
    await client.chat(id, "One more thing", { sessionToken: "visitor" })
    expect((await client.session(id, session)).state).toBe("open")
    expect(wrongPaths(await set("done"))).toEqual(["state"])
    expect(wrongPaths(await client.patch(at(id, "/visitor"), { json: { state: "open", title: "a" } }))).toEqual([
      "title",
    ])
    const reader = await client.limitedTo("conversations:read", "chat")
    problem(await reader.patch(at(id, "/visitor"), { json: { state: "closed" } }), 403, "forbidden")
  })

  test("are deleted with their messages, and their token then opens a new session", async () => {
    const { id, session } = await chatted(2)
    const reply = await client.delete(at(id, "/visitor"))
    expect(reply.body).toStrictEqual({ message: "Conversation deleted successfully" })
    for (const path of ["/visitor", `/${session}`, `/${session}/messages`]) {
      problem(await client.get(at(id, path)), 404, "not_found")
    }
    problem(await client.delete(at(id, "/visitor")), 404, "not_found")
    const anew = await client.chat(id, "Hello", { sessionToken: "visitor" })
    expect(anew.session_id).not.toBe(session)
    expect(await client.messages(id, "visitor")).toHaveLength(2)
  })
})

describe("an unknown chatbot or conversation", () => {
  const asks: ReadonlyArray<readonly [string, (client: Client, id: string, session: string) => Promise<unknown>]> = [
    ["messages", (client, id, session) => client.get(at(id, `/${session}/messages`)).then(notFound)],
    ["a session", (client, id, session) => client.get(at(id, `/${session}`)).then(notFound)],
    [
      "closing",
      (client, id, session) => client.patch(at(id, `/${session}`), { json: { state: "closed" } }).then(notFound),
    ],
    ["deleting", (client, id, session) => client.delete(at(id, `/${session}`)).then(notFound)],
  ]
  const notFound = (reply: Parameters<typeof problem>[0]) => problem(reply, 404, "not_found")
  test.each(asks)("is answered with the same 404: %s", async (_, ask) => {
    const { id, session } = await chatted(1)
    const other = await client.newChatbot()
    await ask(client, id, nowhere)
    await ask(client, id, "unknown")
    await ask(client, other.id, session)
    await ask(client, nowhere, session)
    await ask(await client.newOrganization(), id, session)
    expect(await client.messages(id, session)).toHaveLength(2)
  })

  test("is answered with 404 by the list too, and an invalid id with 400", async () => {
    problem(await client.get(at(nowhere)), 404, "not_found")
    expect(wrongPaths(await client.get(at("seven")))).toEqual(["path.chatbotId"])
    const { id } = await chatted(1)
    expect(wrongPaths(await client.get(at(id, `/${"x".repeat(201)}/messages`)))).toEqual(["path.sessionId"])
    problem(await client.get(at(id, `/${"x".repeat(5_000)}/messages`)), 404, "not_found")
  })
})
