import { describe, expect, test } from "bun:test"
import { Schema } from "effect"
import { ApiKey, allScopes, isWellFormedKey } from "../../src/domain/keys/ApiKey.ts"
import { Organization } from "../../src/domain/organizations/Organization.ts"
import { SystemSql } from "../../src/storage/sql/Database.ts"
import { type Client, problem, read, until, wrongPaths } from "../lib/Client.ts"
import { operatorKey } from "../lib/ServerProcess.ts"
import { noBudget } from "../../src/domain/organizations/Budget.ts"
import { sharedServer } from "../lib/TestServer.ts"

const { operator: client, query } = await sharedServer()

const organizations = "/api/admin/organizations"
const keys = "/api/admin/api-keys"
const chatbots = "/api/external/chatbots"
const nowhere = "01a9b7c2-1f2e-7c3d-8a4b-5c6d7e8f9a0b"
const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/)
const uuid = expect.stringMatching(/^[0-9a-f-]{36}$/)

const organizationsOf = async (of: Client) =>
  read(Schema.Struct({ organizations: Schema.Array(Organization) }), await of.get(organizations)).organizations
const keysOf = async (of: Client, query = "") =>
  read(Schema.Struct({ api_keys: Schema.Array(ApiKey) }), await of.get(keys + query)).api_keys

describe("organizations", () => {
  test("are created and listed by the operator", async () => {
    const reply = await client.post(organizations, { json: { name: "Société Générale des Marées" } })
    expect(reply.status).toBe(201)
    const made = {
      id: uuid,
      name: "Société Générale des Marées",
      is_operator: false,
      budget: noBudget,
      quota: { chatbots: null, tools: null, documents: null, bytes: null, chunks: null, conversations: null },
      used: { chatbots: 0, tools: 0, documents: 0, bytes: 0, chunks: 0, conversations: 0 },
      retention_days: null,
      created_at: timestamp,
    }
    expect(reply.body).toStrictEqual({ organization: made })
    const [first, ...others] = await organizationsOf(client)
    expect(first).toMatchObject({ is_operator: true })
    expect(others.at(-1)).toStrictEqual(read(Schema.Struct({ organization: Organization }), reply).organization)
  })

  test("see only themselves, and cannot create others", async () => {
    const own = await client.newOrganization()
    expect(await organizationsOf(own)).toMatchObject([{ name: "Another", is_operator: false }])
    problem(await own.post(organizations, { json: { name: "Third" } }), 403, "forbidden")
  })

  test.each([{}, { name: "" }, { name: "x".repeat(201) }, { name: 1 }, { name: "a\u0000" }])(
    "need a name: %j",
    async (json) => {
      expect(wrongPaths(await client.post(organizations, { json }))).toEqual(["name"])
    },
  )
})

