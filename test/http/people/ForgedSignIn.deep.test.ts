import { afterEach, describe, expect, test } from "bun:test"
import { Duration, Effect } from "effect"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import { until } from "../../lib/Client.ts"
import { fakeClient, FakeProvider, fakeProvider } from "../../lib/oidc/FakeProvider.ts"
import { type AddedProvider, addProvider, age, startSignInServer, visitorOf } from "../../lib/oidc/SignInSuite.ts"
import { sharedRun } from "../../lib/Scoped.ts"

/*
 * A provider that speaks the protocol gives answers that no real one gives, or few, and somebody else answers in its place.
 */

const run = sharedRun()
const server = await startSignInServer()
const client = await server.client.newOrganization()
/** It waits no longer for a provider than a test can. */
const impatient = await startSignInServer(Duration.seconds(1))
const itsClient = await impatient.client.newOrganization()
const mappings = [{ value: "staff", role: "editor", chatbot_id: null }]

const addFake = async () => {
  const fake = await run(fakeProvider)
  return { fake, provider: await addProvider(client, fake.issuer, fakeClient, mappings) }
}

const good = await addFake()
const { fake, provider } = good

afterEach(() => fake.reset())

/** Begins a sign-in. Returns what the browser brings to the provider, and the function with which it comes back. */
const begin = async (
  { fake, provider }: { readonly fake: FakeProvider; readonly provider: AddedProvider } = good,
  query: Record<string, string> = {},
  at = server,
) => {
  const visitor = visitorOf(at)
  const begun = await visitor.browser.fetch(
    `${at.url}/api/console/providers/${provider.id}/sign-in?${new URLSearchParams(query)}`,
  )
  const location = new URL(begun.headers.get("location") ?? "", at.url)
  const state = location.searchParams.get("state") ?? ""
  fake.nonce = location.searchParams.get("nonce") ?? ""
  fake.userInfo = { name: "Ann", groups: ["staff"], ...fake.userInfo }
  const comeBack = async (answer: Record<string, string> = {}, as = visitor, to = provider) => {
    const back = await as.browser.fetch(`${to.redirect_uri}?${new URLSearchParams({ code: "code", state, ...answer })}`)
    expect(back.status).toBe(303)
    return new URL(back.headers.get("location") ?? "")
  }
  return { visitor, location, comeBack, cookies: begun.headers.getSetCookie() }
}

/** The code with which a sign-in fails; empty where somebody is signed in. */
const codeOf = ({ hash }: URL) => hash.replace("#sign-in-failed=", "")

const now = () => Math.floor(Date.now() / 1_000)
const otherKeys = () => {
  const { published } = fake
  fake.reset()
  fake.published = published
}

/** Answers a user info as a token, which the provider signs, or somebody else. */
const infoSignedBy = (signer: Partial<FakeProvider>, claims: Record<string, unknown> = {}) =>
  void fake.answers.set("/me", () => {
    const { keys, subject: sub } = fake
    const token = Object.assign(new FakeProvider(), { keys, ...signer }).signed({ sub, groups: ["staff"], ...claims })
    return new Response(token, { headers: { "content-type": "application/jwt" } })
  })

