import { describe, expect, test } from "bun:test"
import { Schema } from "effect"
import { ConsoleSession } from "../../../src/domain/people/ConsoleSession.ts"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import { problem, read } from "../../lib/Client.ts"
import {
  accept,
  everywhere,
  Invited,
  newPerson,
  ofOurPages,
  Options,
  PersonBrowser,
  tokenOf,
  VirtualPasskey,
} from "../../lib/People.ts"
import { sharedServer } from "../../lib/TestServer.ts"

const server = await sharedServer()
const { operator: client } = server
const One = Schema.Struct({ session: ConsoleSession })
const WithOptions = Schema.Struct({ options: Options })
const session = "/api/console/session"

/** Begins to sign in by a passkey, in a new browser. */
const begin = async () => {
  const browser = new PersonBrowser(client)
  return { browser, ...read(WithOptions, await browser.post("/api/console/passkeys/options", {})) }
}

const invite = async (name = "Grace") =>
  read(Invited, await client.post("/api/admin/people", { json: { name, roles: [everywhere("viewer")] } }))

describe("an invitation", () => {
  test("makes an account with a passkey, and signs the person in", async () => {
    const { invitation, person } = await invite()
    expect(person).toMatchObject({ name: "Grace", state: "invited", passkeys: 0, roles: [everywhere("viewer")] })
    const { browser, reply } = await accept(client, invitation)
    expect(read(One, reply).session).toMatchObject({
      api_key: null,
      person: { id: person.id, name: "Grace", email: null, avatar: null },
      roles: [everywhere("viewer")],
      scopes: ["chatbots:read", "knowledge:read", "conversations:read"],
      is_operator: false,
    })
    expect(reply.headers.get("set-cookie")).toMatch(/^parley_console=[\w-]{50,}; Path=\/; HttpOnly; SameSite=Strict/)
    expect((await browser.get("/api/external/chatbots")).status).toBe(200)
    problem(await browser.post("/api/external/chatbots", { name: "No" }), 403, "forbidden")
    expect((await client.get(`/api/admin/people/${person.id}`)).body).toMatchObject({
      person: { state: "active", passkeys: 1 },
    })
  })

  test("is accepted once, also by two browsers at the same time", async () => {
    const { invitation } = await invite()
    const token = tokenOf(invitation)
    const browsers = [new PersonBrowser(client), new PersonBrowser(client)]
    const begun: Array<typeof Options.Type> = []
    for (const browser of browsers) {
      begun.push(read(WithOptions, await browser.post("/api/console/invitations/options", { token })).options)
    }
    const replies = await Promise.all(
      browsers.map((browser, index) =>
        browser.post("/api/console/invitations", {
          token,
          credential: new VirtualPasskey().create(begun[index] ?? { challenge: "" }, client.url),
        }),
      ),
    )
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 401])
    problem(await new PersonBrowser(client).post("/api/console/invitations/options", { token }), 401, "unauthorized")
  })

  test("is good for a week, and no more once there is a newer one or the person is removed", async () => {
    const { invitation, person } = await invite()
    const again = read(Invited, await client.post(`/api/admin/people/${person.id}/invitation`))
    const opened = async (of: typeof invitation) =>
      (await new PersonBrowser(client).post("/api/console/invitations/options", { token: tokenOf(of) })).status
    expect([await opened(invitation), await opened(again.invitation)]).toEqual([401, 200])
    await server.query(
      SystemSql.use((sql) => sql`update people set invitation_expires_at = now() where id = ${person.id}`),
    )
    expect(await opened(again.invitation)).toBe(401)
    const other = await invite()
    expect((await client.delete(`/api/admin/people/${other.person.id}`)).status).toBe(200)
    expect(await opened(other.invitation)).toBe(401)
    expect(await opened({ ...invitation, link: "#invitation=inv_wrong" })).toBe(401)
  })

  test("does not take a passkey that somebody has already", async () => {
    const { passkey } = await newPerson(client, [everywhere("viewer")])
    const { invitation } = await invite()
    const browser = new PersonBrowser(client)
    const token = tokenOf(invitation)
    const { options } = read(WithOptions, await browser.post("/api/console/invitations/options", { token }))
    const reply = await browser.post("/api/console/invitations", {
      token,
      credential: passkey.create(options, client.url),
    })
    problem(reply, 401, "unauthorized")
  })
})

