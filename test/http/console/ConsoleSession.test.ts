import { describe, expect, test } from "bun:test"
import { Schema } from "effect"
import { AuditEntry } from "../../../src/domain/audit/AuditEntry.ts"
import { ConsoleSession } from "../../../src/domain/people/ConsoleSession.ts"
import { type Client, problem, read, until, wrongPaths } from "../../lib/Client.ts"
import { operatorKey } from "../../lib/ServerProcess.ts"
import { startServer } from "../../lib/TestServer.ts"

const server = await startServer({ ADDRESS_RATE_LIMIT: "off", TRUSTED_PROXIES: "127.0.0.1" })
const { client } = server
const session = "/api/console/session"
const anybody = client.withKey(undefined)
const ofOurPages = { "sec-fetch-site": "same-origin" }

/** Signs in, and returns the headers that the browser then sends from a page of ours. */
const signIn = async (json: object) => {
  const reply = await anybody.post(session, { json, headers: ofOurPages })
  expect(reply.status).toBe(200)
  const cookie = reply.headers.get("set-cookie")?.split(";")[0] ?? ""
  return { reply, browser: { ...ofOurPages, cookie } }
}

const One = Schema.Struct({ session: ConsoleSession })
const Entries = Schema.Struct({ entries: Schema.Array(AuditEntry) })

const refusals = async (of: Client) =>
  read(Entries, await of.get("/api/admin/audit-log?action=sign_in.refused&limit=200"))

