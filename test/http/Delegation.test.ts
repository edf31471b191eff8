import { describe, expect, test } from "bun:test"
import { Schema } from "effect"
import { allScopes, ApiKey } from "../../src/domain/keys/ApiKey.ts"
import { type Client, invalid, problem, read, type Reply } from "../lib/Client.ts"
import { startServer } from "../lib/TestServer.ts"

const { client } = await startServer({ KEY_CONCURRENT_CHATS: "100" })

const keys = "/api/admin/api-keys"
const organizations = "/api/admin/organizations"
const OneKey = Schema.Struct({ api_key: ApiKey })
const keyOf = (reply: Reply) => read(OneKey, reply).api_key
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
const make = (as: Client, more: object = {}) => as.post(keys, { json: { name: "Made", scopes: ["chat"], ...more } })
const setBudget = (as: Client, id: string, budget: object) => as.patch(`${keys}/${id}`, { json: { budget } })
const listed = async (as: Client) =>
  read(Schema.Struct({ api_keys: Schema.Array(ApiKey) }), await as.get(keys)).api_keys

describe("a key that makes another key", () => {
  test("is recorded as its maker, and when it is revoked the other one stays", async () => {
    const { id, client: maker } = await client.newKey()
    const { id: made, client: child } = await maker.newKey({ scopes: ["chat", "admin"] })
    const all = await listed(client)
    expect(all.find((key) => key.id === made)?.created_by).toEqual(expect.stringMatching(id))
    expect(all.at(-1)?.created_by).toBe("bootstrap")
    expect((await client.delete(`${keys}/${id}`)).status).toBe(200)
    expect((await child.get(keys)).status).toBe(200)
  })

  test("of another organization is shown to that one as the operator, and by no id", async () => {
    const other = await client.newOrganization()
    expect((await listed(other)).map(({ created_by }) => created_by)).toEqual(["operator"])
  })

  test("is not outlived by it", async () => {
    const [soon, late] = [inDays(1), inDays(2)]
    const { client: maker } = await client.newKey({ expires_at: soon })
    expect(Date.parse(keyOf(await make(maker)).expires_at ?? "")).toBe(Date.parse(soon))
    expect(keyOf(await make(maker, { expires_at: inDays(0.5) })).expires_at).not.toBeNull()
    expect(problem(await make(maker, { expires_at: late }), 403, "forbidden").detail).toContain("outlives")
    expect(keyOf(await make(client)).expires_at).toBeNull()
  })

  test("gives it its own budget, and cannot raise any budget beyond its own, not even that", async () => {
    const { id, client: maker } = await client.newKey()
    await setBudget(client, id, { tokens_per_day: 1_000_000, concurrent_chats: null })
    const budget = { tokens_per_day: 1_000_000, concurrent_chats: null }
    // Every server follows a change within a second.
    let child = keyOf(await make(maker))
    while (child.budget.tokens_per_day === null) child = keyOf(await make(maker))
    expect(child.budget).toEqual(budget)
    for (const target of [id, child.id]) {
      for (const more of [
        { tokens_per_day: 1_000_001 },
        { tokens_per_day: "unlimited" },
        { tokens_per_day: null },
        { concurrent_chats: 101 },
        { concurrent_chats: "unlimited" },
      ]) {
        problem(await setBudget(maker, target, more), 403, "forbidden")
      }
    }
    expect(keyOf(await setBudget(maker, child.id, { tokens_per_day: 10, concurrent_chats: 100 })).budget).toEqual({
      tokens_per_day: 10,
      concurrent_chats: 100,
    })
    // A limit that the operator has raised can be sent back, or lowered.
    await setBudget(client, child.id, { tokens_per_day: 3_000_000 })
    expect((await setBudget(maker, child.id, { tokens_per_day: 3_000_000 })).status).toBe(200)
    expect((await setBudget(maker, child.id, { tokens_per_day: 2_000_000 })).status).toBe(200)
    expect(keyOf(await make(client)).budget).toEqual({ tokens_per_day: null, concurrent_chats: null })
  })
})