describe("keys", () => {
  test("are shown in full only when they are created", async () => {
    const reply = await client.post(keys, { json: { name: "Shop", scopes: ["chat", "knowledge:read"] } })
    expect(reply.status).toBe(201)
    const { key, api_key } = read(Schema.Struct({ api_key: ApiKey, key: Schema.String }), reply)
    expect(key).toMatch(/^prl_[0-9A-Za-z]{49}$/)
    expect(isWellFormedKey(key)).toBe(true)
    expect(reply.body).toStrictEqual({
      api_key: {
        id: uuid,
        organization_id: uuid,
        chatbot_id: null,
        kind: "secret",
        public_key: null,
        allowed_origins: null,
        name: "Shop",
        prefix: key.slice(0, api_key.prefix.length),
        last_four: key.slice(-4),
        scopes: ["chat", "knowledge:read"],
        budget: noBudget,
        created_at: timestamp,
        created_by: uuid,
        last_used_at: null,
        expires_at: null,
        revoked_at: null,
      },
      key,
    })
    const listed = await client.get(keys)
    expect((await keysOf(client))[0]).toStrictEqual(api_key)
    expect(listed.text).not.toContain(key)
    expect(listed.text).not.toContain(operatorKey)
  })

  test("record when they were last used", async () => {
    const own = await client.newOrganization()
    // It is written apart from the request that used it.
    const used = await until(
      () => keysOf(own),
      ([key]) => key?.last_used_at !== null,
    )
    expect(used).toMatchObject([{ last_used_at: timestamp }])
  })

  test("stop working when they are revoked, and stay revoked", async () => {
    const { id, client: doomed } = await client.newKey()
    expect((await doomed.get(chatbots)).status).toBe(200)
    const reply = await client.delete(`${keys}/${id}`)
    expect(reply.status).toBe(200)
    expect(reply.body).toMatchObject({ api_key: { id, revoked_at: expect.any(String) } })
    await until(
      () => doomed.get(chatbots),
      ({ status }) => status === 401,
    )
    const again = await client.delete(`${keys}/${id}`)
    expect(read(Schema.Struct({ api_key: ApiKey }), again).api_key.revoked_at).toBe(
      read(Schema.Struct({ api_key: ApiKey }), await client.delete(`${keys}/${id}`)).api_key.revoked_at,
    )
    expect((await keysOf(client)).find((key) => key.id === id)).toMatchObject({ revoked_at: timestamp })
  })

  test("stop working when they expire", async () => {
    const { id: expiring, client: brief } = await client.newKey({ expires_at: "2999-01-01T00:00:00Z" })
    expect((await brief.get(chatbots)).status).toBe(200)
    // In place of the years until then.
    await query(SystemSql.use((sql) => sql`update api_keys set expires_at = now() where id = ${expiring}`))
    await until(
      () => brief.get(chatbots),
      ({ status }) => status === 401,
    )
    const { id, client: lasting } = await client.newKey({ expires_at: "2999-01-01T01:00:00+02:00" })
    expect((await lasting.get(chatbots)).status).toBe(200)
    expect((await keysOf(client)).find((key) => key.id === id)).toMatchObject({
      expires_at: "2998-12-31T23:00:00.000+00:00",
    })
  })

  test("cannot be given more scopes than the key that creates them has", async () => {
    const limited = await client.limitedTo("admin", "chat")
    problem(await limited.post(keys, { json: { name: "More", scopes: ["chat", "chatbots:read"] } }), 403, "forbidden")
    await limited.newKey({ scopes: ["chat"] })
  })

  test("that are bound to a chatbot cannot administer anything", async () => {
    const { id } = await client.newChatbot()
    const bound = (await client.newKey({ chatbot_id: id })).client
    problem(await bound.post(keys, { json: { name: "More", scopes: ["chat"], chatbot_id: id } }), 403, "forbidden")
    problem(await bound.get(keys), 403, "forbidden")
    problem(await bound.get("/api/admin/organizations"), 403, "forbidden")
  })

  test("that are bound to a chatbot accept its id in upper and lower case", async () => {
    const { id } = await client.newChatbot()
    const bound = (await client.newKey({ chatbot_id: id })).client
    const loud = id.toUpperCase()
    expect((await bound.get(`/api/external/chatbot/${loud}`)).status).toBe(200)
    expect((await bound.patch(`${chatbots}?id=${loud}`, { json: { description: "Mine" } })).status).toBe(200)
  })

  test("belong to one organization, and only the operator manages those of others", async () => {
    const own = await client.newOrganization()
    const other = await client.newOrganization()
    const [{ id: organization_id } = { id: nowhere }] = await organizationsOf(other)
    const { id: theirs } = await other.newKey({ name: "Theirs" })
    const { id: chatbot_id } = await other.newChatbot()

    problem(await own.get(`${keys}?organization_id=${organization_id}`), 404, "not_found")
    problem(await own.post(keys, { json: { name: "In", scopes: ["chat"], organization_id } }), 404, "not_found")
    problem(await own.post(keys, { json: { name: "In", scopes: ["chat"], chatbot_id } }), 404, "not_found")
    problem(await own.delete(`${keys}/${theirs}`), 404, "not_found")
    expect((await keysOf(own)).map(({ name }) => name)).toEqual(["A key"])

    expect((await keysOf(client, `?organization_id=${organization_id}`)).map(({ name }) => name)).toEqual([
      "Theirs",
      "A key",
    ])
    problem(await client.post(keys, { json: { name: "In", scopes: ["chat"], chatbot_id } }), 404, "not_found")
    expect((await client.delete(`${keys}/${theirs}`)).status).toBe(200)
  })

  const refused: ReadonlyArray<readonly [string, object, string]> = [
    ["no name", { name: undefined }, "name"],
    ["an empty name", { name: "" }, "name"],
    ["a name that is too long", { name: "x".repeat(201) }, "name"],
    ["no scopes", { scopes: undefined }, "scopes"],
    ["an unknown scope", { scopes: ["everything"] }, "scopes.0"],
    ["an organization that is no UUID", { organization_id: "seven" }, "organization_id"],
    ["a chatbot that is no UUID", { chatbot_id: "seven" }, "chatbot_id"],
    ["an expiry that is no timestamp", { expires_at: "tomorrow" }, "expires_at"],
    ["an expiry in the past", { expires_at: "2001-01-01T01:00:00+02:00" }, "expires_at"],
    ["an unknown field", { expiry: "never" }, "expiry"],
  ]
  test.each(refused)("cannot be created with %s", async (_, json, path) => {
    expect(wrongPaths(await client.post(keys, { json: { name: "K", scopes: allScopes, ...json } }))).toEqual([path])
  })

  test("can be administered only with the scope `admin`, and by ids that exist", async () => {
    expect((await client.post(keys, { json: { name: "K", scopes: [] } })).status).toBe(400)
    for (const json of [{ organization_id: nowhere }, { chatbot_id: nowhere }]) {
      problem(await client.post(keys, { json: { name: "K", scopes: ["chat"], ...json } }), 404, "not_found")
    }
    problem(await client.delete(`${keys}/${nowhere}`), 404, "not_found")
    problem(await client.get(`${keys}?organization_id=${nowhere}`), 404, "not_found")
    expect(wrongPaths(await client.delete(`${keys}/seven`))).toEqual(["path.apiKeyId"])
    expect(wrongPaths(await client.get(`${keys}?organization_id=seven`))).toEqual(["query.organization_id"])
  })
})