describe("a session at the console", () => {
  test("stands for the key in requests of the server's own pages, until it is signed out", async () => {
    const { browser, reply } = await signIn({ key: operatorKey })
    expect(reply.headers.get("set-cookie")).toMatch(
      /^parley_console=[\w-]{50,}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/,
    )
    expect(reply.headers.get("cache-control")).toBe("no-store")
    expect(reply.text).not.toContain(operatorKey)
    expect(decodeURIComponent(browser.cookie)).not.toContain(operatorKey)
    const begun = read(One, reply).session
    expect(begun).toMatchObject({ is_operator: true, chatbot_id: null, organization: { is_operator: true } })
    expect(read(One, await anybody.get(session, { headers: browser })).session).toEqual(begun)
    expect((await anybody.get("/api/external/chatbots", { headers: browser })).status).toBe(200)
    const out = await anybody.delete(session, { headers: browser })
    expect(out.headers.get("set-cookie")).toBe("parley_console=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0")
  })

  test("ends for good when it is signed out: the cookie that was copied before is worth nothing", async () => {
    const [one, other] = [await signIn({ key: operatorKey }), await signIn({ key: operatorKey })]
    expect((await anybody.delete(session, { headers: one.browser })).status).toBe(200)
    const ended = await until(() => anybody.get(session, { headers: one.browser }), { status: 401 })
    problem(ended, 401, "unauthorized")
    // Some bits of its last character may say nothing.
    const { cookie } = one.browser
    for (const copied of [`${cookie}A`, ...Array.from("AEIQUYcgkosw048", (last) => cookie.slice(0, -1) + last)]) {
      problem(await anybody.get(session, { headers: { ...one.browser, cookie: copied } }), 401, "unauthorized")
    }
    expect((await anybody.get(session, { headers: other.browser })).status).toBe(200)
  })

  test("leaves nothing in the browser's cache of what it shows, and answers to keys say nothing of caches", async () => {
    const { browser } = await signIn({ key: operatorKey })
    const bot = await client.newChatbot()
    const path = `/api/external/chatbot/${bot.id}`
    for (const headers of [browser, { ...browser, cookie: "parley_console=AAAA" }]) {
      for (const reply of [
        await anybody.get(path, { headers }),
        await anybody.get("/api/admin/api-keys", { headers }),
        await anybody.get("/api/external/chatbot/none", { headers }),
        await anybody.get(session, { headers }),
      ]) {
        expect(reply.headers.get("cache-control")).toBe("no-store")
        expect(reply.headers.get("x-content-type-options")).toBe("nosniff")
      }
    }
    expect((await client.get(path)).headers.get("cache-control")).toBeNull()
  })

  test("tells what the key may do, and does no more than it", async () => {
    const mine = await client.newOrganization()
    const { id } = await mine.newChatbot()
    const bound = await mine.newKey({ name: "Reader", chatbot_id: id, scopes: ["conversations:read"] })
    const { browser, reply } = await signIn({ key: bound.client.key })
    expect(read(One, reply).session).toMatchObject({
      api_key: { id: bound.id, name: "Reader", expires_at: null },
      scopes: ["conversations:read"],
      chatbot_id: id,
      is_operator: false,
    })
    expect((await anybody.get("/api/external/chatbots", { headers: browser })).status).toBe(403)
    expect((await anybody.get("/api/external/conversations", { headers: browser })).status).toBe(200)
  })

  test("changes things with an idempotency key, once", async () => {
    const mine = await client.newOrganization()
    const { browser } = await signIn({ key: mine.key })
    const headers = { ...browser, "idempotency-key": "console-1" }
    const make = () => anybody.post("/api/external/chatbots", { json: { name: "Once" }, headers })
    const [first, second] = [await make(), await make()]
    expect(second.headers.get("idempotency-replayed")).toBe("true")
    expect(second.text).toBe(first.text)
  })

  test("does not count in requests of other pages, of navigation, or outside of the API", async () => {
    const { browser } = await signIn({ key: operatorKey })
    const asked = async (path: string, headers: Readonly<Record<string, string>>) =>
      (await anybody.get(path, { headers })).status
    for (const site of ["cross-site", "same-site", "none", "Same-Origin", ""]) {
      expect(await asked("/api/external/chatbots", { ...browser, "sec-fetch-site": site })).toBe(401)
    }
    expect(await asked("/api/external/chatbots", { cookie: browser.cookie })).toBe(401)
    expect(await asked("/v1/models", browser)).toBe(401)
    expect((await anybody.post("/mcp", { json: {}, headers: browser })).status).toBe(401)
    // A page of another origin that has a browser send the cookie changes nothing.
    const forged = { ...browser, "sec-fetch-site": "same-site", origin: "https://evil.example" }
    expect((await anybody.post("/api/external/chatbots", { json: { name: "Forged" }, headers: forged })).status).toBe(
      401,
    )
  })

  test("gives way to a key that the request carries, right or wrong", async () => {
    const mine = await client.newOrganization()
    const { browser } = await signIn({ key: operatorKey })
    expect(read(One, await mine.get(session, { headers: browser })).session.is_operator).toBe(false)
    problem(await client.withKey("x".repeat(40)).get(session, { headers: browser }), 401, "unauthorized")
    problem(await anybody.get(session, { headers: { ...browser, authorization: "Bearer wrong" } }), 401, "unauthorized")
  })

  test("ends when its key is revoked", async () => {
    const mine = await client.newOrganization()
    const other = await mine.newKey()
    const { browser } = await signIn({ key: other.client.key })
    expect((await anybody.get(session, { headers: browser })).status).toBe(200)
    await mine.delete(`/api/admin/api-keys/${other.id}`)
    const ended = await until(
      () => anybody.get(session, { headers: browser }),
      ({ status }) => status !== 200,
    )
    problem(ended, 401, "unauthorized")
    problem(await anybody.post(session, { json: { key: other.client.key } }), 401, "unauthorized")
  })

  test("is not made of a cookie that was changed, cut or made up", async () => {
    const { browser } = await signIn({ key: operatorKey })
    const [name = "", content = ""] = browser.cookie.split("=")
    const flipped = content.slice(0, 40) + (content[40] === "A" ? "B" : "A") + content.slice(41)
    for (const changed of [flipped, content.slice(4), "", "AAAA", "A".repeat(5_000), operatorKey]) {
      const headers = { ...ofOurPages, cookie: `other=1; ${name}=${changed}; third=2` }
      expect((await anybody.get(session, { headers })).status).toBe(401)
    }
    const among = { ...ofOurPages, cookie: `other=1; ${browser.cookie}; third=2` }
    expect((await anybody.get(session, { headers: among })).status).toBe(200)
    const lookalike = { ...ofOurPages, cookie: `not_${browser.cookie}` }
    expect((await anybody.get(session, { headers: lookalike })).status).toBe(401)
  })

  test("has its cookie sent by https alone where the client came by https", async () => {
    const headers = { ...ofOurPages, "x-forwarded-proto": "https" }
    const reply = await anybody.post(session, { json: { key: operatorKey }, headers })
    const set = reply.headers.get("set-cookie") ?? ""
    expect(set).toStartWith("__Host-parley_console=")
    expect(set).toEndWith("; Secure")
    const [cookie = ""] = set.split(";")
    expect((await anybody.get(session, { headers: { ...headers, cookie } })).status).toBe(200)
    // Another host of the same domain could set the name without the prefix.
    const tossed = cookie.replace("__Host-", "")
    expect((await anybody.get(session, { headers: { ...headers, cookie: tossed } })).status).toBe(401)
    const out = await anybody.delete(session, { headers: { ...headers, cookie } })
    expect(out.headers.get("set-cookie")).toStartWith("__Host-parley_console=; ")
  })

  test("is in the audit log from its beginning", async () => {
    const mine = await client.newOrganization()
    await signIn({ key: mine.key })
    const { body } = await mine.get("/api/admin/audit-log?action=api_key.signed_in")
    expect(body).toMatchObject({ entries: [{ action: "api_key.signed_in", actor: { kind: "api_key" } }] })
  })
})

