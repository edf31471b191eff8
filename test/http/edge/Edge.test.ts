import { describe, expect, test } from "bun:test"
import { routes } from "../../../src/http/edge/Routes.ts"
import { allScopes, type Scope } from "../../../src/domain/keys/ApiKey.ts"
import { problem, type Reply, wrongPaths } from "../../lib/Client.ts"
import { rawRequest } from "../../lib/RawRequest.ts"
import { readApiDocument } from "../../lib/safety/ApiDocument.ts"
import { operatorKey } from "../../lib/ServerProcess.ts"
import { sharedServer } from "../../lib/TestServer.ts"

const { operator: client, url } = await sharedServer()

const chatbots = "/api/external/chatbots"
const nowhere = "01a9b7c2-1f2e-7c3d-8a4b-5c6d7e8f9a0b"
const made = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/
const json = { "content-type": "application/json" }

describe("the request id", () => {
  test.each(["a", "x".repeat(128), "Az09._-", "01a9b7c2-1f2e-7c3d-8a4b-5c6d7e8f9a0b"])(
    "is kept when the client sends a well-formed one: %s",
    async (id) => {
      for (const path of [chatbots, "/healthz", "/nowhere"]) {
        const reply = await client.get(path, { headers: { "x-request-id": id } })
        expect(reply.headers.get("x-request-id")).toBe(id)
      }
    },
  )

  test.each(["x".repeat(129), "a b", "a/b", "ü", '"a"'])("is replaced when it is ill-formed: %s", async (id) => {
    const reply = await client.get(chatbots, { headers: { "x-request-id": id } })
    expect(reply.headers.get("x-request-id")).toMatch(made)
  })

  test("is a new one for every request without one", async () => {
    const ids = await Promise.all(
      [chatbots, chatbots, "/nowhere", "/healthz"].map(async (path) =>
        (await client.get(path)).headers.get("x-request-id"),
      ),
    )
    expect(new Set(ids).size).toBe(4)
    for (const id of ids) expect(id).toMatch(made)
  })
})

describe("the version", () => {
  test("is in a header of every response", async () => {
    const replies = await Promise.all([
      client.get(chatbots),
      client.get("/healthz"),
      client.get("/nowhere"),
      client.send("OPTIONS", chatbots),
      client.post(chatbots, { headers: { "content-length": "0" } }),
      client.withKey(undefined).get(chatbots),
    ])
    expect(replies.map(({ headers }) => headers.get("x-api-version"))).toEqual(replies.map(() => "1.0.0"))
  })

  test.each(["accept-version", "x-api-version"])("may be requested with the header %s", async (header) => {
    for (const version of ["1", "1.0", "1.0.0"]) {
      expect((await client.get(chatbots, { headers: { [header]: version } })).status).toBe(200)
    }
    for (const version of ["2", "1.0.1", "1.1", "0", "latest", "v1"]) {
      const { errors } = problem(
        await client.get(chatbots, { headers: { [header]: version } }),
        400,
        "unsupported_version",
      )
      expect(errors).toEqual([{ path: `header.${header}`, message: "Expected 1 or 1.0 or 1.0.0" }])
    }
  })

  test("is refused when one of the two headers requests another", async () => {
    const ask = (accept: string, api: string) =>
      client.get(chatbots, { headers: { "accept-version": accept, "x-api-version": api } })
    expect((await ask("1", "1.0.0")).status).toBe(200)
    for (const [accept, api, wrong] of [
      ["1", "2", ["header.x-api-version"]],
      ["2", "1", ["header.accept-version"]],
      ["3", "2", ["header.accept-version", "header.x-api-version"]],
    ] as const) {
      const { errors } = problem(await ask(accept, api), 400, "unsupported_version")
      expect(errors?.map(({ path }) => path)).toEqual([...wrong])
    }
  })
})

