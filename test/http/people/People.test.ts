import { describe, expect, test } from "bun:test"
import { Schema } from "effect"
import { AuditEntry } from "../../../src/domain/audit/AuditEntry.ts"
import { ChatbotId } from "../../../src/domain/Ids.ts"
import { ApiKey } from "../../../src/domain/keys/ApiKey.ts"
import { Person } from "../../../src/domain/people/Person.ts"
import type { PersonRole } from "../../../src/domain/people/Role.ts"
import { type Client, problem, read, type Reply, until } from "../../lib/Client.ts"
import { listenAt } from "../../lib/EventReader.ts"
import { accept, everywhere, Invited, newPerson, type PersonBrowser, tokenOf } from "../../lib/People.ts"
import { sharedServer } from "../../lib/TestServer.ts"

const server = await sharedServer()
const { client } = server
const people = "/api/admin/people"
const session = "/api/console/session"
const One = Schema.Struct({ person: Person })
const Many = Schema.Struct({ people: Schema.Array(Person) })
const Entries = Schema.Struct({ entries: Schema.Array(AuditEntry) })

const roleOf = (role: PersonRole["role"], chatbot: string): PersonRole => ({
  role,
  chatbot_id: ChatbotId.make(chatbot),
})
const invite = (of: Client | PersonBrowser, role: PersonRole["role"], name = "Grace") =>
  "cookies" in of
    ? of.post(people, { name, roles: [everywhere(role)] })
    : of.post(people, { json: { name, roles: [everywhere(role)] } })

/** Waits until a browser is signed out. */
const signedOut = (browser: PersonBrowser) =>
  until(
    () => browser.get(session),
    ({ status }) => status === 401,
  )

describe("owners", () => {
  test("are made by owners, by the operator's keys, and by a key of an organization that has none", async () => {
    const mine = await client.newOrganization()
    const owner = await newPerson(mine, [everywhere("owner")])
    problem(await invite(mine, "owner"), 403, "forbidden")
    expect((await invite(mine, "admin")).status).toBe(201)
    expect((await invite(owner.browser, "owner")).status).toBe(201)
    const admin = await newPerson(mine, [everywhere("admin")])
    problem(await invite(admin.browser, "owner"), 403, "forbidden")
    expect((await invite(admin.browser, "admin")).status).toBe(201)
    expect((await invite(client, "owner")).status).toBe(201)
  })

  test("are not changed, removed or invited again by an administrator, who could become one by that", async () => {
    const mine = await client.newOrganization()
    const owner = await newPerson(mine, [everywhere("owner")])
    const { browser, id } = await newPerson(mine, [everywhere("admin")])
    problem(await browser.patch(`${people}/${owner.id}`, { roles: [everywhere("viewer")] }), 403, "forbidden")
    problem(await browser.patch(`${people}/${id}`, { roles: [everywhere("owner")] }), 403, "forbidden")
    problem(await browser.delete(`${people}/${owner.id}`), 403, "forbidden")
    problem(await browser.post(`${people}/${owner.id}/invitation`, {}), 403, "forbidden")
    const key = await mine.newKey({ scopes: ["admin"] })
    problem(await key.client.post(`${people}/${owner.id}/invitation`), 403, "forbidden")
  })

  test("stay at least one, also when two of them go at the same time", async () => {
    const mine = await client.newOrganization()
    const first = await newPerson(mine, [everywhere("owner")])
    problem(await first.browser.delete(`${people}/${first.id}`), 409, "conflict")
    problem(await first.browser.patch(`${people}/${first.id}`, { roles: [everywhere("admin")] }), 409, "conflict")
    const { invitation, person } = read(Invited, await invite(first.browser, "owner"))
    // Who has not accepted the invitation yet, is none.
    problem(await first.browser.delete(`${people}/${first.id}`), 409, "conflict")
    const second = await accept(mine, invitation)
    const gone = await Promise.all([
      first.browser.delete(`${people}/${first.id}`),
      second.browser.delete(`${people}/${person.id}`),
    ])
    expect(gone.map(({ status }) => status).toSorted()).toEqual([200, 409])
  })
})

