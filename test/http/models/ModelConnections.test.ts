import { afterAll, describe, expect, test } from "bun:test"
import { Context } from "effect"
import { NearServers } from "../../../src/models/connections/NearServers.ts"
import type { Client } from "../../lib/Client.ts"
import { chunks, type OddRequest } from "../../lib/OddServer.ts"
import { fakeKey, says } from "../../lib/FakeAnthropic.ts"
import { fakeOpenAiKey } from "../../lib/FakeOpenAi.ts"
import { sharedServer, startServer } from "../../lib/TestServer.ts"

const KEY = "sk-or-0123456789abcdef9f2a"

interface Asked extends OddRequest {
  readonly key: string | null
}

/** A server as Ollama is, with one model that searches before it answers, and another that takes no tools. */
const near = () => {
  const asked: Array<Asked> = []
  const answer = async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url)
    const key = request.headers.get("authorization")
    if (key === "Bearer revoked")
      return Response.json({ error: { message: "Incorrect API key provided: revoked" } }, { status: 401 })
    if (pathname === "/v1/models")
      return Response.json({
        object: "list",
        data: [
          { id: "llama3.2:3b", object: "model" },
          { id: "models/gemma3:4b", object: "model", context_length: 8_192 },
          { id: "nomic-embed-text", object: "model" },
        ],
      })
    const body: OddRequest = JSON.parse(await request.text())
    asked.push({ ...body, key })
    const isSearched = JSON.stringify(body.messages).includes("9:40")
    if (body.model === "gemma3:4b" && (body.tools?.length ?? 0) > 0)
      return Response.json({ error: { message: "gemma3:4b does not support tools" } }, { status: 400 })
    if (body.model === "gemma3:4b" && JSON.stringify(body.messages).includes("image_url"))
      return Response.json(
        { error: { message: "this model is missing data required for image input" } },
        { status: 500 },
      )
    return (body.tools?.length ?? 0) > 0 && !isSearched
      ? chunks(
          [
            {
              tool_calls: [
                {
                  index: 0,
                  id: "call_1",
                  type: "function",
                  function: { name: "searchKnowledgeBase", arguments: '{"query":"ferry"}' },
                },
              ],
            },
          ],
          { end: "tool_calls" },
        )
      : chunks([{ content: "It sails at 9:40. " }, { content: "From pier 3." }])
  }
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: answer })
  afterAll(() => server.stop(true))
  return { asked, url: `http://127.0.0.1:${server.port}` }
}

const fake = near()
const server = await startServer(
  {
    SECRETS_KEY: Buffer.alloc(32, 7).toString("base64"),
    TOOL_PRIVATE_NETWORKS: "",
    OPENAI_API_KEY: "",
    OPENAI_BASE_URL: "",
  },
  Context.make(NearServers, [{ name: "ollama", title: "Ollama", at: ["127.0.0.1:1", new URL(fake.url).host] }]),
)
const path = "/api/admin/model-connections"
const ollama = { name: "ollama", api: "openai", base_url: fake.url, api_key: KEY }

const connect = async (as: Client, more: object = {}) => {
  const { body, headers, status } = await as.post(path, { json: { ...ollama, ...more } })
  expect({ status, body }).toMatchObject({ status: 201 })
  const { connection } = Object(body)
  return { connection, own: `${path}/${connection.id}`, etag: headers.get("etag") ?? "" }
}

const chatbotOn = async (as: Client, model: string, more: object = {}) => {
  const { body, status } = await as.post("/api/external/chatbots", {
    json: { name: "Ferries", settings: { model, ...more } },
  })
  expect({ status, body }).toMatchObject({ status: 200 })
  return Object(body).chatbot
}

const ask = (as: Client, { id }: { readonly id: string }) =>
  as.post(`/api/external/chatbot/${id}/chat`, { json: { messages: [{ role: "user", content: "When?" }] } })

/** The operator, whose organization has no connections. */
const operators = async () => {
  const { connections } = Object((await server.client.get(path)).body)
  for (const { id } of connections) await server.client.delete(`${path}/${id}`)
  return server.client
}