describe("CORS", () => {
  const cors = (reply: Reply) => ({
    credentials: reply.headers.get("access-control-allow-credentials"),
    origin: reply.headers.get("access-control-allow-origin"),
    methods: reply.headers.get("access-control-allow-methods"),
  })
  const shown = { credentials: "true", origin: "*", methods: "GET,OPTIONS,PATCH,DELETE,POST,PUT" }
  const elsewhere = { ...shown, credentials: null }

  test("is allowed on every response of the API, without repeating the client's origin", async () => {
    const sent = { headers: { origin: "https://evil.example" } }
    for (const reply of [
      await client.get(chatbots, sent),
      await client.get(`/api/external/chatbot/${nowhere}/conversations/s/messages`, sent),
      await client.withKey(undefined).get(chatbots, sent),
      await client.get("/api/external/nowhere", sent),
    ]) {
      expect(cors(reply)).toEqual(shown)
    }
    for (const reply of [
      await client.post("/api/embedfiles", sent),
      await client.get("/api/widget/config/pub_x", sent),
      await client.get("/api/admin/api-keys", sent),
      await client.get("/v1/models", sent),
    ]) {
      expect(cors(reply)).toEqual(elsewhere)
    }
  })

  test.each([
    chatbots,
    `/api/external/chatbot/${nowhere}`,
    `/api/external/chatbot/${nowhere}/chat`,
    "/api/embedfiles",
    "/api/external/nowhere",
  ])("answers a preflight without a key: %s", async (path) => {
    const reply = await client.withKey(undefined).send("OPTIONS", path, {
      headers: { origin: "https://shop.example", "access-control-request-method": "POST" },
    })
    expect(reply.status).toBe(204)
    expect(reply.text).toBe("")
    expect(cors(reply)).toEqual(path === "/api/embedfiles" ? elsewhere : shown)
    const allowed = (reply.headers.get("access-control-allow-headers") ?? "").split(/,\s*/)
    const asked =
      "X-CSRF-Token X-Requested-With Accept Accept-Version Content-Length Content-MD5 Content-Type Date X-Api-Version"
    const added = "x-api-key Authorization Idempotency-Key If-Match Prefer x-request-id"
    expect(allowed).toEqual(expect.arrayContaining(`${asked} ${added}`.split(" ")))
  })
})

test("no response is taken for something else than it says to be", async () => {
  const chatbot = await client.newChatbot()
  for (const [path, method = "GET"] of [
    [chatbots],
    ["/nowhere"],
    ["/openapi.json"],
    ["/healthz"],
    ["/v1/models"],
    [`/v1/models/${nowhere}`],
    [`/mcp/${chatbot.id}`, "POST"],
    [chatbots, "DELETE"],
    [chatbots, "OPTIONS"],
    [chatbots, "HEAD"],
    [`/chat/${nowhere}`],
  ] as const) {
    const { headers } = await client.send(method, path)
    expect([path, headers.get("x-content-type-options")]).toEqual([path, "nosniff"])
  }
})

describe("an unknown path", () => {
  const paths = ["/nowhere", "/api", "/api/external", "/api/external/chatbot", "/avatars", `${chatbots}/extra`]
  const misspelled = [chatbots.toUpperCase(), `${chatbots}/`, "/api/external//chatbots"]
  test.each([...paths, ...misspelled])("is answered with 404: %s", async (path) => {
    problem(await client.get(path), 404, "not_found")
    problem(await client.withKey(undefined).post(path, { json: {} }), 404, "not_found")
  })

  const methods: ReadonlyArray<readonly [string, string, ReadonlyArray<string>]> = [
    ["DELETE", chatbots, ["GET", "HEAD", "PATCH", "POST"]],
    ["PUT", `/api/external/chatbot/${nowhere}`, ["DELETE", "GET", "HEAD"]],
    ["GET", `/api/external/chatbot/${nowhere}/chat`, ["POST"]],
    ["GET", "/api/embedfiles", ["POST"]],
    ["POST", `/api/external/chatbot/${nowhere}/knowledge-base`, ["DELETE", "GET", "HEAD", "PATCH"]],
    ["PATCH", `/api/external/chatbot/${nowhere}/conversations/s/messages`, ["GET", "HEAD", "POST"]],
    ["POST", "/healthz", ["GET", "HEAD"]],
  ]
  test.each(methods)("is answered with 405 when it has other methods: %s %s", async (method, path, allow) => {
    const reply = await client.send(method, path)
    problem(reply, 405, "method_not_allowed")
    expect((reply.headers.get("allow") ?? "").split(", ").toSorted()).toEqual([...allow])
  })

  test("is answered without a body for HEAD", async () => {
    const { headers, status, text } = await client.send("HEAD", chatbots)
    expect({ status, text, type: headers.get("content-type") }).toEqual({
      status: 200,
      text: "",
      type: "application/json",
    })
  })
})