describe("the list of people", () => {
  const Page = Schema.Struct({ ...Many.fields, next_cursor: Schema.optionalKey(Schema.NullOr(Schema.String)) })
  /** The names on each page. */
  const pagesOf = async (mine: Client, query: string) => {
    const pages: Array<ReadonlyArray<string>> = []
    let cursor: string | null | undefined = ""
    while (cursor != null && pages.length < 10) {
      const after: string = cursor === "" ? "" : `&cursor=${cursor}`
      const page: typeof Page.Type = read(Page, await mine.get(`${people}?${query}${after}`))
      pages.push(page.people.map(({ name }) => name))
      cursor = page.next_cursor
    }
    return pages
  }

  test("comes in pages by name, with nobody twice, of all, of those removed or of the others", async () => {
    const mine = await client.newOrganization()
    const ids = new Map<string, string>()
    for (const name of ["bo", "Ada", "Cy", "bo", "Dee"])
      ids.set(name, read(Invited, await invite(mine, "viewer", name)).person.id)
    expect(await pagesOf(mine, "limit=2")).toEqual([["Ada", "bo"], ["bo", "Cy"], ["Dee"]])
    expect(await pagesOf(mine, "")).toEqual([["Ada", "bo", "bo", "Cy", "Dee"]])
    await mine.delete(`${people}/${ids.get("Cy")}`)
    expect(await pagesOf(mine, "limit=3")).toEqual([
      ["Ada", "bo", "bo"],
      ["Cy", "Dee"],
    ])
    expect(await pagesOf(mine, "limit=3&removed=false")).toEqual([["Ada", "bo", "bo"], ["Dee"]])
    expect(await pagesOf(mine, "removed=true")).toEqual([["Cy"]])
  })

  test("finds people by a part of the name or of the e-mail address", async () => {
    const mine = await client.newOrganization()
    await mine.post(people, { json: { name: "Ada 100%", email: "ada@example.com", roles: [everywhere("viewer")] } })
    await mine.post(people, { json: { name: "Grace", email: "hopper@example.com", roles: [everywhere("viewer")] } })
    expect(await pagesOf(mine, "search=ADA")).toEqual([["Ada 100%"]])
    expect(await pagesOf(mine, "search=Hopper%40")).toEqual([["Grace"]])
    expect(await pagesOf(mine, "search=%25")).toEqual([["Ada 100%"]])
    expect(await pagesOf(mine, "search=nobody")).toEqual([[]])
    // Nothing is learnt of another organization by a person of it.
    const other = read(Many, await mine.get(people)).people[0]?.id
    expect(await pagesOf(await client.newOrganization(), `cursor=1.${other}`)).toEqual([[]])
  })
})

describe("administrators", () => {
  test("give nothing that they lack", async () => {
    const mine = await client.newOrganization()
    const { client: limited } = await mine.newKey({ scopes: ["admin", "chatbots:read"] })
    problem(await invite(limited, "viewer"), 403, "forbidden")
    problem(await invite(limited, "admin"), 403, "forbidden")
    const { browser } = await newPerson(mine, [everywhere("admin")])
    const made = await browser.post("/api/admin/api-keys", { name: "Mine", scopes: ["chat"] })
    expect(made.body).toMatchObject({ api_key: { created_by: expect.any(String) } })
    problem(await browser.post("/api/admin/api-keys", { name: "More", scopes: ["operator"] }), 403, "forbidden")
  })

  test("are told what their roles do not allow, and programs what their keys lack", async () => {
    const mine = await client.newOrganization()
    const { browser } = await newPerson(mine, [everywhere("admin")])
    const viewer = await newPerson(mine, [everywhere("viewer")])
    const { client: limited } = await mine.newKey({ scopes: ["admin", "chatbots:read"] })
    const chatbots = "/api/external/chatbots"
    const details = async (...replies: ReadonlyArray<Promise<Reply>>) =>
      (await Promise.all(replies)).map((reply) => problem(reply, 403, "forbidden").detail)
    expect(
      await details(
        viewer.browser.post(chatbots, { name: "Mine" }),
        browser.post("/api/admin/organizations", { name: "Mine" }),
        browser.post("/api/admin/api-keys", { name: "More", scopes: ["operator"] }),
      ),
    ).toEqual([
      "None of your roles has the scope chatbots:write.",
      "None of your roles has the scope operator.",
      "None of your roles has what it would give: operator.",
    ])
    expect(
      await details(
        limited.post(chatbots, { json: { name: "Mine" } }),
        limited.post("/api/admin/api-keys", { json: { name: "More", scopes: ["chat"] } }),
      ),
    ).toEqual(["This API key lacks the scope chatbots:write.", "This API key lacks what it would give: chat."])
  })

  test("reach nobody of another organization", async () => {
    const [mine, other] = [await client.newOrganization(), await client.newOrganization()]
    const victim = await newPerson(other, [everywhere("viewer")])
    const { browser } = await newPerson(mine, [everywhere("admin")])
    for (const reply of [
      await browser.get(`${people}/${victim.id}`),
      await browser.patch(`${people}/${victim.id}`, { name: "Mallory" }),
      await browser.delete(`${people}/${victim.id}`),
      await browser.post(`${people}/${victim.id}/invitation`, {}),
      await browser.get(`${people}/${victim.id}/sessions`),
    ]) {
      problem(reply, 404, "not_found")
    }
    const chatbot = await other.newChatbot()
    problem(await browser.post(people, { name: "X", roles: [roleOf("editor", chatbot.id)] }), 404, "not_found")
    problem(await browser.post(people, { name: "X", roles: [roleOf("admin", chatbot.id)] }), 400, "invalid_request")
  })

  test("see the version of a person, and change only that", async () => {
    const mine = await client.newOrganization()
    const { id } = await newPerson(mine, [everywhere("viewer")])
    const path = `${people}/${id}`
    const etag = (await mine.get(path)).headers.get("etag") ?? ""
    const headers = { "if-match": etag }
    expect((await mine.patch(path, { json: { name: "One" }, headers })).status).toBe(200)
    problem(await mine.patch(path, { json: { name: "Two" }, headers }), 412, "precondition_failed")
    expect(read(One, await mine.get(path)).person.name).toBe("One")
    expect(read(Many, await mine.get(people)).people.map((one) => one.name)).toEqual(["One"])
  })
})