/** What is wrong with an id token or with what belongs to it. */
const forgeries: Readonly<Record<string, () => void>> = {
  "is signed by another key than the provider's": otherKeys,
  "has no signature": () => void (fake.algorithm = "none"),
  "is signed with the provider's public key as if that were a secret": () => void (fake.algorithm = "HS256"),
  "has expired": () => void (fake.claims = { iat: now() - 7_200, exp: now() - 3_600 }),
  "is not valid yet": () => void (fake.claims = { nbf: now() + 3_600 }),
  "is for another client": () => void (fake.claims = { aud: "somebody-else" }),
  "is for several clients, and was given to another one": () =>
    void (fake.claims = { aud: ["parley", "somebody-else"], azp: "somebody-else" }),
  "is of another issuer": () => void (fake.claims = { iss: "https://login.example.com" }),
  "has the nonce of another sign-in": () => void (fake.claims = { nonce: "another" }),
  "has no nonce": () => void (fake.claims = { nonce: undefined }),
  "has no subject": () => void (fake.claims = { sub: undefined }),
  "has a subject that is no text": () => void (fake.claims = { sub: { of: "everybody" } }),
  "has a subject that is too long": () => {
    fake.subject = "s".repeat(300)
  },
  "is about somebody else than the user info": () => void (fake.userInfo = { sub: "somebody else" }),
  "is signed by another secret than the client's": () =>
    void Object.assign(fake, { algorithm: "HS256", secret: "somebody else's secret of 32 bytes" }),
  "has a user info that another key has signed": () => infoSignedBy({ keys: new FakeProvider().keys }),
  "has a user info that names no signature": () => infoSignedBy({ algorithm: "none" }),
  "has a signed user info about somebody else": () => infoSignedBy({}, { sub: "somebody else" }),
  "has a signed user info of another issuer": () => infoSignedBy({}, { iss: "https://login.example.com" }),
  "has a signed user info for another client": () => infoSignedBy({}, { aud: "somebody-else" }),
  "is missing": () =>
    void fake.answers.set("/token", () => Response.json({ access_token: "access", token_type: "Bearer" })),
}

describe("a sign-in whose id token", () => {
  test("is right signs in", async () => {
    const { comeBack, visitor } = await begin()
    expect(codeOf(await comeBack())).toBe("")
    expect((await visitor.ask("GET", "/api/console/session")).body.session.person.name).toBe("Ann")
  })

  for (const [what, forge] of Object.entries(forgeries)) {
    test(`${what} is refused`, async () => {
      fake.subject = "forged"
      forge()
      const { comeBack, visitor } = await begin()
      expect(codeOf(await comeBack())).toBe("invalid")
      expect((await visitor.ask("GET", "/api/console/session")).status).toBe(401)
      fake.subject = "somebody"
    })
  }
})

/** Signs somebody in whom the provider has not named before. Returns the code of a failure, or the roles. */
const signIn = async (subject: string, added = good) => {
  added.fake.subject = subject
  const { comeBack, visitor } = await begin(added)
  const code = codeOf(await comeBack())
  added.fake.subject = "somebody"
  const { body, status } = await visitor.ask("GET", "/api/console/session")
  expect(status).toBe(code === "" ? 200 : 401)
  return code === "" ? body.session.roles.map(({ role }: { readonly role: string }) => role) : code
}

const byHs256 = { algorithm: "HS256", secret: fakeClient.client_secret } as const
const refused = (status: number) => () => Response.json({ error: "access_denied" }, { status })

describe("an id token by HS256", () => {
  test("is signed by the client's secret, also when the provider is asked again", async () => {
    Object.assign(fake, byHs256)
    const { comeBack, visitor } = await begin()
    expect(codeOf(await comeBack())).toBe("")
    expect(fake.asked.filter((path) => path === "/token")).toHaveLength(1)
    expect(fake.asked).not.toContain("/keys")
    fake.claims = { groups: [] }
    await age(server, 16)
    await until(() => visitor.ask("GET", "/api/console/session"), { status: 401 })
  })

  test.each([
    ["expired", { iat: now() - 7_200, exp: now() - 3_600 }],
    ["for another client", { aud: "somebody-else" }],
    ["of another sign-in", { nonce: "another" }],
    ["of another issuer", { iss: "https://login.example.com" }],
  ])("is refused when it is %s", async (_, claims) => {
    Object.assign(fake, { ...byHs256, claims })
    expect(await signIn("by secret")).toBe("invalid")
  })

  test.each([[["RS256"]], [undefined]])("is refused where the provider lists %p, with the reason", async (listed) => {
    Object.assign(fake, { ...byHs256, metadata: { id_token_signing_alg_values_supported: listed } })
    expect(await signIn("not listed")).toBe("algorithm")
  })

  test("is refused where the secret is short, with the reason", async () => {
    const fake = await run(fakeProvider)
    const secret = "thirty-one bytes are not enough"
    const provider = await addProvider(client, fake.issuer, { ...fakeClient, client_secret: secret }, mappings)
    Object.assign(fake, { algorithm: "HS256", secret })
    expect(await signIn("short", { fake, provider })).toBe("short_secret")
    fake.secret = undefined
    expect(await signIn("short", { fake, provider })).toBe("invalid")
  })
})

