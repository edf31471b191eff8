import { describe, expect, test } from "bun:test"
import { Schema } from "effect"
import { AuditEntry } from "../../src/domain/audit/AuditEntry.ts"
import { ApiKey } from "../../src/domain/keys/ApiKey.ts"
import { type Client, problem, read, until, wrongPaths } from "../lib/Client.ts"
import { sharedServer } from "../lib/TestServer.ts"

const { client, dump, operator } = await sharedServer()

const log = "/api/admin/audit-log"
const Page = Schema.Struct({
  entries: Schema.Array(AuditEntry),
  next_cursor: Schema.optionalKey(Schema.NullOr(Schema.String)),
})
const entriesOf = async (of: Client, query = "") => read(Page, await of.get(`${log}?${query}`)).entries
const actionsOf = async (of: Client, query = "") => (await entriesOf(of, query)).map(({ action }) => action)
const Keys = Schema.Struct({ api_keys: Schema.Array(ApiKey) })
const organizationOf = async (of: Client) => {
  const [key] = read(Keys, await of.get("/api/admin/api-keys")).api_keys
  if (key === undefined) throw new Error("The organization has no key")
  return key.organization_id
}

describe("the audit log", () => {
  test("says who changed a key, from what to what, by which request, and holds no secret of it", async () => {
    const own = await client.newOrganization()
    const { id, client: made } = await own.newKey({ name: "Website", scopes: ["chat"] })
    const path = `/api/admin/api-keys/${id}`
    const reply = await own.patch(path, { json: { budget: { tokens_per_day: 5 } }, headers: { "x-request-id": "r-1" } })
    expect(reply.status).toBe(200)
    await own.patch(path, { json: { budget: { tokens_per_day: 5 } } })
    await own.delete(path)
    await own.delete(path)
    const entries = await entriesOf(own, `target_id=${id}`)
    expect(entries.map(({ action }) => action)).toEqual(["api_key.revoked", "api_key.updated", "api_key.created"])
    const first = read(Keys, await own.get("/api/admin/api-keys")).api_keys.at(-1)?.id
    expect(entries[1]).toMatchObject({
      actor: { kind: "api_key", api_key_id: first, name: "A key" },
      request_id: "r-1",
      target: { id, chatbot_id: null },
      before: { budget: { tokens_per_day: null } },
      after: { budget: { tokens_per_day: 5 } },
    })
    expect(entries[2]?.after).toMatchObject({ name: "Website", scopes: ["chat"] })
    expect(await dump()).not.toContain(made.key)
  })

  test("has the first use of a key, once, and the use of a revoked one, once an hour", async () => {
    const own = await client.newOrganization()
    const { id, client: made } = await own.newKey({ scopes: ["chatbots:read"] })
    await made.get("/api/external/chatbots")
    await made.get("/api/external/chatbots")
    const of = `target_id=${id}`
    await until(
      () => actionsOf(own, of),
      ([latest]) => latest === "api_key.first_used",
    )
    expect(await actionsOf(own, of)).toEqual(["api_key.first_used", "api_key.created"])
    await own.delete(`/api/admin/api-keys/${id}`)
    await until(
      () => made.get("/api/external/chatbots"),
      ({ status }) => status === 401,
    )
    await until(
      async () => (await made.get("/api/external/chatbots"), await actionsOf(own, of)),
      (actions) => actions[0] === "api_key.refused",
    )
    expect(await actionsOf(own, `${of}&action=api_key.refused`)).toHaveLength(1)
    expect((await entriesOf(own, of))[0]?.actor).toMatchObject({ kind: "api_key", api_key_id: id })
  })

  test("has chatbots, tools, documents and conversations, without prompts, contents, headers and addresses", async () => {
    const own = await client.newOrganization()
    const { id } = await own.newChatbot({ name: "Help" })
    const at = `/api/external/chatbot/${id}`
    await own.patch(`/api/external/chatbots?id=${id}`, {
      json: {
        settings: { prompt: "canary-prompt" },
        description: "canary-description",
        active: true,
        slug: "help-desk",
      },
    })
    const tool = {
      name: "crm",
      description: "canary-tool",
      input_schema: { type: "object", properties: { name: { type: "string", description: "canary-schema" } } },
      url: "http://127.0.0.1:9/canary-path",
      headers: { authorization: "canary-header", name: "canary-name" },
    }
    const Made = Schema.Struct({ tool: Schema.Struct({ id: Schema.String }) })
    const { id: toolId } = read(Made, await own.post(`${at}/tools`, { json: tool })).tool
    await own.patch(`${at}/tools/${toolId}`, { json: { headers: { authorization: "canary-new" }, timeout_ms: 900 } })
    await own.delete(`${at}/tools/${toolId}`)
    const [removed, updated, created] = await entriesOf(own, `target_id=${toolId}`)
    expect(created).toMatchObject({
      target: { id: toolId, chatbot_id: id },
      after: { name: "crm", method: "GET", server: "http://127.0.0.1:9", url: "[concealed]" },
    })
    expect(updated?.after).toMatchObject({ timeout_ms: 900, headers: [{ name: "authorization" }, { name: "name" }] })
    expect(removed?.before).toEqual({ name: "crm" })
    const [document] = await own.learn(id, { "canary-file.md": "# canary-document" })
    await own.delete(`${at}/knowledge-base/documents/${document?.id}`)
    const { session_id } = await own.chat(id, "canary-message", { sessionToken: "canary-token" })
    await own.get(`${at}/conversations/canary-token/transcript`)
    await own.delete(`${at}/conversations/canary-token`)
    await own.delete(at)
    const entries = await entriesOf(own)
    expect(
      entries.map(({ action }) => action).filter((action) => !/^(tool|api_key|organization)/.test(action)),
    ).toEqual([
      "chatbot.deleted",
      "conversation.deleted",
      "conversation.exported",
      "document.deleted",
      "chatbot.updated",
      "chatbot.created",
    ])
    const by = (action: string) => entries.find((entry) => entry.action === action)
    expect(by("conversation.exported")?.target).toEqual({ id: session_id, chatbot_id: id })
    expect(by("conversation.deleted")?.target).toEqual({ id: session_id, chatbot_id: id })
    expect(by("document.deleted")?.target).toEqual({ id: document?.id ?? null, chatbot_id: id })
    expect(by("chatbot.updated")).toMatchObject({
      before: { slug: "help" },
      after: { slug: "help-desk", settings: { prompt: "[concealed]" }, description: "[concealed]" },
    })
    expect(by("chatbot.deleted")?.before).toEqual({ name: "Help", slug: "help-desk" })
    expect(JSON.stringify(entries)).not.toContain("canary")
  })

  test("shows an organization what the operator did to it, and not who of the operator", async () => {
    const own = await client.newOrganization()
    const id = await organizationOf(own)
    const change = { name: "Renamed", budget: { concurrent_chats: 2 }, retention_days: 30 }
    await operator.patch(`/api/admin/organizations/${id}`, { json: change })
    const [shown] = await entriesOf(own, "action=organization.updated")
    expect(shown).toMatchObject({
      actor: { kind: "operator", api_key_id: null, name: null, hint: null },
      address: null,
      before: { name: "Another", budget: { concurrent_chats: null }, retention_days: null },
      after: change,
    })
    const [seen] = await entriesOf(operator, `action=organization.updated&organization_id=${id}`)
    expect(seen?.actor).toMatchObject({ kind: "operator", name: "First key", hint: expect.stringMatching(/…0001$/) })
  })

  test("keeps what became of a deleted organization for the operator, without names, addresses and changes", async () => {
    const own = await client.newOrganization()
    const id = await organizationOf(own)
    const { id: key } = await own.newKey({ name: "canary-key" })
    await operator.delete(`/api/admin/organizations/${id}`)
    const of = `organization_id=${id}`
    await until(
      () => entriesOf(operator, of),
      (entries) => !JSON.stringify(entries).includes("canary-key"),
    )
    const [deleted, ...others] = await entriesOf(operator, of)
    expect(deleted).toMatchObject({ action: "organization.deleted", before: { name: "Another" }, target: { id } })
    expect(others.map(({ target }) => target.id)).toContain(key)
    for (const { actor, address, before, after } of others) {
      expect([actor.name, actor.hint, address, before, after]).toEqual([null, null, null, null, null])
    }
  })

  test("is shown in pages, newest first, and by action, key, target and time", async () => {
    const own = await client.newOrganization()
    for (let n = 0; n < 5; n++) await own.newChatbot({ name: `Bot ${n}` })
    const all = await entriesOf(own)
    const paged: Array<AuditEntry> = []
    let query = "limit=3"
    for (let next: string | null | undefined = ""; next !== null; query = `limit=3&cursor=${next}`) {
      const page = read(Page, await own.get(`${log}?${query}`))
      paged.push(...page.entries)
      next = page.next_cursor ?? null
    }
    expect(paged).toEqual([...all])
    expect(all.map(({ created_at }) => created_at)).toEqual(
      all
        .map(({ created_at }) => created_at)
        .toSorted()
        .toReversed(),
    )
    expect(await actionsOf(own, "action=chatbot.created")).toHaveLength(5)
    const latest = all.find(({ action }) => action === "chatbot.created")
    if (latest === undefined) throw new Error("The newest chatbot is missing")
    expect(await entriesOf(own, `target_id=${latest.target.id}`)).toEqual([latest])
    expect(await actionsOf(own, `api_key_id=${latest.actor.api_key_id}&action=chatbot.created`)).toHaveLength(5)
    const moment = encodeURIComponent(latest.created_at)
    expect(await entriesOf(own, `from=${moment}`)).toContainEqual(latest)
    expect(await entriesOf(own, `to=${moment}`)).not.toContainEqual(latest)
  })

  test("is shown to admin keys only, and to each organization its own", async () => {
    const [own, other] = [await client.newOrganization(), await client.newOrganization()]
    await other.newChatbot()
    const theirs = await organizationOf(other)
    problem(await own.get(`${log}?organization_id=${theirs}`), 404, "not_found")
    for (const { organization_id } of await entriesOf(own)) expect(organization_id).not.toBe(theirs)
    problem(await (await own.limitedTo("chat", "conversations:read")).get(log), 403, "forbidden")
    problem(await client.withKey(undefined).get(log), 401, "unauthorized")
    for (const query of [
      "from=soon",
      "from=-100000-01-01T00:00:00Z",
      "to=%2B275000-01-01T00:00:00Z",
      "action=nothing",
    ]) {
      expect(wrongPaths(await own.get(`${log}?${query}`))).toEqual([`query.${query.split("=")[0]}`])
    }
  })
})
