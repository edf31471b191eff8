import { describe, expect, test } from "bun:test"
import { problem } from "../../lib/Client.ts"
import { startServer } from "../../lib/TestServer.ts"

const server = await startServer({
  PUBLIC_URL: "https://chat.example.com",
  SECRETS_KEY: Buffer.alloc(32, 7).toString("base64"),
  // No address of this machine may be called.
  TOOL_PRIVATE_NETWORKS: "",
})
const { client } = server
const path = "/api/admin/sign-in-providers"
const staff = {
  name: "Staff",
  issuer: "https://login.example.com",
  client_id: "parley",
  client_secret: "a secret of the client",
  roles_claim: "groups",
  role_mappings: [{ value: "helpdesk", role: "agent", chatbot_id: null }],
}
const { client_secret: _, ...shown } = staff

const create = async (as = client, more: object = {}) => {
  const made = await as.post(path, { json: { ...staff, ...more } })
  expect(made.status).toBe(201)
  const { provider } = Object(made.body)
  return { provider, own: `${path}/${provider.id}`, etag: made.headers.get("etag") ?? "" }
}

test("passkeys belong to the public URL alone, whatever host a request names", async () => {
  for (const host of ["localhost:1234", "chat.example.com", "evil.example"]) {
    const headers = { host, "sec-fetch-site": "same-origin" }
    const { body } = await client.withKey(undefined).post("/api/console/passkeys/options", { json: {}, headers })
    expect(body).toMatchObject({ options: { rpId: "chat.example.com" } })
  }
})

describe("sign-in providers", () => {
  test("are added, listed, changed and deleted, and never show their secrets", async () => {
    const mine = await client.newOrganization()
    const { etag, own, provider } = await create(mine)
    const redirect_uri = `https://chat.example.com/api/console/providers/${provider.id}/callback`
    expect(provider).toMatchObject({ ...shown, redirect_uri })
    const listed = await mine.get(path)
    expect(listed.body).toEqual({ providers: [provider] })
    const changed = await mine.patch(own, {
      json: { ...provider, name: "Colleagues", client_secret: "another secret" },
      headers: { "if-match": etag },
    })
    expect(changed).toMatchObject({ status: 200, body: { provider: { ...shown, name: "Colleagues" } } })
    const late = await mine.patch(own, { json: { name: "Late" }, headers: { "if-match": etag } })
    expect(late.status).toBe(412)
    expect((await mine.get(own)).headers.get("etag")).toBe(changed.headers.get("etag"))
    expect(JSON.stringify([provider, listed.body, changed.body])).not.toContain("secret")
    const stored = await server.dump()
    expect(stored).not.toContain("a secret of the client")
    expect(stored).not.toContain("another secret")
    expect((await mine.delete(own)).status).toBe(200)
    expect((await mine.get(own)).status).toBe(404)
    expect((await mine.get(path)).body).toEqual({ providers: [] })
    const { entries } = Object((await mine.get("/api/admin/audit-log")).body)
    const actions = entries.map(({ action }: { readonly action: string }) => action)
    expect(actions.filter((action: string) => action.startsWith("sign_in_provider."))).toEqual([
      "sign_in_provider.deleted",
      "sign_in_provider.updated",
      "sign_in_provider.created",
    ])
  })

  test("take an id of the caller, by which the redirect URI is known before, and refuse one that is in use", async () => {
    const id = crypto.randomUUID()
    const { provider } = await create(client, { id })
    expect(provider.redirect_uri).toBe(`https://chat.example.com/api/console/providers/${id}/callback`)
    for (const as of [client, await client.newOrganization()])
      problem(await as.post(path, { json: { ...staff, id } }), 409, "conflict")
    problem(await client.post(path, { json: { ...staff, id: "mine" } }), 400, "invalid_request")
  })

  test("keep their issuer, because people are known by it", async () => {
    const { own } = await create()
    const refused = await client.patch(own, { json: { issuer: "https://other.example.com" } })
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ path: "issuer" }] } })
  })

  test("have an address that may be called, with https where the server has it", async () => {
    for (const issuer of [
      "http://login.example.com",
      "https://127.0.0.1:8443",
      "https://localhost",
      "ftp://a.example",
    ]) {
      const refused = await client.post(path, { json: { ...staff, issuer } })
      expect(refused).toMatchObject({ status: 400, body: { errors: [{ path: "issuer" }] } })
    }
  })

  test("give no role whose rights the one who adds or changes them lacks", async () => {
    const mine = await client.newOrganization()
    const administrator = (await mine.newKey({ scopes: ["admin", "chatbots:read"] })).client
    const role_mappings = [{ value: "staff", role: "editor", chatbot_id: null }]
    expect((await administrator.post(path, { json: { ...staff, role_mappings } })).status).toBe(403)
    const { own } = await create(mine, { role_mappings })
    expect((await administrator.patch(own, { json: { roles_claim: "nickname" } })).status).toBe(403)
    expect((await administrator.patch(own, { json: { role_mappings: [] } })).status).toBe(403)
    expect((await mine.patch(own, { json: { role_mappings: [] } })).status).toBe(200)
    expect((await administrator.patch(own, { json: { roles_claim: "roles" } })).status).toBe(200)
  })
})
