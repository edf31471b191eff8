import { describe, expect, test } from "bun:test"
import { Effect } from "effect"
import { HttpEffect, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import * as McpSessions from "../../../src/http/mcp/McpSessions.ts"
import { type Client, type Sent, until } from "../../lib/Client.ts"
import { says } from "../../lib/FakeAnthropic.ts"
import { sharedServer } from "../../lib/TestServer.ts"
import { sharedRun } from "../../lib/Scoped.ts"

const { client, provider } = await sharedServer()

const run = sharedRun()

const accept = "application/json, text/event-stream"

/** A session id like those of another process. */
const elsewhere = (version = "2025-11-25") => `${version}.${crypto.randomUUID()}`

const send = (as: Client, session: string, message: object, headers: Sent["headers"] = {}) =>
  as.post("/mcp", {
    json: { jsonrpc: "2.0", ...message },
    headers: { accept, "mcp-session-id": session, ...headers },
  })

const ping = async (as: Client, session: string, headers?: Sent["headers"]) =>
  (await send(as, session, { id: 1, method: "ping" }, headers)).status

const end = async (as: Client, session: string, headers: Sent["headers"] = {}) =>
  (await as.delete("/mcp", { headers: { "mcp-session-id": session, ...headers } })).status

const cancel = (as: Client, session: string, requestId: number) =>
  send(as, session, { method: "notifications/cancelled", params: { requestId } })

/** Starts chats in a session whose model does not answer. */
const asking = async (session: string, ids: ReadonlyArray<number>) => {
  const { id: chatbot_id } = await client.newChatbot({ settings: { model: "claude-sonnet-5-5" } })
  const params = { name: "chat", arguments: { message: "When?", chatbot_id } }
  const asked = ids.map((id) => send(client, session, { id, method: "tools/call", params }))
  await until(provider.arrived, ids.length)
  return asked
}

describe("a session", () => {
  test.each(["2025-06-18", "2025-11-25"])("of version %s keeps to this version of the protocol", async (version) => {
    const begun = await client.post("/mcp", {
      json: {
        jsonrpc: "2.0",
        id: 1,
        method: "initialize",
        params: { protocolVersion: version, capabilities: {}, clientInfo: { name: "test", version: "1" } },
      },
      headers: { accept },
    })
    expect(begun.body).toMatchObject({ result: { protocolVersion: version, serverInfo: { name: "parley" } } })
    const other = version === "2025-06-18" ? "2025-11-25" : "2025-06-18"
    for (const session of [String(begun.headers.get("mcp-session-id")), elsewhere(version)]) {
      const listed = await send(client, session, { id: 1, method: "tools/list" })
      expect([listed.status, listed.headers.get("mcp-protocol-version")]).toEqual([200, version])
      expect(await ping(client, session, { "mcp-protocol-version": version })).toBe(200)
      expect(await ping(client, session, { "mcp-protocol-version": other })).toBe(400)
      expect(await end(client, session, { "mcp-protocol-version": other })).toBe(400)
      expect(await ping(client, session)).toBe(200)
    }
  })

  test.each([
    ["a word", "x"],
    ["without a version", crypto.randomUUID()],
    ["without more than a version", "2025-11-25"],
    ["with no UUID", `2025-11-25.${"x".repeat(36)}`],
    ["with more behind it", `${elsewhere()}0`],
    ["with more before it", `x${elsewhere()}`],
    ["of no version", elsewhere("2025-11-26")],
    ["of a version that is not spoken", elsewhere("2025-03-26")],
    ["of a version without sessions", elsewhere("2026-07-28")],
    ["in upper case", elsewhere().toUpperCase()],
  ] as const)("is not what is named %s", async (_, session) => {
    expect(await ping(client, session)).toBe(404)
    expect(await end(client, session)).toBe(404)
  })

  test("ends for its organization when the client ends it, with all requests that run in it", async () => {
    const stranger = await client.newOrganization()
    const session = elsewhere()
    expect(await ping(stranger, session)).toBe(200)
    await provider.answers({ kind: "hang" })
    const asked = await asking(session, [1])
    expect(await end(client, session)).toBe(204)
    await until(provider.hungUp, 1)
    await Promise.all(asked)
    expect(await ping(client, session)).toBe(404)
    expect(await end(client, session)).toBe(404)
    expect(await ping(stranger, session)).toBe(200)
  })

  test("can cancel its own requests, even when several of them resumed it at once", async () => {
    const session = elsewhere()
    await provider.answers({ kind: "hang" })
    const asked = await asking(session, [1, 2])
    for (const id of [1, 2]) expect((await cancel(client, session, id)).status).toBe(202)
    await until(provider.hungUp, 2)
    await Promise.all(asked)
  })

  test("cannot be used by another organization that knows its id", async () => {
    const stranger = await client.newOrganization()
    const session = elsewhere()
    await provider.answers(says("At last."))
    const goOn = provider.hold()
    const asked = await asking(session, [1, 2])
    expect((await cancel(stranger, session, 1)).status).toBe(202)
    expect(await end(stranger, session)).toBe(204)
    goOn()
    for (const reply of await Promise.all(asked)) expect(reply.text).toContain("At last.")
    expect(await ping(client, session)).toBe(200)
    expect(await ping(stranger, session)).toBe(404)
  })
})

/** A stand-in for the protocol's server that keeps sessions in the same way. */
const keeping = Effect.gen(function* () {
  const router = yield* HttpRouter.make
  const kept = new Set<string>()
  let begun = 0
  const begin = Effect.gen(function* () {
    const id = `${++begun}`
    kept.add(id)
    yield* Effect.yieldNow
    yield* HttpEffect.appendPreResponseHandler((_, response) =>
      Effect.succeed(
        HttpServerResponse.setHeaders(response, { "mcp-session-id": id, "mcp-protocol-version": "2025-11-25" }),
      ),
    )
    return HttpServerResponse.empty()
  })
  yield* router.add("POST", "/mcp", begin)
  yield* router.add("DELETE", "/mcp", ({ headers }) =>
    Effect.sync(() => {
      kept.delete(headers["mcp-session-id"] ?? "")
      return HttpServerResponse.empty()
    }),
  )
  const sessions = yield* Effect.provideService(McpSessions.make(["2025-11-25"]), HttpRouter.HttpRouter, router)
  yield* router.add("POST", "/client", sessions.begin(begin, "/mcp"))
  const join = (id: string, organization = "ours") =>
    sessions
      .join(
        HttpServerRequest.fromWeb(new Request("http://localhost/mcp", { headers: { "mcp-session-id": id } })),
        organization,
        "/mcp",
      )
      .pipe(Effect.map(({ headers }) => headers["mcp-session-id"]))
  return { sessions, router, join, kept, begun: () => begun }
})

describe("the protocol's server", () => {
  test("keeps one session for all requests that use it, and only while they run", async () => {
    const { join, kept, begun } = await run(keeping)
    const session = elsewhere()
    const inTurn = Effect.forEach([1, 2], () => Effect.scoped(join(session)))
    expect(await Effect.runPromise(inTurn)).toEqual(["1", "2"])
    expect(kept.size).toBe(0)
    const atOnce = Effect.forEach([1, 2, 3], () => join(session), { concurrency: "unbounded" })
    const all = Effect.tap(atOnce, () => Effect.sync(() => expect([...kept]).toEqual(["3"])))
    expect(await Effect.runPromise(Effect.scoped(all))).toEqual(["3", "3", "3"])
    expect([kept.size, begun()]).toEqual([0, 3])
  })

  test("keeps separate sessions for organizations that send the same id", async () => {
    const { join } = await run(keeping)
    const session = elsewhere()
    const both = Effect.all([join(session, "ours"), join(session, "theirs")])
    expect(await Effect.runPromise(Effect.scoped(both))).toEqual(["1", "2"])
  })

  test("keeps no session that a client has begun, even when the client disconnects meanwhile", async () => {
    const { router, kept, begun } = await run(keeping)
    const serve = HttpEffect.toWebHandler(router.asHttpEffect())
    const reply = await serve(new Request("http://localhost/client", { method: "POST" }))
    expect(reply.headers.get("mcp-session-id")).toBe("2025-11-25.1")
    const leaving = new AbortController()
    const left = serve(new Request("http://localhost/client", { method: "POST", signal: leaving.signal }))
    leaving.abort()
    await left
    expect([kept.size, begun()]).toEqual([0, 2])
  })
})

test("a limited number of ended sessions is remembered", async () => {
  const { join, sessions } = await run(keeping)
  const ended = Array.from({ length: 10_001 }, () => elsewhere())
  for (const id of ended) sessions.end("ours", id)
  const [forgotten = "", oldest = ""] = ended
  expect(await Effect.runPromise(Effect.scoped(Effect.all([join(forgotten), join(oldest)])))).toEqual(["1", oldest])
})