describe("a response that is larger than the server's write buffer", () => {
  test("arrives complete and unchanged, and its connection can be used again", async () => {
    const prompt = "Grüße, 世界! ".repeat(2_500)
    const { id } = await client.newChatbot({ settings: { prompt } })
    for (let request = 0; request < 3; request++) {
      const reply = await client.get(`/api/external/chatbot/${id}`)
      expect(reply.headers.get("content-type")).toBe("application/json")
      expect(reply.headers.get("etag")).toBe('"1"')
      expect(reply.body).toMatchObject({ chatbot: { settings: { prompt } } })
      const head = await client.send("HEAD", `/api/external/chatbot/${id}`)
      expect(Number(head.headers.get("content-length"))).toBe(Buffer.byteLength(reply.text))
    }
  })
})

describe("a JSON body", () => {
  const create = (body: Bun.BodyInit, headers: Readonly<Record<string, string>> = json) =>
    client.post(chatbots, { body, headers })
  const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`

  test.each(["", "{", '{"name":}', '{"name":"a"} x', "'a'", "\u0000", "undefined", '{"name":"\t"}'])(
    "must be JSON: %j",
    async (body) => {
      expect(wrongPaths(await create(body))).toEqual(["body"])
    },
  )

  test("must be UTF-8, and is never converted silently", async () => {
    const latin1 = Buffer.from('{"name":"Caf\u00e9"}', "latin1")
    expect(wrongPaths(await create(latin1))).toEqual(["body"])
  })

  test.each(["null", "7", '"text"', "[]", '[{"name":"a"}]'])("must be an object: %s", async (body) => {
    expect(wrongPaths(await create(body))).toEqual(["body"])
  })

  test("may nest 32 levels and no more", async () => {
    const chat = async (extra: string) => {
      const { id } = await client.newChatbot()
      const body = `{"messages":[{"role":"user","content":"Hello"}],"extra":${extra}}`
      return client.post(`/api/external/chatbot/${id}/chat`, { body, headers: json })
    }
    expect((await chat(nested(31))).status).toBe(200)
    expect((await chat(`"${nested(100)}\\"${nested(100)}"`)).status).toBe(200)
    for (const depth of [32, 100_000]) expect(wrongPaths(await chat(nested(depth)))).toEqual(["body"])
  })

  test.each(["text/plain", "application/x-www-form-urlencoded", "application/xml", "image/png"])(
    "must not be of type %s",
    async (type) => {
      problem(await create('{"name":"a"}', { "content-type": type }), 415, "unsupported_media_type")
    },
  )

  test.each(["application/json; charset=utf-8", "Application/JSON", "application/json;charset=UTF-8"])(
    "may be of type %s",
    async (type) => {
      expect((await create('{"name":"a"}', { "content-type": type })).status).toBe(200)
    },
  )

  const megabyte = 1024 * 1024
  const ofSize = (bytes: number) => `{"name":"a","description":"${"x".repeat(bytes - 29)}"}`
  const inPieces = (text: string) =>
    new ReadableStream<Uint8Array>({
      start: (controller) => {
        const bytes = Buffer.from(text)
        for (let at = 0; at < bytes.length; at += 65_536) controller.enqueue(bytes.subarray(at, at + 65_536))
        controller.close()
      },
    })

  test("has at most a megabyte, with or without a Content-Length", async () => {
    expect(ofSize(megabyte)).toHaveLength(megabyte)
    for (const whole of [(text: string) => text, inPieces]) {
      // The body is refused because the description is too long, and not because of its own size.
      expect(wrongPaths(await create(whole(ofSize(megabyte))))).toEqual(["description"])
      problem(await create(whole(ofSize(megabyte + 1))), 413, "too_large")
    }
  })

  test("is required", async () => {
    const { detail } = problem(await create(""), 400, "invalid_request")
    expect(detail).toBe("body: Expected a JSON body; there is none")
  })
})

const withKey = { "x-api-key": operatorKey }
const megabytes = 1024 * 1024

/** Sends the head of a request without its body, and returns the response. */
const refusedEarly = async (line: string, headers: Readonly<Record<string, string>>): Promise<string> => {
  const { answer, socket } = rawRequest(url, line, headers)
  const answered = await answer
  socket.destroy()
  return answered
}

