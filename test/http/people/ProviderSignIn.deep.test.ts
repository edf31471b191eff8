import { describe, expect, test } from "bun:test"
import { Effect } from "effect"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import { realClient, realProvider } from "../../lib/oidc/RealProvider.ts"
import { addProvider, age, startSignInServer, visitorOf } from "../../lib/oidc/SignInSuite.ts"
import { sharedRun } from "../../lib/Scoped.ts"
import { read, until } from "../../lib/Client.ts"
import { accept, everywhere, Invited, newPerson, tokenOf } from "../../lib/People.ts"

/*
 * People sign in by a real provider, the program `oidc-provider`, through its own forms.
 */

const run = sharedRun()
const server = await startSignInServer()
const operator = server.client

const addReal = async (client = operator, role_mappings: ReadonlyArray<object> = []) => {
  const real = await run(realProvider)
  const provider = await addProvider(client, real.issuer, realClient, role_mappings)
  real.register(provider.redirect_uri)
  return { real, provider }
}

/** An organization with a chatbot, and a provider whose groups have roles. */
const makeTeam = async () => {
  const client = await operator.newOrganization()
  const chatbot = await client.newChatbot()
  const added = await addReal(client, [
    { value: "staff", role: "editor", chatbot_id: null },
    { value: "helpdesk", role: "agent", chatbot_id: chatbot.id },
    { value: "leads", role: "admin", chatbot_id: null },
  ])
  added.real.people.set("ann", { name: "Ann Example", email: "ann@example.com", groups: ["staff"] })
  return { client, chatbot, ...added }
}

const peopleOf = async (client: typeof operator) => Object((await client.get("/api/admin/people")).body).people
const sessionOf = async ({ ask }: ReturnType<typeof visitorOf>) =>
  (await ask("GET", "/api/console/session")).body.session
const statusOf = async ({ ask }: ReturnType<typeof visitorOf>) => (await ask("GET", "/api/console/session")).status
const isOver = (status: number) => status === 401
const actionsOf = async (client: typeof operator, action: string) =>
  Object((await client.get(`/api/admin/audit-log?action=${action}`)).body).entries

