import { describe, expect, test } from "bun:test"
import { LISTED_ERRORS_MAX_COUNT } from "../../../src/domain/Errors.ts"
import { type Client, problem, wrongPaths } from "../../lib/Client.ts"
import { repeatedWait } from "../../lib/EventLoop.ts"
import { startServer } from "../../lib/TestServer.ts"

const { client } = await startServer()
const { id } = await client.newChatbot()

/** The longest wait in milliseconds of processor time, of four such bodies at once on a slow machine. */
const LONGEST_WAIT = 250

const BYTES = 1024 * 1024 - 300
const list = (item: string) =>
  `[${Array(Math.floor(BYTES / (item.length + 1)))
    .fill(item)
    .join(",")}]`
const record = (value: string) =>
  `{${Array.from({ length: Math.floor(BYTES / (value.length + 10)) }, (_, index) => `"k${index}":${value}`).join(",")}}`

const numbered = `{${Array.from({ length: BYTES / 12 }, (_, index) => `"${(index * 7_919) % 10_000_000}":0`).join(",")}}`

const chat = `/api/external/chatbot/${id}/chat`
const tools = `/api/external/chatbot/${id}/tools`
const tool = '"name":"x","description":"x","url":"https://example.com/"'

/** Invalid bodies within the limits of size and depth, with as many values as those allow. */
const hostile: ReadonlyArray<readonly [string, string, string]> = [
  ["invalid messages", chat, `{"messages":${list("0")}}`],
  ["messages", chat, `{"messages":${list('{"role":"user","content":""}')}}`],
  ["parts", chat, `{"messages":[{"role":"user","parts":${list('{"type":"x"}')}}]}`],
  ["invalid parts", chat, `{"messages":[{"role":"user","parts":${list("0")}}]}`],
  ["unknown scopes", "/api/admin/api-keys", `{"name":"x","scopes":${list("0")}}`],
  ["scopes", "/api/admin/api-keys", `{"name":"x","scopes":${list('"chat"')}}`],
  ["unknown fields", "/api/external/chatbots", record("0")],
  ["unknown fields whose names are numbers", "/api/external/chatbots", numbered],
  ["unknown settings", "/api/external/chatbots", `{"name":"x","settings":${record("0")}}`],
  ["an unknown field with a long name", "/api/external/chatbots", `{"${"k".repeat(BYTES)}":0}`],
  ["models", "/api/external/chatbots", `{"name":"x","settings":{"fallbackModels":${list('"a"')}}}`],
  ["synonyms", "/api/external/chatbots", `{"name":"x","settings":{"synonyms":${list('["a","b"]')}}}`],
  ["an input schema", tools, `{${tool},"input_schema":{"enum":${list("0")}}}`],
  ["headers", tools, `{${tool},"input_schema":{"type":"object"},"headers":${record('""')}}`],
  ["invalid headers", tools, `{${tool},"input_schema":{"type":"object"},"headers":${record("0")}}`],
  ["OpenAI's messages", "/v1/chat/completions", `{"model":"a","messages":${list("0")}}`],
  [
    "OpenAI's parts",
    "/v1/chat/completions",
    `{"model":"a","messages":[{"role":"user","content":${list('{"type":"text","text":""}')}}]}`,
  ],
  [
    "OpenAI's invalid parts",
    "/v1/chat/completions",
    `{"model":"a","messages":[{"role":"user","content":${list("0")}}]}`,
  ],
  [
    "OpenAI's modalities",
    "/v1/chat/completions",
    `{"model":"a","messages":[{"role":"user","content":"a"}],"modalities":${list("0")}}`,
  ],
  ["MCP's batches", "/mcp", list("0")],
  ["MCP's parameters", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":${record("0")}}`],
  [
    "MCP's arguments",
    "/mcp",
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"chat","arguments":${record("0")}}}`,
  ],
]

const json = { "content-type": "application/json", accept: "application/json, text/event-stream" }

describe("an invalid body with as many values as its size allows", () => {
  test.each(hostile)("is refused quickly and with a short response: %s", async (_, path, body) => {
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(1024 * 1024)
    const send = () => client.post(path, { body, headers: json })
    const [replies, wait] = await repeatedWait(LONGEST_WAIT, () => Promise.all([send(), send(), send(), send()]))
    for (const { status, text } of replies) {
      expect(status).toBe(400)
      expect(text.length).toBeLessThan(32 * 1024)
    }
    expect(wait).toBeLessThan(LONGEST_WAIT)
  })
})

test("a body of a caller without a credential is small", async () => {
  const stranger = client.withKey(undefined)
  for (const path of ["/api/widget/sessions", "/api/console/session"]) {
    const reply = await stranger.post(path, { json: { key: "k".repeat(16 * 1_024) } })
    expect(problem(reply, 413, "too_large").detail).toBe("The body: at most 16 KiB.")
  }
})

test("a change with as many fields as a body holds is refused before they are compared with what is stored", async () => {
  const change = () => client.patch(`/api/external/chatbots?id=${id}`, { body: numbered, headers: json })
  const [reply, wait] = await repeatedWait(LONGEST_WAIT, change)
  expect(problem(reply, 400, "invalid_request").detail).toContain("objects of at most 1000 fields")
  expect(wait).toBeLessThan(LONGEST_WAIT)
})

test("a body may have as many values and fields as clients send", async () => {
  const parts = Array.from({ length: 10 }, (_, index) => ({ type: "step-start", index }))
  const message = { id: "a", role: "user", parts: [...parts, { type: "text", text: "Who?" }], createdAt: 0, extra: {} }
  const reply = await client.post(chat, { json: { messages: Array.from({ length: 450 }, () => message) } })
  expect(reply.status).toBe(200)
  const fields = Object.fromEntries(Array.from({ length: 990 }, (_, index) => [`k${index}`, index]))
  expect(wrongPaths(await client.post("/api/external/chatbots", { json: { name: "x", ...fields } }))).toHaveLength(20)
})

describe("the issues of an invalid body", () => {
  const create = (as: Client, fields: object) => as.post("/api/external/chatbots", { json: { name: "x", ...fields } })

  test("are listed completely for a small body", async () => {
    const reply = await create(client, {
      slug: "?",
      unknown: 1,
      settings: { prompt: 1, snippet: { primaryColor: "?" } },
    })
    expect(wrongPaths(reply).toSorted()).toEqual([
      "settings.prompt",
      "settings.snippet.primaryColor",
      "slug",
      "unknown",
    ])
  })

  test("are listed up to a maximum, with the number of the others", async () => {
    const unknown = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`k${index}`, 1]))
    const { detail, errors } = problem(await create(client, unknown), 400, "invalid_request")
    expect(errors).toHaveLength(LISTED_ERRORS_MAX_COUNT)
    expect(detail).toBe("k0: Unknown or read-only field (and 10 more that are not listed)")
  })

  test("are listed up to the first one for a large body", async () => {
    const body = `{"messages":[{"role":"user","content":0},{"role":"user","content":0}],"extra":[${"0,".repeat(3_000)}0]}`
    const { detail, errors } = problem(await client.post(chat, { body, headers: json }), 400, "invalid_request")
    expect(errors?.map(({ path }) => path)).toEqual(["messages.0.content"])
    expect(detail).toContain("there may be more")
  })

  test("have messages that say what is expected: of JSON, ids, slugs, colours and platforms", async () => {
    const first = async (path: string, sent: Parameters<Client["post"]>[1]) =>
      problem(await client.post(path, sent), 400, "invalid_request").detail
    for (const body of ["", " \n"]) {
      expect(await first("/api/external/chatbots", { body, headers: json })).toBe(
        "body: Expected a JSON body; there is none",
      )
    }
    expect(await first("/api/external/chatbot/7/chat", { json: {} })).toStartWith(
      "path.chatbotId: Expected a UUID, such as ",
    )
    expect(await first("/api/external/chatbots", { json: { name: "x", slug: "A b" } })).toContain("such as my-chatbot")
    const colour = { name: "x", settings: { snippet: { primaryColor: "red" } } }
    expect(await first("/api/external/chatbots", { json: colour })).toContain("Expected a colour as #rgb")
    const platform = { platform: "My app", messages: [{ role: "user", content: "a" }] }
    expect(await first(chat, { json: platform })).toContain("lower-case letters, digits, _ and -")
  })
})