describe("a user info", () => {
  test.each([[["RS256"]], [undefined]])("is signed by the provider's keys, where it lists %p", async (listed) => {
    fake.metadata = { userinfo_signing_alg_values_supported: listed }
    infoSignedBy({}, { iss: fake.issuer, aud: "parley" })
    expect(await signIn("signed")).toEqual(["editor"])
  })

  test("is not signed by the client's secret, nor by the public key, which is said", async () => {
    for (const secret of [fakeClient.client_secret, undefined]) {
      infoSignedBy({ algorithm: "HS256", secret })
      expect(await signIn("by secret")).toBe("algorithm")
    }
  })

  test.each([401, 403, 404])("is not needed where it is refused by %d and the id token says all", async (status) => {
    fake.answers.set("/me", refused(status))
    fake.claims = { name: "Ann", groups: ["staff"] }
    expect(await signIn(`refused by ${status}`)).toEqual(["editor"])
    fake.claims = { name: "Ann" }
    expect(await signIn(`refused by ${status}`)).toBe("user_info")
  })

  test("is not needed where the provider has none", async () => {
    fake.metadata = { userinfo_endpoint: undefined }
    fake.claims = { name: "Ann", groups: ["staff"] }
    expect(await signIn("without user info")).toEqual(["editor"])
    expect(fake.asked).not.toContain("/me")
  })
})

test("a sign-in bears clocks that are a minute apart", async () => {
  fake.claims = { nbf: now() + 58 }
  expect(await signIn("ahead")).toEqual(["editor"])
  fake.claims = { nbf: now() + 300 }
  expect(await signIn("far ahead")).toBe("invalid")
})

test("a subject that is a number is refused with the reason, in the id token and in the user info", async () => {
  fake.claims = { sub: 7 }
  expect(await signIn("7")).toBe("subject")
  fake.claims = {}
  fake.userInfo = { sub: 7 }
  expect(await signIn("7")).toBe("subject")
})