describe("signing in at the console", () => {
  test("is refused to wrong keys, to publishable ones and to pages of other origins", async () => {
    const { id } = await client.newChatbot()
    const publishable = await client.post("/api/admin/api-keys", {
      json: { name: "Site", kind: "publishable", chatbot_id: id, allowed_origins: ["https://example.com"] },
    })
    const { key } = read(Schema.Struct({ key: Schema.String }), publishable)
    problem(await anybody.post(session, { json: { key: `${operatorKey}x` } }), 401, "unauthorized")
    expect(problem(await anybody.post(session, { json: { key } }), 401, "unauthorized").detail).toContain("publishable")
    for (const site of ["cross-site", "same-site"]) {
      const headers = { "sec-fetch-site": site }
      problem(await anybody.post(session, { json: { key: operatorKey }, headers }), 403, "forbidden")
      problem(await anybody.delete(session, { headers }), 403, "forbidden")
    }
    for (const json of [{}, { key: operatorKey, link: "x" }, { key: "" }, { key: "x".repeat(257) }, { keys: "x" }]) {
      expect(wrongPaths(await anybody.post(session, { json }))).toHaveLength(1)
    }
    // Such as a form of another page sends.
    const form = await anybody.post(session, {
      body: JSON.stringify({ key: operatorKey }),
      headers: { "content-type": "text/plain" },
    })
    problem(form, 415, "unsupported_media_type")
  })

  test("is in the operator's audit log when it is refused, once an hour for each address", async () => {
    const mine = await client.newOrganization()
    const from = (address: string) => ({ headers: { "x-forwarded-for": address } })
    for (const address of ["203.0.113.7", "203.0.113.7", "2001:db8::1", "2001:db8::2", "198.51.100.1"]) {
      problem(await anybody.post(session, { json: { key: "wrong" }, ...from(address) }), 401, "unauthorized")
    }
    problem(await anybody.post(session, { json: { link: "wrong" }, ...from("198.51.100.2") }), 401, "unauthorized")
    const { entries } = await refusals(client)
    expect(entries.map(({ address }) => address).toSorted()).toEqual(
      expect.arrayContaining(["198.51.100.1", "198.51.100.2", "2001:db8::1", "203.0.113.7"]),
    )
    expect(entries.map(({ address }) => address)).not.toContain("2001:db8::2")
    expect(new Set(entries.map(({ address }) => address)).size).toBe(entries.length)
    expect(entries[0]).toMatchObject({ actor: { kind: "anonymous", api_key_id: null }, target: { id: null } })
    expect(JSON.stringify(entries)).not.toContain("wrong")
    expect((await refusals(mine)).entries).toEqual([])
  })

  test("fills no table when it is refused very often, from however many addresses", async () => {
    await Promise.all(
      Array.from({ length: 150 }, (_, index) =>
        anybody.post(session, { json: { key: "wrong" }, headers: { "x-forwarded-for": `192.0.2.${index}` } }),
      ),
    )
    expect((await refusals(client)).entries.length).toBe(100)
  })

  test("takes a one-time link once", async () => {
    const link = await server.signInLink(operatorKey)
    const { browser } = await signIn({ link })
    expect((await anybody.get(session, { headers: browser })).status).toBe(200)
    const again = problem(await anybody.post(session, { json: { link } }), 401, "unauthorized")
    expect(again.detail).toContain("was used already")
    problem(await anybody.post(session, { json: { link: "made-up" } }), 401, "unauthorized")
  })
})

describe("signing in counts", () => {
  /** A server whose windows are long enough for nothing to be forgotten while the tests run. */
  const strict = startServer({ RATE_LIMIT: "5/1h", ADDRESS_RATE_LIMIT: "30/1h", TRUSTED_PROXIES: "127.0.0.1" })

  /** The status of a client's attempts to sign in with these keys, one after the other. */
  const statusesOf = async (address: string, keys: ReadonlyArray<string>) => {
    const stranger: Client = (await strict).client.withKey(undefined)
    const statuses: Array<number> = []
    for (const key of keys) {
      statuses.push((await stranger.post(session, { json: { key }, headers: { "x-forwarded-for": address } })).status)
    }
    return statuses
  }

  test("for the client's address, so that nobody can go on guessing", async () => {
    const guesses = [0, 1, 2, 3, 4].map((n) => `wrong-${n}`.repeat(6))
    expect(await statusesOf("203.0.113.1", [...guesses, operatorKey])).toEqual([401, 401, 401, 429, 429, 429])
  })

  test("for the key where it is valid, so that nobody fills the audit log with it", async () => {
    const statuses = await statusesOf(
      "203.0.113.2",
      Array.from({ length: 7 }, () => operatorKey),
    )
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429])
  })
})
