import { describe, expect, test } from "bun:test"
import { Schema } from "effect"
import { ChatbotTotals } from "../../../src/domain/overview/ChatbotTotals.ts"
import { Finding, SystemState } from "../../../src/domain/system/SystemState.ts"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import { type Client, problem, read } from "../../lib/Client.ts"
import { until } from "../../lib/Until.ts"
import { startServer } from "../../lib/TestServer.ts"

const { client, query } = await startServer()

/** The state, once the database of a busy machine answers in time. */
const stateNow = async () => {
  const reply = await until(
    () => client.get("/api/admin/system"),
    ({ status }) => status !== 503,
  )
  return read(Schema.Struct({ system: SystemState }), reply).system
}

describe("the state of the server", () => {
  test("names its version, database, queues and memory, for the operator alone", async () => {
    const system = await stateNow()
    expect(system.readiness).toEqual({ status: "ready", vectors: "complete" })
    expect(system.database.kind).toBe(process.env["DATABASE_URL"] === undefined ? "embedded" : "postgres")
    expect(system.database.migration).toMatch(/^\d{4}_/)
    expect(system.database.version).toMatch(/^1[5-9]/)
    expect(system.queues.map(({ kind }) => kind)).toEqual(["ingestion", "embedding", "sources"])
    expect(system.queues[0]).toEqual({ kind: "ingestion", waiting: 0, under_way: 0, delayed: 0, oldest_seconds: null })
    expect(system.uptime_seconds).toBeGreaterThan(0)
    expect(system.memory_bytes).toBeGreaterThan(1_000_000)
    expect(system.search_indexes.limit_bytes).toBe(512 * 1024 * 1024)

    const { id } = await client.newChatbot()
    await client.learn(id, { "a.txt": "Some words." })
    await client.search(id, "words")
    const later = await stateNow()
    expect(later.search_indexes.count).toBe(system.search_indexes.count + 1)

    const mine = await client.newOrganization()
    for (const path of ["/api/admin/system", "/api/admin/system/checks"]) {
      problem(await mine.get(path), 403, "forbidden")
      problem(await (await client.limitedTo("admin")).get(path), 403, "forbidden")
      problem(await client.withKey(undefined).get(path), 401, "unauthorized")
    }
  })

  test("is examined anew each time, so that a file that is gone since is named", async () => {
    const { id } = await client.newChatbot()
    const [document] = await client.learn(id, { "gone.txt": "Some words." })
    const before = await client.get("/api/admin/system/checks")
    expect(before.text).not.toContain("gone.txt")
    await query(
      SystemSql.use((sql) => sql`update documents set blob_key = 'documents/gone' where id = ${document?.id ?? ""}`),
    )
    const { checks } = read(
      Schema.Struct({ checks: Schema.Array(Finding) }),
      await client.get("/api/admin/system/checks"),
    )
    expect(checks).toContainEqual({
      state: "wrong",
      part: "files",
      text: expect.stringContaining(`"gone.txt" (${document?.id})`),
    })
    expect(new Set(checks.map(({ part }) => part))).toEqual(
      new Set([...checks.map(({ part }) => part), "database", "embeddings", "ingestion", "files"]),
    )
    expect(checks.find(({ part }) => part === "embeddings")?.state).toBe("ok")
  })
})

describe("the totals of chatbots", () => {
  const totals = async (as: Client) =>
    read(Schema.Struct({ totals: Schema.Array(ChatbotTotals) }), await as.get("/api/external/chatbots/totals")).totals

  test("count documents, sources, failing tests and conversations, as far as the key may read them", async () => {
    const mine = await client.newOrganization()
    const [first, second] = [await mine.newChatbot(), await mine.newChatbot()]
    await mine.learn(first.id, { "a.txt": "Some words." })
    await mine.upload(first.id, { "b.txt": "   " })
    await mine.chat(first.id, "Hello")
    const noTests = { run_id: null, passed: 0, failed: 0 }
    const [ofSecond, ofFirst] = await totals(mine)
    expect(ofSecond).toEqual({
      chatbot_id: second.id,
      documents: { total: 0, under_way: 0, failed: 0 },
      sources: { total: 0, failed: 0 },
      tests: noTests,
      conversations: { last_7_days: 0, latest_activity: null },
    })
    expect(ofFirst).toMatchObject({
      chatbot_id: first.id,
      documents: { total: 2, under_way: 0, failed: 1 },
      conversations: { last_7_days: 1 },
    })
    expect(await totals(await mine.limitedTo("chatbots:read"))).toEqual([
      { chatbot_id: second.id, tests: noTests },
      { chatbot_id: first.id, tests: noTests },
    ])
    const bound = (await mine.newKey({ chatbot_id: first.id, scopes: ["chatbots:read", "knowledge:read"] })).client
    expect(await totals(bound)).toEqual([
      {
        chatbot_id: first.id,
        documents: { total: 2, under_way: 0, failed: 1 },
        sources: { total: 0, failed: 0 },
        tests: noTests,
      },
    ])
    expect(await totals(await client.newOrganization())).toEqual([])
    problem(await (await mine.limitedTo("chat")).get("/api/external/chatbots/totals"), 403, "forbidden")
  })
})