describe("the scope `operator`", () => {
  test("is what reaches other organizations, not the organization of the key", async () => {
    const { client: admin } = await client.newKey({ scopes: allScopes.filter((scope) => scope !== "operator") })
    const { organizations: seen } = read(
      Schema.Struct({ organizations: Schema.Array(Schema.Struct({ id: Schema.String, is_operator: Schema.Boolean })) }),
      await admin.get(organizations),
    )
    const other = await client.newOrganization()
    const [theirs] = await listed(other)
    expect(seen).toEqual([expect.objectContaining({ is_operator: true })])
    problem(await admin.post(organizations, { json: { name: "Third" } }), 403, "forbidden")
    problem(await admin.patch(`${organizations}/${seen[0]?.id}`, { json: { name: "Mine" } }), 403, "forbidden")
    problem(await admin.delete(`${organizations}/${theirs?.organization_id}`), 403, "forbidden")
    problem(await admin.get(`${keys}?organization_id=${theirs?.organization_id}`), 404, "not_found")
    problem(await make(admin, { organization_id: theirs?.organization_id }), 404, "not_found")
    problem(await admin.delete(`${keys}/${theirs?.id}`), 404, "not_found")
    expect((await other.get(keys)).status).toBe(200)
  })

  test("is given by a key that has it, within the operator's organization", async () => {
    const { client: admin } = await client.newKey()
    problem(await make(admin, { scopes: ["operator"] }), 403, "forbidden")
    const other = await client.newOrganization()
    const [theirs] = await listed(other)
    problem(await make(other, { scopes: ["operator"] }), 403, "forbidden")
    invalid(await make(client, { scopes: ["operator"], organization_id: theirs?.organization_id }), "scopes")
    const { client: deputy } = await client.newKey({ scopes: ["operator", "admin"] })
    expect((await deputy.post(organizations, { json: { name: "Made by a deputy" } })).status).toBe(201)
  })

  test("protects a key that has it from those that lack it", async () => {
    const { client: admin } = await client.newKey()
    const { id, client: deputy } = await client.newKey({ scopes: ["operator", "admin"] })
    problem(await admin.delete(`${keys}/${id}`), 403, "forbidden")
    problem(await setBudget(admin, id, { concurrent_chats: 0 }), 403, "forbidden")
    expect((await deputy.delete(`${keys}/${id}`)).status).toBe(200)
  })
})

describe("an expiry", () => {
  test.each([
    "2027-12-31T00:00:00Z",
    "2027-12-31T00:00:00.123456+05:30",
    "2027-12-31T00:00-08:00",
    "2028-02-29T23:59:59.999Z",
    "9999-12-31T23:59:59.999Z",
  ])("may be %s", async (expires_at) => {
    const { expires_at: stored } = keyOf(await make(client, { expires_at }))
    expect(Date.parse(stored ?? "")).toBe(Date.parse(expires_at))
  })

  test.each([
    "tomorrow",
    "",
    "5",
    "2027",
    "2027-12-31",
    "2027-12-31T00:00:00",
    "2027-12-31 00:00:00Z",
    "2027-02-30T00:00:00Z",
    "2027-13-01T00:00:00Z",
    "2027-12-31T24:30:00Z",
    "2027-12-31T00:00:00+99:00",
    "9999-12-31T23:59:59.999-01:00",
    "+010000-01-01T00:00:00Z",
    "+275760-09-13T00:00:00Z",
    "-004714-01-01T00:00:00Z",
    "2001-01-01T00:00:00Z",
    1_893_456_000_000,
    null,
  ])("cannot be %j", async (expires_at) => {
    invalid(await make(client, { expires_at }), "expires_at")
  })
})

describe("while a chatbot is deleted", () => {
  test("a key for it is made, or the chatbot is not found", async () => {
    const outcomes = new Set<number>()
    for (let n = 0; n < 3; n++) {
      const { id: chatbot_id } = await client.newChatbot()
      const gone = client.delete(`/api/external/chatbot/${chatbot_id}`)
      const replies = await Promise.all(Array.from({ length: 6 }, () => make(client, { chatbot_id })))
      expect((await gone).status).toBe(200)
      for (const { status } of replies) outcomes.add(status)
    }
    expect(Array.from(outcomes).filter((status) => status !== 201 && status !== 404)).toEqual([])
  })

  test("a key that is bound to it is answered with what it may, or that it or the chatbot serves no longer", async () => {
    const { id, slug } = await client.newChatbot()
    const { id: key, client: bound } = await client.newKey({ chatbot_id: id })
    const at = `/api/external/chatbot/${id}`
    const said = await bound.say(id, "Hello")
    const messages = [{ role: "user", content: "Hello" }]
    const ask = () => [
      bound.get(at),
      bound.say(id, "Hello"),
      bound.post(`${at}/chat?stream=true`, { json: { messages } }),
      bound.post("/v1/chat/completions", { json: { model: slug, messages } }),
      bound.get("/v1/models"),
      bound.get("/api/external/chatbots"),
      bound.patch(`/api/external/chatbots?id=${id}`, { json: { description: "Mine" } }),
      bound.upload(id, { "a.md": "The tide turns at noon." }),
      bound.search(id, "tide"),
      bound.get(`${at}/conversations`),
      bound.get("/api/external/usage"),
      bound.post(`${at}/conversations/${said.headers.get("x-session-id")}/messages/${key}/feedback`, {
        json: { rating: "up" },
      }),
      setBudget(client, key, { concurrent_chats: 1 }),
      client.delete(`${keys}/${key}`),
    ]
    const replies = await Promise.all([...ask(), client.delete(at)])
    expect(replies.filter(({ status }) => status >= 500)).toEqual([])
    // By a name, a chatbot that is gone cannot be told from one that the key does not serve (403).
    for (const { status } of await Promise.all(ask())) expect(status).toBeOneOf([200, 401, 403, 404])
  })
})