describe("a person", () => {
  test("who is removed is signed out within a second, and does not come back", async () => {
    const mine = await client.newOrganization()
    const { browser, id, passkey } = await newPerson(mine, [everywhere("viewer")])
    expect((await browser.get(session)).status).toBe(200)
    expect((await mine.delete(`${people}/${id}`)).status).toBe(200)
    problem(await signedOut(browser), 401, "unauthorized")
    const { options } = read(
      Schema.Struct({ options: Schema.Struct({ challenge: Schema.String }) }),
      await browser.post("/api/console/passkeys/options", {}),
    )
    const credential = passkey.answer(options, client.url)
    problem(await browser.post("/api/console/passkeys", { credential }), 401, "unauthorized")
    expect(read(One, await mine.get(`${people}/${id}`)).person).toMatchObject({
      state: "removed",
      roles: [],
      passkeys: 0,
    })
    problem(await mine.patch(`${people}/${id}`, { json: { name: "Back" } }), 404, "not_found")
  })

  test("whose session is ended is signed out there alone, by themselves or by an administrator", async () => {
    const mine = await client.newOrganization()
    const { browser, id } = await newPerson(mine, [everywhere("viewer")])
    const again = read(Invited, await mine.post(`${people}/${id}/invitation`))
    const { browser: second } = await accept(mine, again.invitation)
    const Sessions = Schema.Struct({
      sessions: Schema.Array(Schema.Struct({ id: Schema.String, is_current: Schema.Boolean })),
    })
    const { sessions } = read(Sessions, await second.get("/api/console/sessions"))
    const [other, own] = [sessions.find((one) => !one.is_current), sessions.find((one) => one.is_current)]
    expect((await second.delete(`/api/console/sessions/${other?.id}`)).status).toBe(200)
    problem(await second.delete(`/api/console/sessions/${other?.id}`), 404, "not_found")
    problem(await signedOut(browser), 401, "unauthorized")
    expect((await second.get(session)).status).toBe(200)
    const stranger = await newPerson(mine, [everywhere("viewer")])
    problem(await stranger.browser.delete(`/api/console/sessions/${own?.id}`), 404, "not_found")
    expect((await mine.delete(`${people}/${id}/sessions/${own?.id}`)).status).toBe(200)
    problem(await signedOut(second), 401, "unauthorized")
  })

  test("signs out for good: the cookie that was copied before is worth nothing", async () => {
    const { browser } = await newPerson(await client.newOrganization(), [everywhere("viewer")])
    const copied = browser.headers
    expect((await browser.delete(session)).status).toBe(200)
    const anybody = client.withKey(undefined)
    const ended = await until(
      () => anybody.get(session, { headers: copied }),
      ({ status }) => status === 401,
    )
    problem(ended, 401, "unauthorized")
  })

  test("has other roles within a second, and streams of events with the former ones end", async () => {
    const mine = await client.newOrganization()
    const { browser, id } = await newPerson(mine, [everywhere("editor")])
    const listener = await listenAt(`${client.url}/api/external/events`, browser.headers)
    await mine.patch(`${people}/${id}`, { json: { roles: [everywhere("viewer")] } })
    await listener.ended
    const refused = await until(
      () => browser.post("/api/external/chatbots", { name: "No" }),
      ({ status }) => status === 403,
    )
    problem(refused, 403, "forbidden")
  })

  test("who is removed leaves keys that stay valid, and that are found by who made them", async () => {
    const mine = await client.newOrganization()
    const { browser, id } = await newPerson(mine, [everywhere("admin")])
    const made = await browser.post("/api/admin/api-keys", { name: "website", scopes: ["chatbots:read"] })
    const { api_key, key } = read(Schema.Struct({ api_key: ApiKey, key: Schema.String }), made)
    expect((await mine.delete(`${people}/${id}`)).status).toBe(200)
    problem(await signedOut(browser), 401, "unauthorized")
    expect((await client.withKey(key).get("/api/external/chatbots")).status).toBe(200)
    const { api_keys } = read(Schema.Struct({ api_keys: Schema.Array(ApiKey) }), await mine.get("/api/admin/api-keys"))
    expect(api_keys.filter(({ created_by }) => created_by === id).map((one) => one.id)).toEqual([api_key.id])
  })

  test("who is removed while connected gets no further event", async () => {
    const mine = await client.newOrganization()
    const { browser, id } = await newPerson(mine, [everywhere("viewer")])
    const listener = await listenAt(`${client.url}/api/external/events`, browser.headers)
    await mine.delete(`${people}/${id}`)
    await mine.newChatbot()
    await listener.ended
    expect(listener.events).toEqual([{ type: "resync" }])
  })

  test("with a role for one chatbot sees and changes that, and nothing of another", async () => {
    const mine = await client.newOrganization()
    const [a, b] = [await mine.newChatbot(), await mine.newChatbot()]
    const { browser, id } = await newPerson(mine, [roleOf("editor", a.id)], "Edith")
    expect((await browser.get("/api/external/chatbots")).body).toMatchObject({ chatbots: [{ id: a.id }] })
    expect((await browser.patch(`/api/external/chatbots?id=${a.id}`, { description: "New" })).status).toBe(200)
    problem(await browser.patch(`/api/external/chatbots?id=${b.id}`, { description: "New" }), 403, "forbidden")
    problem(await browser.get(`/api/external/chatbot/${b.id}`), 403, "forbidden")
    const shown = await mine.get(`/api/external/chatbot/${a.id}`)
    expect(shown.body).toMatchObject({ chatbot: { managers: [{ id, name: "Edith", role: "editor" }] } })
    expect((await mine.get(`/api/external/chatbot/${b.id}`)).body).toMatchObject({ chatbot: { managers: null } })
    expect((await mine.get(`/api/external/people?chatbot_id=${a.id}`)).body).toEqual({ people: [] })
    const agent = await newPerson(mine, [roleOf("agent", a.id)], "Agatha")
    expect((await mine.get(`/api/external/people?chatbot_id=${a.id}`)).body).toEqual({
      people: [{ id: agent.id, name: "Agatha" }],
    })
    expect((await mine.get(`/api/external/people?chatbot_id=${b.id}`)).body).toEqual({ people: [] })
  })
})

