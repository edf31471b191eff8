import { beforeAll, describe, expect, test } from "bun:test"
import { Context, Effect, Schema } from "effect"
import { LookupMillis } from "../../src/services/keys/RecentLookups.ts"
import { EndingLooks } from "../../src/services/voice/VoiceTurns.ts"
import { SystemSql } from "../../src/storage/sql/Database.ts"
import { Client, read, until } from "../lib/Client.ts"
import type { Operation } from "../lib/safety/ApiDocument.ts"
import { callTool, mcpOperations } from "../lib/safety/McpCalls.ts"
import { placesOf } from "../lib/safety/Places.ts"
import { validRequest } from "../lib/safety/ValidRequests.ts"
import { makeWorld } from "../lib/safety/World.ts"
import { startServer } from "../lib/TestServer.ts"
import { publish } from "../lib/Visitors.ts"

/*
 * A database that can only be read: an embedded one whose disk is nearly full, or a Postgres server with
 * `default_transaction_read_only`, or a standby. Whatever needs nothing stored is answered as always.
 */

/** Nothing that was looked up is remembered, and nothing waits for the end of another reply. */
const bounds = Context.make(LookupMillis, 0).pipe(Context.add(EndingLooks, 1))
const world = await makeWorld(await startServer({}, bounds))
const { attacker, document, keys, server } = world
/** Requests that store nothing beside those that read by their method. */
const reading: ReadonlySet<string> = new Set([
  "POST /api/admin/models/test",
  "POST /api/external/chatbot/{chatbotId}/query-knowledge",
  "POST /mcp search_knowledge",
  "POST /mcp/{chatbotId} search_knowledge",
])
const operations = [...document.operations, ...mcpOperations].filter(
  ({ method, name, needsVisitor, path }) =>
    // The stream of events has no end.
    reading.has(name) || (method === "GET" && !needsVisitor && path !== "/api/external/events"),
)

const refuseWrites = () =>
  server.query(
    SystemSql.use((sql) =>
      Effect.gen(function* () {
        if (process.env["DATABASE_URL"] === undefined) {
          return yield* sql`select set_config('default_transaction_read_only', 'on', false)`
        }
        const [row] = yield* sql<{ name: string }>`select current_database() as name`
        yield* sql.unsafe(`alter database ${row?.name} set default_transaction_read_only = on`)
        // Other connections learn of it when they are made anew, and this one, which goes back to the pool, by itself.
        yield* sql`select set_config('default_transaction_read_only', 'on', false), count(pg_terminate_backend(pid))
          from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`
      }),
    ),
  )

const allowWrites = () =>
  server.query(
    SystemSql.use((sql) =>
      process.env["DATABASE_URL"] === undefined
        ? sql`select set_config('default_transaction_read_only', 'off', false)`
        : sql.withTransaction(
            Effect.gen(function* () {
              yield* sql.unsafe("set transaction read write")
              const [row] = yield* sql<{ name: string }>`select current_database() as name`
              yield* sql.unsafe(`alter database ${row?.name} reset default_transaction_read_only`)
            }),
          ),
    ),
  )

/** Sends a valid request about things of the attacker's organization. */
const send = async (operation: Operation) => {
  const named = placesOf(document, operation).flatMap(({ kinds, name }) =>
    kinds === "chosen" ? [] : [{ kinds, name }],
  )
  const values = Object.fromEntries(
    named.flatMap(({ kinds: [kind], name }) => (kind === undefined ? [] : [[name, attacker.own[kind]]])),
  )
  const request = validRequest(document, operation, values)
  const client = operation.scope === undefined || operation.scope === "operator" ? server.client : attacker.client
  const call =
    reading.has(operation.name) && operation.path.startsWith("/mcp") ? callTool("search_knowledge") : undefined
  return call === undefined ? client.send(request.method, request.path, request.sent) : call(client, request)
}

/** Requests that are refused in any case, before anything is stored. */
const refused: ReadonlySet<string> = new Set([
  "POST /api/admin/backups",
  "DELETE /api/console/sessions/{sessionId}",
  "POST /api/external/webhooks/{webhookId}/deliveries/resend",
  "POST /api/external/webhooks/{webhookId}/deliveries/{deliveryId}/resend",
])

const before = new Map<string, number>()
const widget = new Client(server.url, undefined)
const key = await publish(attacker.client, attacker.own.chatbot)

beforeAll(async () => {
  for (const operation of operations) before.set(operation.name, (await send(operation)).status)
  expect(before.size).toBeGreaterThan(30)
  // No key has been used for an hour, so that its next use is to be written.
  await server.query(SystemSql.use((sql) => sql`update api_keys set last_used_at = now() - interval '1 hour'`))
  await refuseWrites()
  // Each connection of the pool has been made anew.
  const look = () => attacker.client.get("/api/external/chatbots")
  await until(
    () => Promise.all(Array.from({ length: 20 }, look)),
    (replies) => replies.every(({ status }) => status === 200),
  )
})

describe("a database that can only be read answers as always", () => {
  test.each(operations.map((operation) => [operation.name, operation] as const))("%s", async (name, operation) => {
    const { status, text } = await send(operation)
    expect({ status, text: status === before.get(name) ? "" : text }).toEqual({
      status: before.get(name) ?? 0,
      text: "",
    })
  })

  test("a key that was never used, or that is revoked", async () => {
    expect((await keys.boundHere.get("/api/external/chatbots")).status).toBe(200)
    expect((await keys.refused.revoked.get("/api/external/chatbots")).status).toBe(401)
  })

  test("who signs in at the console", async () => {
    expect(
      (await server.client.withKey(undefined).post("/api/console/session", { json: { key: server.client.key } }))
        .status,
    ).toBe(200)
  })

  test("a visitor who looks at conversations", async () => {
    const opened = await widget.post("/api/widget/sessions", { json: { key } })
    expect(opened.status).toBe(201)
    const { token } = read(Schema.Struct({ token: Schema.String }), opened)
    const headers = { authorization: `Bearer ${token}` }
    expect((await widget.get("/api/widget/conversations", { headers })).status).toBe(200)
  })
})

describe("what needs something stored is refused with a time after which to try again:", () => {
  const writing = document.operations.filter(
    ({ method, name, needsKey }) => needsKey && method !== "GET" && !reading.has(name) && !refused.has(name),
  )
  test.each(writing.map((operation) => [operation.name, operation] as const))("%s", async (_, operation) => {
    const { headers, status, text } = await send(operation)
    expect({ status, text, after: Number(headers.get("retry-after")) > 0 }).toEqual({ status: 503, text, after: true })
  })
})

test("readiness says that nothing is stored", async () => {
  const reply = await server.client.get("/readyz")
  expect([reply.status, reply.body]).toMatchObject([200, { status: "ready", storage: "read_only" }])
})

test("all connections store again soon after the database can be written, although they began before", async () => {
  await allowWrites()
  const write = () =>
    attacker.client.newChatbot().then(
      () => true,
      () => false,
    )
  await until(
    () => Promise.all(Array.from({ length: 20 }, write)),
    (stored) => stored.every((one) => one),
  )
})
