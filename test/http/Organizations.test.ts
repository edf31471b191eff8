import { describe, expect, test } from "bun:test"
import { Context, Schema } from "effect"
import { Organization } from "../../src/domain/organizations/Organization.ts"
import { LookupMillis } from "../../src/services/keys/RecentLookups.ts"
import { type Client, problem, read, until, wrongPaths } from "../lib/Client.ts"
import { startServer } from "../lib/TestServer.ts"

const { client, stored } = await startServer({}, Context.make(LookupMillis, 100))

const organizations = "/api/admin/organizations"
const nowhere = "01a9b7c2-1f2e-7c3d-8a4b-5c6d7e8f9a0b"
const Organizations = Schema.Struct({ organizations: Schema.Array(Organization) })
const organizationsOf = async (of: Client) => read(Organizations, await of.get(organizations)).organizations
const idOf = async (of: Client) => (await organizationsOf(of))[0]?.id ?? nowhere

describe("renaming an organization", () => {
  test("is possible for the operator only, and leaves the budget", async () => {
    const own = await client.newOrganization()
    const id = await idOf(own)
    const path = `${organizations}/${id}`
    await client.patch(path, { json: { budget: { tokens_per_day: 5 } } })
    const reply = await client.patch(path, { json: { name: "Société des Marées" } })
    expect(reply.body).toMatchObject({
      organization: { id, name: "Société des Marées", budget: { tokens_per_day: 5 } },
    })
    expect(await organizationsOf(own)).toMatchObject([{ name: "Société des Marées" }])
    problem(await own.patch(path, { json: { name: "Mine" } }), 403, "forbidden")
    problem(await client.patch(`${organizations}/${nowhere}`, { json: { name: "A" } }), 404, "not_found")
    for (const name of ["", " ", null, "x".repeat(201)]) {
      expect(wrongPaths(await client.patch(path, { json: { name } }))).toContain("name")
    }
  })

  test("is possible for the operator's own organization", async () => {
    const id = await idOf(client)
    expect((await client.patch(`${organizations}/${id}`, { json: { name: "Us" } })).status).toBe(200)
    expect((await organizationsOf(client))[0]).toMatchObject({ id, name: "Us", is_operator: true })
  })
})

describe("deleting an organization", () => {
  test("makes its keys invalid within a second, and leaves no trace of it", async () => {
    const own = await client.newOrganization()
    const id = await idOf(own)
    const { id: chatbot } = await own.newChatbot()
    await own.learn(chatbot, { "a.md": "# A\n\nRefunds take five days.\n" })
    await own.chat(chatbot, "How long do refunds take?")
    const reply = await client.delete(`${organizations}/${id}`)
    expect([reply.status, reply.body]).toEqual([200, { message: "Organization deleted successfully" }])
    await until(
      () => own.get("/api/external/chatbots"),
      ({ status }) => status === 401,
    )
    // Longer than this, no server remembers a key.
    expect(LookupMillis.defaultValue()).toBeLessThan(1_000)
    expect((await organizationsOf(client)).map((one) => String(one.id))).not.toContain(String(id))
    problem(await client.delete(`${organizations}/${id}`), 404, "not_found")
    problem(await client.get(`/api/admin/api-keys?organization_id=${id}`), 404, "not_found")
    const key = { name: "Late", scopes: ["chat"], organization_id: id }
    problem(await client.post("/api/admin/api-keys", { json: key }), 404, "not_found")
  })

  test("removes its files from the disk", async () => {
    const own = await client.newOrganization()
    const { id: chatbot } = await own.newChatbot()
    await own.learn(chatbot, { "a.md": "Refunds take days." })
    // The files of an organization that another test has deleted may still be there.
    await until(
      () => stored("documents"),
      (kept) => kept.length === 1,
    )
    await client.delete(`${organizations}/${await idOf(own)}`)
    await until(
      () => stored("documents"),
      (kept) => kept.length === 0,
    )
  })

  test("is possible for the operator only, and never for the operator's own organization", async () => {
    const own = await client.newOrganization()
    problem(await own.delete(`${organizations}/${await idOf(own)}`), 403, "forbidden")
    problem(await client.delete(`${organizations}/${await idOf(client)}`), 409, "conflict")
    problem(await client.delete(`${organizations}/${nowhere}`), 404, "not_found")
    expect((await own.get("/api/external/chatbots")).status).toBe(200)
    expect((await client.get("/api/external/chatbots")).status).toBe(200)
  })
})