test("the audit log names people, and lists of keys leave them out", async () => {
  const mine = await client.newOrganization()
  const { browser, id } = await newPerson(mine, [everywhere("admin")], "Ada")
  await browser.post("/api/external/chatbots", { name: "Named" })
  const { entries } = read(Entries, await mine.get("/api/admin/audit-log?limit=50"))
  const actions = entries.filter(({ actor }) => actor.person_id === id)
  expect(actions.map(({ action }) => action)).toEqual(["chatbot.created", "person.signed_in"])
  expect(actions[0]?.actor).toEqual({
    kind: "person",
    api_key_id: null,
    person_id: actions[0]?.actor.person_id ?? null,
    name: "Ada",
    hint: null,
  })
  expect(entries.map(({ action }) => action)).toContain("person.invited")
  expect((await mine.get("/api/admin/api-keys")).text).not.toContain(id)
  problem(await mine.delete(`/api/admin/api-keys/${id}`), 404, "not_found")
  problem(await mine.patch(`/api/admin/api-keys/${id}`, { json: { name: "X" } }), 404, "not_found")
})

test("an invitation's link is shown once, and its secret is stored nowhere", async () => {
  const { invitation } = read(Invited, await invite(client, "viewer"))
  expect(invitation.link).toStartWith(`${client.url}/console#invitation=inv_`)
  expect(await server.dump()).not.toContain(tokenOf(invitation))
})