describe("a passkey", () => {
  test("signs its person in, each time in a new session", async () => {
    const { browser: first, id, passkey } = await newPerson(client, [everywhere("viewer")])
    const { browser, options } = await begin()
    // The cookie of another session that somebody has planted is replaced.
    browser.cookies.set("parley_console", first.cookies.get("parley_console") ?? "")
    const reply = await browser.post("/api/console/passkeys", { credential: passkey.answer(options, client.url) })
    expect(read(One, reply).session).toMatchObject({ person: { id } })
    expect(browser.cookies.get("parley_console")).not.toBe(first.cookies.get("parley_console"))
    const { body } = await browser.get("/api/console/sessions")
    expect(body).toMatchObject({ sessions: [{ is_current: true }, { is_current: false }] })
    const out = await browser.delete(session)
    expect(out.status).toBe(200)
    expect((await first.get(session)).status).toBe(200)
  })

  const wrong: ReadonlyArray<readonly [what: string, falsified: Parameters<VirtualPasskey["answer"]>[2]]> = [
    ["for a page of another origin", { origin: "https://evil.example" }],
    ["for another server", { rpId: "evil.example" }],
    ["for another challenge", { challenge: "AAAA" }],
    ["that makes a passkey", { type: "webauthn.create" }],
    ["without anybody there", { isPresent: false }],
  ]
  for (const [what, falsified] of wrong) {
    test(`does not sign in by an answer ${what}`, async () => {
      const { passkey } = await newPerson(client, [everywhere("viewer")])
      const { browser, options } = await begin()
      const credential = passkey.answer(options, client.url, falsified)
      problem(await browser.post("/api/console/passkeys", { credential }), 401, "unauthorized")
      expect(browser.cookies.has("parley_console")).toBe(false)
    })
  }

  test("does not sign in by an answer that was used before, is too late, or comes from another browser", async () => {
    const { passkey } = await newPerson(client, [everywhere("viewer")])
    const used = await begin()
    const credential = passkey.answer(used.options, client.url)
    expect((await used.browser.post("/api/console/passkeys", { credential })).status).toBe(200)
    problem(await used.browser.post("/api/console/passkeys", { credential }), 401, "unauthorized")

    const late = await begin()
    await server.query(SystemSql.use((sql) => sql`update sign_in_attempts set expires_at = now()`))
    const tooLate = passkey.answer(late.options, client.url)
    problem(await late.browser.post("/api/console/passkeys", { credential: tooLate }), 401, "unauthorized")

    const [mine, foreign] = [await begin(), await begin()]
    const stolen = passkey.answer(mine.options, client.url)
    problem(await foreign.browser.post("/api/console/passkeys", { credential: stolen }), 401, "unauthorized")
    problem(await new PersonBrowser(client).post("/api/console/passkeys", { credential: stolen }), 401, "unauthorized")
  })

  test("that was copied is refused, because it does not know how often the other one was used", async () => {
    const { passkey } = await newPerson(client, [everywhere("viewer")])
    const first = await begin()
    passkey.counter = 5
    await first.browser.post("/api/console/passkeys", { credential: passkey.answer(first.options, client.url) })
    passkey.counter = 2
    const second = await begin()
    const credential = passkey.answer(second.options, client.url)
    problem(await second.browser.post("/api/console/passkeys", { credential }), 401, "unauthorized")
  })

  test("of nobody, or with a signature of another key, does not sign in", async () => {
    const { passkey } = await newPerson(client, [everywhere("viewer")])
    const stranger = new VirtualPasskey()
    for (const credential of [
      (options: typeof Options.Type) => stranger.answer(options, client.url),
      (options: typeof Options.Type) => ({
        ...stranger.answer(options, client.url),
        id: passkey.id,
        rawId: passkey.id,
      }),
      () => ({}),
      () => ({ id: passkey.id, rawId: passkey.id, type: "public-key", response: {} }),
    ]) {
      const { browser, options } = await begin()
      problem(await browser.post("/api/console/passkeys", { credential: credential(options) }), 401, "unauthorized")
    }
  })

  test("signs in from the server's own pages only", async () => {
    const { browser, options } = await begin()
    const { passkey } = await newPerson(client, [everywhere("viewer")])
    const headers = { ...browser.headers, "sec-fetch-site": "cross-site" }
    const json = { credential: passkey.answer(options, client.url) }
    problem(await client.withKey(undefined).post("/api/console/passkeys", { json, headers }), 403, "forbidden")
  })

  test("is offered where browsers use it, once somebody has one", async () => {
    await newPerson(client, [everywhere("viewer")])
    const anybody = client.withKey(undefined)
    const there = async (headers: Record<string, string>) =>
      (await anybody.get("/api/console/sign-in", { headers: { ...ofOurPages, ...headers } })).body
    expect(await there({})).toMatchObject({
      organization: { name: expect.any(String) },
      providers: [],
      passkeys: false,
    })
    expect(await there({ host: "localhost:1234" })).toMatchObject({ passkeys: true })
    const none = "00000000-0000-7000-8000-000000000000"
    problem(await anybody.get(`/api/console/sign-in?organization_id=${none}`), 404, "not_found")
  })
})

test("the secret of a session is no key, and no answer or table has it", async () => {
  const { browser } = await newPerson(client, [everywhere("owner")])
  const cookie = browser.cookies.get("parley_console") ?? ""
  for (const key of [cookie, `prs_${"A".repeat(49)}`]) {
    expect((await client.withKey(key).get(session)).status).toBe(401)
  }
  const rows = await server.query(SystemSql.use((sql) => sql`select token_hash from person_sessions`))
  expect(JSON.stringify(rows)).not.toContain("prs_")
})