describe("a request is refused before its body is received", () => {
  const multipart = { "content-type": "multipart/form-data; boundary=x" }
  const lengths = [{ "content-length": String(240 * megabytes) }, { "transfer-encoding": "chunked" }]
  const bot = `/api/external/chatbot/${nowhere}`
  const ofJson = [`POST ${chatbots}`, `POST ${bot}/chat`, "POST /v1/chat/completions", "POST /api/admin/api-keys"]
  const ofForms = ["POST /api/embedfiles", `PATCH ${bot}/knowledge-base`, `PATCH ${bot}/update-avatar`]
  const ofMcp = ["POST /mcp", `POST /mcp/${nowhere}`]

  test.each([...ofJson, ...ofForms, ...ofMcp])("when it has no valid key: %s", async (line) => {
    const unknown = { "x-api-key": "unknown-key-unknown-key-unknown-key-1" }
    for (const length of lengths) {
      for (const key of [{}, unknown]) {
        for (const type of [multipart, json]) {
          expect(await refusedEarly(line, { ...key, ...type, ...length })).toStartWith("HTTP/1.1 401 ")
        }
      }
    }
  })

  test.each([...ofJson, ...ofMcp])("when it is a form and the endpoint accepts none: %s", async (line) => {
    for (const length of lengths) {
      expect(await refusedEarly(line, { ...withKey, ...multipart, ...length })).toStartWith("HTTP/1.1 415 ")
    }
  })

  test.each(ofForms)("when it is JSON and the endpoint accepts a form: %s", async (line) => {
    for (const length of lengths) {
      expect(await refusedEarly(line, { ...withKey, ...json, ...length })).toStartWith("HTTP/1.1 415 ")
    }
  })

  test.each([...ofJson, ...ofMcp])("when it is JSON with a Content-Length that is too large: %s", async (line) => {
    const answer = await refusedEarly(line, { ...withKey, ...json, "content-length": String(240 * megabytes) })
    expect(answer).toStartWith("HTTP/1.1 413 ")
  })

  test.each(ofForms)("when it is a form with a Content-Length above all that its files may have: %s", async (line) => {
    const answer = await refusedEarly(line, { ...withKey, ...multipart, "content-length": String(300 * megabytes) })
    expect(answer).toStartWith("HTTP/1.1 413 ")
  })
})

/** The scopes of single words, by words of the operations that need them. */
const wholeScopes: ReadonlyArray<readonly [RegExp, Scope]> = [
  [/system|backups|model-servers|(?:DELETE|PATCH|POST) .*organizations/, "operator"],
  [/\/api\/admin\/|\/webhooks|\/identity-secrets/, "admin"],
  [/\/v1\/|\/chat$|\/voice\/turns|\/feedback/, "chat"],
]
/** What is read by the one scope and written by the other, by words of the operations, the first that fits. */
const areas = [
  [/\/(?:conversations|topics|canned-answers|attachments|erasures|inbox|people|replies|usage)|sugges/, "conversations"],
  [/\/(?:knowledge-base|query-knowledge|sources|embedfiles)/, "knowledge"],
  [/\/(?:chatbot|models)/, "chatbots"],
] as const
const scopeOf = (operation: string): string => {
  const isOf = ([words]: readonly [RegExp, string]) => words.test(operation)
  const right = /^GET |query-knowledge/.test(operation) ? "read" : "write"
  return wholeScopes.find(isOf)?.[1] ?? `${areas.find(isOf)?.[1]}:${right}`
}

const declared = async () => readApiDocument((await client.get("/openapi.json")).body).operations