describe("signing in by a provider", () => {
  test("gives the roles of the person's groups, and leads to the page that they wanted", async () => {
    const { chatbot, client, provider, real } = await makeTeam()
    real.people.set("ann", { name: "Ann Example", email: "ann@example.com", groups: ["staff", "helpdesk", "choir"] })
    const ann = visitorOf(server)
    const arrived = await ann.signIn(provider, "ann", { return_to: "/console/inbox?state=open" })
    expect(arrived.href).toBe(`${server.url}/console/inbox?state=open`)
    const session = await sessionOf(ann)
    expect(session).toMatchObject({ api_key: null, person: { name: "Ann Example", email: "ann@example.com" } })
    expect(session.roles).toHaveLength(2)
    expect(session.roles).toContainEqual({ role: "editor", chatbot_id: null })
    expect(session.roles).toContainEqual({ role: "agent", chatbot_id: chatbot.id })
    expect((await ann.ask("GET", "/api/external/chatbots")).status).toBe(200)
    expect((await ann.ask("GET", "/api/admin/people")).status).toBe(403)
    const [person] = await peopleOf(client)
    expect(person).toMatchObject({ state: "active", provider_id: provider.id, roles: [], passkeys: 0 })
    expect(person.claimed_roles).toHaveLength(2)
    const [signedIn] = await actionsOf(client, "person.signed_in")
    expect(signedIn).toMatchObject({ actor: { kind: "person", name: "Ann Example" } })
  })

  test("is refused without a role, by mapping or by hand, and adds nobody then", async () => {
    const { client, provider, real } = await makeTeam()
    real.people.set("eve", { name: "Eve", groups: ["choir"] })
    const eve = visitorOf(server)
    expect((await eve.signIn(provider, "eve")).hash).toBe("#sign-in-failed=no_role")
    expect(await statusOf(eve)).toBe(401)
    expect(await peopleOf(client)).toEqual([])
    const [refused] = await actionsOf(client, "sign_in.refused")
    expect(refused).toMatchObject({ actor: { kind: "anonymous" }, after: { reason: "no_role", name: "Eve" } })
  })

  test("reads groups anew each time, and takes the roles of those that are gone", async () => {
    const { client, provider, real } = await makeTeam()
    const ann = visitorOf(server)
    await ann.signIn(provider, "ann")
    real.people.set("ann", { name: "Ann Example", groups: "leads" })
    await ann.signIn(provider, "ann")
    expect((await sessionOf(ann)).roles).toEqual([{ role: "admin", chatbot_id: null }])
    real.people.set("ann", { name: "Ann Example", groups: [] })
    expect((await ann.signIn(provider, "ann")).hash).toBe("#sign-in-failed=no_role")
    const [person] = await peopleOf(client)
    expect(person.claimed_roles).toEqual([])
    // The session before has lost its rights as well.
    await until(() => ann.ask("GET", "/api/external/chatbots"), { status: 403 })
  })

  test("begins a new session whatever cookie the browser had", async () => {
    const { provider } = await makeTeam()
    const ann = visitorOf(server)
    const cookies = ann.browser.cookies
    const { host } = new URL(server.url)
    await ann.signIn(provider, "ann")
    const first = cookies.get(host)?.get("parley_console")
    expect(first).toBeString()
    await ann.signIn(provider, "ann")
    expect(cookies.get(host)?.get("parley_console")).not.toBe(first ?? "")
  })

  test("can be cancelled at the provider", async () => {
    const { provider } = await makeTeam()
    const ann = visitorOf(server)
    const form = await ann.begin(provider)
    const back = await ann.browser.open(`${form.url.href}/abort`, {}, ({ pathname }) => pathname === "/console")
    expect(back.url.hash).toBe("#sign-in-failed=refused")
  })

  test("accepts an invitation, whose roles are beside those of groups, and no second time", async () => {
    const { client, provider, real } = await makeTeam()
    real.people.set("bob", { name: "Robert", groups: [] })
    const invited = await client.post("/api/admin/people", {
      json: { name: "Bob", roles: [{ role: "viewer", chatbot_id: null }] },
    })
    const invitation = new URL(Object(invited.body).invitation.link).hash.replace("#invitation=", "")
    const bob = visitorOf(server)
    expect((await bob.signIn(provider, "bob", { invitation })).hash).toBe("")
    expect(await sessionOf(bob)).toMatchObject({
      person: { id: Object(invited.body).person.id, name: "Bob" },
      roles: [{ role: "viewer", chatbot_id: null }],
    })
    expect((await visitorOf(server).signIn(provider, "ann", { invitation })).hash).toBe("#sign-in-failed=invitation")
    expect(await peopleOf(client)).toHaveLength(1)
    // Without the invitation, too, it is the same person from now on.
    expect((await visitorOf(server).signIn(provider, "bob")).hash).toBe("")
  })

  test("is the only way in for those whom a provider signs in: no passkey outlives their place there", async () => {
    const { client, provider, real } = await makeTeam()
    const { browser, id, passkey } = await newPerson(client, [everywhere("viewer")], "Bob")
    const challenge = async () => Object((await browser.post("/api/console/passkeys/options", {})).body).options
    const byPasskey = async () => {
      const credential = passkey.answer(await challenge(), server.url)
      return (await browser.post("/api/console/passkeys", { credential })).status
    }
    expect(await byPasskey()).toBe(200)
    const invite = async () => read(Invited, await client.post(`/api/admin/people/${id}/invitation`)).invitation
    real.people.set("bob", { name: "Bob", groups: [] })
    const bob = visitorOf(server)
    expect((await bob.signIn(provider, "bob", { invitation: tokenOf(await invite()) })).hash).toBe("")
    expect(await byPasskey()).toBe(401)
    expect((await accept(client, await invite())).reply.status).toBe(401)
  })

  test("is refused to a person who was removed", async () => {
    const { client, provider } = await makeTeam()
    const ann = visitorOf(server)
    await ann.signIn(provider, "ann")
    const [person] = await peopleOf(client)
    expect((await client.delete(`/api/admin/people/${person.id}`)).status).toBe(200)
    await until(() => statusOf(ann), isOver)
    expect((await ann.signIn(provider, "ann")).hash).toBe("#sign-in-failed=removed")
  })

  test("knows people by provider and subject, never by an e-mail address", async () => {
    const { client, provider } = await makeTeam()
    const other = await addReal(client, [{ value: "staff", role: "viewer", chatbot_id: null }])
    other.real.people.set("ann", { name: "Another Ann", email: "ann@example.com", groups: ["staff"] })
    const [one, two] = [visitorOf(server), visitorOf(server)]
    await one.signIn(provider, "ann")
    await two.signIn(other.provider, "ann")
    expect(await sessionOf(one)).toMatchObject({ person: { name: "Ann Example" }, roles: [{ role: "editor" }] })
    expect(await sessionOf(two)).toMatchObject({ person: { name: "Another Ann" }, roles: [{ role: "viewer" }] })
    expect(await peopleOf(client)).toHaveLength(2)
  })

  test("goes on when the provider has replaced its key", async () => {
    const { provider, real } = await makeTeam()
    const ann = visitorOf(server)
    await ann.signIn(provider, "ann")
    real.rotateKey()
    expect((await visitorOf(server).signIn(provider, "ann")).hash).toBe("")
    await age(server, 16)
    await until(() => uncheckedFor(16), 0)
    expect(await statusOf(ann)).toBe(200)
  })

  test("ends at the provider as well when the person signs out", async () => {
    const { provider } = await makeTeam()
    const ann = visitorOf(server)
    await ann.signIn(provider, "ann")
    const { body, status } = await ann.ask("DELETE", "/api/console/session")
    expect(status).toBe(200)
    expect(await statusOf(ann)).toBe(401)
    const form = await ann.browser.open(body.redirect_to)
    const back = await ann.browser.submit(form, { logout: "yes" }, ({ pathname }) => pathname === "/console")
    expect(back.url.href).toBe(`${server.url}/console`)
    // The provider asks who it is again.
    expect((await ann.begin(provider)).text).toContain('name="login"')
  })
})