describe("a connection to a server of models", () => {
  test("is made, listed, given another key and deleted, and never shows the key", async () => {
    const mine = await operators()
    const { connection, etag, own } = await connect(mine)
    expect(connection).toEqual({
      id: expect.any(String),
      name: "ollama",
      api: "openai",
      base_url: fake.url,
      key_hint: "sk-…9f2a",
      created_at: expect.any(String),
      updated_at: expect.any(String),
    })
    expect((await mine.post(path, { json: ollama })).status).toBe(409)
    expect((await mine.get(path)).body).toEqual({ connections: [connection] })
    const changed = await mine.patch(own, { json: { api_key: null }, headers: { "if-match": etag } })
    expect(changed).toMatchObject({ status: 200, body: { connection: { key_hint: null } } })
    expect((await mine.patch(own, { json: { api_key: "k" }, headers: { "if-match": etag } })).status).toBe(412)
    expect((await mine.patch(own, { json: { base_url: "https://evil.example" } })).status).toBe(400)
    expect(await server.dump()).not.toContain(KEY)
    expect((await mine.delete(own)).status).toBe(200)
    expect((await mine.get(own)).status).toBe(404)
    const { entries } = Object((await mine.get("/api/admin/audit-log")).body)
    const actions = entries.map(({ action }: { readonly action: string }) => action)
    expect(actions.filter((action: string) => action.startsWith("model_connection.")).slice(0, 3)).toEqual([
      "model_connection.deleted",
      "model_connection.updated",
      "model_connection.created",
    ])
  })

  test("answers a chatbot at once, whole and streamed, with its key, and says so in the chatbot", async () => {
    const mine = await operators()
    const { own } = await connect(mine)
    const chatbot = await chatbotOn(mine, "ollama/llama3.2:3b")
    expect(chatbot.llm_api_key).toBe("sk-…9f2a")
    fake.asked.length = 0
    expect(await ask(mine, chatbot)).toMatchObject({ status: 200, body: { output: "It sails at 9:40. From pier 3." } })
    expect(new Set(fake.asked.map(({ key, model }) => `${key} ${model}`))).toEqual(
      new Set([`Bearer ${KEY} llama3.2:3b`]),
    )
    const streamed = await mine.post(`/api/external/chatbot/${chatbot.id}/chat?stream=true`, {
      json: { messages: [{ role: "user", content: "When?" }] },
    })
    expect(streamed.text).toContain("From pier 3.")
    const replaced = await mine.patch(own, { json: { api_key: "revoked" } })
    expect(replaced.status).toBe(200)
    expect(await ask(mine, chatbot)).toMatchObject({ status: 502 })
    await mine.patch(own, { json: { api_key: null } })
    expect(await ask(mine, chatbot)).toMatchObject({ status: 200 })
    const { body } = await mine.get(`/api/external/chatbot/${chatbot.id}`)
    expect(Object(body).chatbot.llm_api_key).toBeNull()
    await mine.delete(own)
    expect(await ask(mine, chatbot)).toMatchObject({ status: 503 })
  })

  test("belongs to its organization: others have no such model, and the connection openai stands before the settings", async () => {
    const mine = await operators()
    await connect(mine)
    await connect(mine, { name: "openai" })
    const other = await server.operator.newOrganization()
    for (const model of ["ollama/", "ollama/a b", "ollama2/llama3.2:3b"]) {
      const unknown = await mine.post("/api/external/chatbots", { json: { name: "B", settings: { model } } })
      expect([model, unknown.status]).toEqual([model, 400])
    }
    for (const model of ["ollama/llama3.2:3b", "openai/llama3.2:3b"]) {
      await chatbotOn(mine, model)
      const refused = await other.post("/api/external/chatbots", { json: { name: "B", settings: { model } } })
      expect(refused.status).toBe(400)
    }
  })

  test("may be in the server's own network for operators alone", async () => {
    const other = await server.operator.newOrganization()
    const refused = await other.post(path, { json: ollama })
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ path: "base_url" }] } })
    // A name is looked up when it is called.
    await connect(other, { base_url: "http://localhost.test.invalid:1" })
    const { sources } = Object((await other.get("/api/external/models")).body)
    expect(sources.at(-1).failure).toBe("The host cannot be found, or may not be called.")
    expect((await other.post(path, { json: { ...ollama, name: "b", base_url: "http://localhost:1" } })).status).toBe(
      400,
    )
    expect((await other.get("/api/admin/model-servers")).status).toBe(403)
  })

  test.each(["local", "Ollama", "a/b", "", "a".repeat(41)])("has no name such as %p", async (name) => {
    expect((await server.operator.post(path, { json: { ...ollama, name } })).status).toBe(400)
  })
})