describe("the answer to a sign-in", () => {
  test("counts once", async () => {
    const { comeBack, visitor } = await begin()
    const cookie = visitor.browser.cookies.get(new URL(server.url).host)?.get("parley_sign_in") ?? ""
    expect(codeOf(await comeBack())).toBe("")
    const again = visitorOf(server)
    again.browser.cookies.set(new URL(server.url).host, new Map([["parley_sign_in", cookie]]))
    expect(codeOf(await comeBack({}, again))).toBe("expired")
  })

  test("counts in the browser alone in which the sign-in was begun", async () => {
    const attacker = await begin()
    expect(codeOf(await attacker.comeBack({}, visitorOf(server)))).toBe("expired")
    const victim = await begin()
    expect(codeOf(await attacker.comeBack({}, victim.visitor))).toBe("invalid")
  })

  test("comes within ten minutes", async () => {
    const { comeBack } = await begin()
    await server.query(
      Effect.flatMap(SystemSql, (sql) => sql`update sign_in_attempts set expires_at = now() - interval '1 second'`),
    )
    expect(codeOf(await comeBack())).toBe("expired")
  })

  test("repeats the state of the sign-in", async () => {
    const one = await begin()
    expect(codeOf(await one.comeBack({ state: "another" }))).toBe("invalid")
    const two = await begin()
    expect(codeOf(await two.comeBack({ state: "", error: "access_denied" }))).toBe("invalid")
  })

  test("comes from the provider where it was begun, as its issuer and its own address say", async () => {
    const one = await begin()
    expect(codeOf(await one.comeBack({ iss: "https://login.example.com" }))).toBe("invalid")
    const evil = await addFake()
    const mixed = await begin(evil)
    expect(codeOf(await mixed.comeBack({}, mixed.visitor, provider))).toBe("invalid")
    expect(fake.asked).not.toContain("/token")
    const told = await begin()
    expect(codeOf(await told.comeBack({ iss: fake.issuer }))).toBe("")
  })

  test("has the issuer where the provider has promised it", async () => {
    fake.metadata = { authorization_response_iss_parameter_supported: true }
    const { comeBack } = await begin()
    expect(codeOf(await comeBack())).toBe("invalid")
  })

  test("is exchanged with the verifier of the browser that has begun", async () => {
    const { comeBack, location } = await begin()
    await comeBack()
    const verifier = new URLSearchParams(fake.bodies[fake.asked.indexOf("/token")]).get("code_verifier") ?? ""
    const challenge = new Bun.CryptoHasher("sha256").update(verifier).digest("base64url")
    expect(location.searchParams.get("code_challenge")).toBe(challenge)
    expect(location.searchParams.get("code_challenge_method")).toBe("S256")
  })
})

describe("the page after a sign-in", () => {
  for (const return_to of [
    "https://evil.example/console",
    "//evil.example/console",
    "/\\evil.example",
    "/console.evil.example",
    "/console@evil.example",
    "/consoles",
    "/console/../api/external/chatbots",
    "/console/inbox/%2E%2e/.%2E/avatars/a.svg",
    "/console/..%2favatars/a.svg",
    "/console/..//evil.example",
    "/api/external/chatbots",
    "/console/\r\nset-cookie: a=b",
    "javascript:alert(1)",
  ]) {
    test(`is none but the console's: ${JSON.stringify(return_to)}`, async () => {
      const { comeBack } = await begin(good, { return_to })
      expect((await comeBack()).href).toBe(`${server.url}/console`)
    })
  }
})

describe("the cookie of a sign-in", () => {
  test("is not for programs of pages, and not for requests of other sites", async () => {
    const { cookies } = await begin()
    expect(cookies).toEqual([
      expect.stringMatching(/^parley_sign_in=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600$/),
    ])
  })
})

/** Answers of a provider that has a bad day, by the code with which a sign-in ends then. */
const badDays: ReadonlyArray<readonly [what: string, answer: () => Response | Promise<Response>, code: string]> = [
  ["answers 503", () => new Response("down", { status: 503 }), "unreachable"],
  ["answers more than fits into memory", () => Response.json({ padding: "x".repeat(3_000_000) }), "invalid"],
  ["answers what is no JSON", () => new Response("<html>", { headers: { "content-type": "text/html" } }), "invalid"],
  ["answers a list", () => Response.json([]), "invalid"],
  ["redirects elsewhere", () => Response.redirect(`${fake.issuer}/elsewhere`, 307), "invalid"],
]

/** Answers that have no end. */
const silences: ReadonlyArray<readonly [what: string, answer: () => Response | Promise<Response>]> = [
  ["never answers", () => new Promise<Response>(() => {})],
  [
    "answers for ever",
    () => new Response(new ReadableStream({ pull: (to) => Bun.sleep(50).then(() => to.enqueue(" ")) })),
  ],
]