/** The number of sessions that were not checked for so many minutes. */
const uncheckedFor = async (minutes: number) => {
  const [row] = await server.query(
    Effect.flatMap(
      SystemSql,
      (sql) => sql<{ count: number }>`
        select count(*)::int as count from person_sessions
        where provider_id is not null and checked_at < now() - ${minutes}::float8 * interval '1 minute'`,
    ),
  )
  return row?.count
}

describe("a session that was not checked for the time of the setting", () => {
  test("goes on with the roles that the provider says now", async () => {
    const { provider, real } = await makeTeam()
    const ann = visitorOf(server)
    await ann.signIn(provider, "ann")
    real.people.set("ann", { name: "Ann Example", groups: ["leads"] })
    await age(server, 14)
    expect((await sessionOf(ann)).roles).toEqual([{ role: "editor", chatbot_id: null }])
    // Twice, because the provider gives a new refresh token each time.
    for (const [group, role] of [
      ["leads", "admin"],
      ["staff", "editor"],
    ] as const) {
      real.people.set("ann", { name: "Ann Example", groups: [group] })
      await age(server, 16)
      await until(
        () => sessionOf(ann),
        ({ roles }) => roles[0]?.role === role,
      )
    }
  })

  test("ends when the provider knows the person no more", async () => {
    const { client, provider, real } = await makeTeam()
    const ann = visitorOf(server)
    await ann.signIn(provider, "ann")
    real.people.delete("ann")
    await age(server, 16)
    await until(() => statusOf(ann), isOver)
    expect((await actionsOf(client, "person.session_ended")).length).toBe(1)
  })

  test("ends when no role is left", async () => {
    const { provider, real } = await makeTeam()
    const ann = visitorOf(server)
    await ann.signIn(provider, "ann")
    real.people.set("ann", { name: "Ann Example", groups: [] })
    await age(server, 16)
    await until(() => statusOf(ann), isOver)
  })

  test("is kept while the provider does not answer, but not for more than four times as long", async () => {
    const { provider, real } = await makeTeam()
    const ann = visitorOf(server)
    await ann.signIn(provider, "ann")
    real.breakDown(503)
    await age(server, 59)
    await until(real.requests, (count) => count > 0)
    expect(await statusOf(ann)).toBe(200)
    await age(server, 61)
    await until(() => statusOf(ann), isOver)
  })
})