describe("a key", () => {
  const nobody = client.withKey(undefined)

  test.each(
    routes.map(({ method, needsKey, needsVisitor, path }) => [method, path, needsKey || needsVisitor] as const),
  )(
    "is required exactly where the endpoint declares it, or the token of a visitor is: %s %s",
    async (method, path, isRequired) => {
      const { headers, status } = await nobody.send(method, path.replaceAll(/:\w+/g, nowhere))
      expect(status === 401).toBe(isRequired)
      if (isRequired && path.startsWith("/api/external/")) expect(headers.get("www-authenticate")).toBe("Bearer")
    },
  )

  test.each(allScopes)("without the scope %s is refused by all that needs it, before anything else", async (scope) => {
    const lacking = await client.limitedTo(...allScopes.filter((other) => other !== scope))
    for (const { method, name, path } of (await declared()).filter((operation) => operation.scope === scope)) {
      const { status, text } = await lacking.send(method, path.replaceAll(/\{\w+\}/g, nowhere))
      expect([name, status, text]).toEqual([name, 403, expect.stringContaining(scope)])
    }
  })

  test("needs a scope to read for what reads, and one to write for what changes, of the operation's own area", async () => {
    const scoped = (await declared()).flatMap(({ name, scope }) =>
      scope === undefined ? [] : [[name, scope] as const],
    )
    expect(scoped.filter(([name, scope]) => scope !== scopeOf(name))).toEqual([])
  })

  test("may be sent as a bearer token in any case, and not in the query", async () => {
    for (const authorization of [`Bearer ${operatorKey}`, `bearer ${operatorKey}`, `BEARER  ${operatorKey}`]) {
      expect((await nobody.get(chatbots, { headers: { authorization } })).status).toBe(200)
    }
    for (const authorization of [operatorKey, `Basic ${btoa(`:${operatorKey}`)}`, "Bearer", "Bearer "]) {
      problem(await nobody.get(chatbots, { headers: { authorization } }), 401, "unauthorized")
    }
    problem(await nobody.get(`${chatbots}?x-api-key=${operatorKey}`), 401, "unauthorized")
  })

  test("that is malformed, unknown or revoked gets the same response", async () => {
    const { id, client: revoked } = await client.newKey()
    await client.delete(`/api/admin/api-keys/${id}`)
    const good = revoked.key ?? ""
    const keys = [
      good,
      "",
      "short",
      `${operatorKey}x`,
      operatorKey.slice(0, -1),
      operatorKey.toUpperCase(),
      good.slice(0, -1),
      `prl_${"a".repeat(49)}`,
      "x".repeat(10_000),
    ]
    const details = new Set<string>()
    for (const key of keys) {
      details.add(problem(await client.withKey(key).get(chatbots), 401, "unauthorized").detail)
    }
    expect(details.size).toBe(1)
  })

  test("is checked before the body", async () => {
    problem(await nobody.post(chatbots, { body: "{", headers: json }), 401, "unauthorized")
    problem(await (await client.limitedTo("chat")).post(chatbots, { body: "{", headers: json }), 403, "forbidden")
  })

  test("cannot tell resources of another organization from unknown ones", async () => {
    const foreign = await client.newOrganization()
    const { id } = await client.newChatbot()
    const [document] = await client.learn(id, { "a.md": "# Tides\n\nThe tide turns." })
    const { session_id } = await client.chat(id, "tide", { sessionToken: "s" })
    const { id: key } = await client.newKey()
    const at = (chatbot: string, rest = "") => `/api/external/chatbot/${chatbot}${rest}`
    const bodyOf = ({ text, status, headers }: Reply) => [
      status,
      text.replace(headers.get("x-request-id") ?? "missing", ""),
    ]
    for (const [method, theirs, unknown] of [
      ["GET", at(id), at(nowhere)],
      ["DELETE", at(id), at(nowhere)],
      ["GET", at(id, `/conversations/${session_id}/messages`), at(nowhere, `/conversations/${nowhere}/messages`)],
      ["DELETE", at(id, `/conversations/${session_id}`), at(nowhere, `/conversations/${nowhere}`)],
      ["DELETE", at(id, "/knowledge-base?all=true"), at(nowhere, "/knowledge-base?all=true")],
      ["GET", at(id, `/knowledge-base/documents/${document?.id}`), at(nowhere, `/knowledge-base/documents/${nowhere}`)],
      ["DELETE", `/api/admin/api-keys/${key}`, `/api/admin/api-keys/${nowhere}`],
    ] as const) {
      const reply = await foreign.send(method, theirs)
      expect(bodyOf(reply)).toEqual(bodyOf(await foreign.send(method, unknown)))
      problem(reply, 404, "not_found")
    }
    expect(await client.messages(id, "s")).toHaveLength(2)
    expect(await client.documents(id)).toHaveLength(1)
  })

  test("that is bound to a chatbot cannot use another", async () => {
    const [own, other] = [await client.newChatbot(), await client.newChatbot()]
    const bound = (await client.newKey({ chatbot_id: own.id })).client
    const path = (id: string) => `/api/external/chatbot/${id}`
    expect(await bound.chatbot(own.id)).toStrictEqual(own)
    expect((await bound.get(chatbots)).body).toMatchObject({ chatbots: [{ id: own.id }] })
    await bound.learn(own.id, { "a.md": "# Tides\n\nThe tide turns." })
    await bound.chat(own.id, "tide")
    problem(await bound.get(path(other.id)), 403, "forbidden")
    problem(await bound.delete(path(other.id)), 403, "forbidden")
    problem(await bound.say(other.id, "tide"), 403, "forbidden")
    problem(await bound.upload(other.id, { "a.md": "text" }), 403, "forbidden")
    problem(await bound.patch(`${chatbots}?id=${other.id}`, { json: {} }), 403, "forbidden")
    problem(await bound.post(chatbots, { json: { name: "Third" } }), 403, "forbidden")
    problem(await bound.get(path(nowhere)), 403, "forbidden")
  })
})