describe("a provider that", () => {
  test.each(silences)("%s signs nobody in, wherever in the sign-in it does", async (_, answer) => {
    const add = async () => {
      const fake = await run(fakeProvider)
      return { fake, provider: await addProvider(itsClient, fake.issuer, fakeClient, mappings) }
    }
    const codeAt = async (path: string) => {
      const added = await add()
      // On a busy machine, the description of the provider may come too late as well.
      const { comeBack } = await until(
        () => begin(added, {}, impatient),
        ({ location }) => location.origin === added.fake.issuer,
      )
      added.fake.answers.set(path, answer)
      return codeOf(await comeBack())
    }
    const codes = await Promise.all(["/token", "/keys", "/me"].map(codeAt))
    expect(codes).toEqual(["unreachable", "unreachable", "unreachable"])

    const nowhere = await add()
    nowhere.fake.answers.set("/.well-known/openid-configuration", answer)
    expect(codeOf((await begin(nowhere, {}, impatient)).location)).toBe("unreachable")
  })

  for (const [what, answer, code] of badDays) {
    for (const path of ["/token", "/keys", "/me"]) {
      test(`${what} at ${path} signs nobody in`, async () => {
        const { comeBack } = await begin()
        fake.answers.set(path, answer)
        expect(codeOf(await comeBack())).toBe(code)
        expect(fake.asked).not.toContain("/elsewhere")
      })
    }

    test(`${what} when a sign-in begins is nowhere to go to`, async () => {
      fake.answers.set("/.well-known/openid-configuration", answer)
      const { location } = await begin()
      expect(codeOf(location)).toBe(code)
      expect(fake.asked).not.toContain("/elsewhere")
    })
  }

  test("says that it is another one is nowhere to go to", async () => {
    fake.metadata = { issuer: "https://login.example.com" }
    expect(codeOf((await begin()).location)).toBe("invalid")
  })

  test("is not there is nowhere to go to", async () => {
    const gone = await addProvider(client, "http://127.0.0.1:9", fakeClient, mappings)
    expect(codeOf((await begin({ fake, provider: gone })).location)).toBe("unreachable")
  })

  test("signs out at what is no web page only signs out here", async () => {
    fake.metadata = { end_session_endpoint: "javascript:alert(1)" }
    const { comeBack, visitor } = await begin()
    expect(codeOf(await comeBack())).toBe("")
    const { body, status } = await visitor.ask("DELETE", "/api/console/session")
    expect([status, Object.keys(body)]).toEqual([200, ["message"]])
  })

  test("names people and groups in odd ways breaks nothing", async () => {
    fake.userInfo = { name: "\u0000", picture: "javascript:alert(1)", email: 7, groups: ["staff", 7, null, { a: "b" }] }
    fake.subject = "odd"
    const { comeBack, visitor } = await begin()
    expect(codeOf(await comeBack())).toBe("")
    const { person, roles } = (await visitor.ask("GET", "/api/console/session")).body.session
    expect({ person, roles }).toMatchObject({
      person: { name: "odd", email: null, avatar: null },
      roles: [{ role: "editor" }],
    })
  })

  test("gives no refresh token has its sessions end where others are checked", async () => {
    fake.answers.set("/token", () =>
      Response.json({ access_token: "access", token_type: "Bearer", id_token: fake.idToken() }),
    )
    const { comeBack, visitor } = await begin()
    expect(codeOf(await comeBack())).toBe("")
    expect((await visitor.ask("GET", "/api/console/session")).status).toBe(200)
    await age(server, 16)
    await until(() => visitor.ask("GET", "/api/console/session"), { status: 401 })
  })

  test("answers a check about somebody else changes nobody's roles", async () => {
    const { comeBack, visitor } = await begin()
    await comeBack()
    fake.asked.length = 0
    fake.claims = { sub: "somebody else" }
    fake.userInfo = { groups: [] }
    // Sessions are checked one time after the other: when the second check begins, the first one has ended.
    for (const checks of [1, 2]) {
      await age(server, 16)
      await until(
        () => fake.asked.filter((path) => path === "/token").length,
        (count) => count >= checks,
      )
    }
    const { body } = await visitor.ask("GET", "/api/console/session")
    expect(body.session.roles).toEqual([{ role: "editor", chatbot_id: null }])
  })
})