describe("the models", () => {
  test("are listed by where they come from, and a server that refuses its key says so", async () => {
    const mine = await operators()
    await connect(mine)
    await connect(mine, { name: "refused", api_key: "revoked" })
    const { sources } = Object((await mine.get("/api/external/models")).body)
    expect(sources).toEqual([
      {
        name: "local",
        origin: "built_in",
        models: [{ model: "local/extractive", context_tokens: null }],
        failure: null,
        refused: [],
      },
      { name: "anthropic", origin: "settings", models: [], failure: null, refused: [] },
      {
        name: "ollama",
        origin: "connection",
        models: [
          { model: "ollama/llama3.2:3b", context_tokens: null },
          { model: "ollama/gemma3:4b", context_tokens: 8_192 },
        ],
        failure: null,
        refused: [],
      },
      { name: "refused", origin: "connection", models: [], failure: expect.stringContaining("401"), refused: [] },
    ])
    expect(JSON.stringify(sources)).not.toContain("revoked")
  })

  test("of a server beside this one are found until it is connected", async () => {
    const mine = await operators()
    const found = await mine.get("/api/admin/model-servers")
    expect(found.body).toEqual({
      servers: [
        {
          name: "ollama",
          title: "Ollama",
          base_url: fake.url,
          models: [
            { model: "llama3.2:3b", context_tokens: null },
            { model: "gemma3:4b", context_tokens: 8_192 },
          ],
        },
      ],
    })
    await connect(mine)
    expect((await mine.get("/api/admin/model-servers")).body).toEqual({ servers: [] })
  })

  test("are tested by a question that needs a search, and by an image", async () => {
    const mine = await operators()
    await connect(mine)
    const run = async (model: string) =>
      Object((await mine.post("/api/admin/models/test", { json: { model } })).body).test
    expect(await run("ollama/llama3.2:3b")).toMatchObject({
      answer: "It sails at 9:40. From pier 3.",
      failure: null,
      tools: "called",
      streams: true,
      images: "accepted",
    })
    expect(await run("ollama/gemma3:4b")).toMatchObject({
      answer: "It sails at 9:40. From pier 3.",
      tools: "refused",
      images: "refused",
    })
    const { sources } = Object((await mine.get("/api/external/models")).body)
    expect(sources.at(-1).refused).toEqual([{ model: "ollama/gemma3:4b", parts: ["Tools"] }])
    await connect(mine, { name: "refused", api_key: "revoked" })
    const { answer, failure } = await run("refused/llama3.2:3b")
    expect(answer).toBeNull()
    expect(failure).toContain("The provider refuses the key in the connection refused (401)")
    expect(failure).toEndWith("Replace the key of the model's connection.")
    expect(failure).not.toContain("revoked")
    expect(await run("nowhere/llama")).toMatchObject({
      answer: null,
      failure: expect.stringContaining("nowhere/llama"),
    })
  })
})

describe("a connection of an organization that is not the operator's", () => {
  test.each(["openai", "anthropic"])("with the API %s answers through the guard of tools", async (api) => {
    const { client, provider } = await sharedServer()
    await provider.answers(says("At noon."))
    await connect(client, {
      name: "own",
      api,
      base_url: provider.url,
      api_key: api === "openai" ? fakeOpenAiKey : fakeKey,
    })
    const chatbot = await chatbotOn(client, "own/model-1")
    expect(await ask(client, chatbot)).toMatchObject({ status: 200, body: { output: "At noon." } })
    const streamed = await client.post(`/api/external/chatbot/${chatbot.id}/chat?stream=true`, {
      json: { messages: [{ role: "user", content: "When?" }] },
    })
    expect(streamed.text).toContain("At noon.")
    expect(provider.requests().length).toBeGreaterThanOrEqual(2)
    expect(provider.requests().every(({ body }) => JSON.parse(body).model === "model-1")).toBe(true)
  })
})
