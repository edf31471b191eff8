import { describe, expect, test } from "bun:test"
import { startServer } from "../../lib/TestServer.ts"

const token = "a-token-of-the-metrics"
const { client, url } = await startServer({ METRICS_TOKEN: token })
const read = (key: string | undefined) => client.withKey(key).get("/metrics")

describe("the metrics", () => {
  test.each([
    ["no key", undefined],
    ["a wrong key", "nonsense"],
    ["a part of the token", token.slice(1)],
  ])("are refused to a stranger with %s, in a sentence that says what to send", async (_, key) => {
    const { body, status, text } = await read(key)
    expect(status).toBe(401)
    expect(body).toMatchObject({ code: "unauthorized", detail: expect.stringContaining("METRICS_TOKEN") })
    expect(text).not.toContain("parley_http")
  })

  test("are refused to a key without the scope operator", async () => {
    const { body, status } = await (await client.limitedTo("admin")).get("/metrics")
    expect({ status, body }).toMatchObject({ status: 403, body: { code: "forbidden" } })
  })

  test.each([
    ["the operator's key", undefined],
    ["the token", token],
  ])("are read with %s", async (_, key) => {
    const { headers, status, text } = await (key === undefined ? client.get("/metrics") : read(key))
    expect(status).toBe(200)
    expect(headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8")
    for (const name of ["parley_build_info", "parley_database_up 1", "process_resident_memory_bytes"]) {
      expect(text).toContain(name)
    }
  })

  test("name routes by their patterns, and nothing that a client chose", async () => {
    await client.get("/api/external/chatbot/01a1f95a-aa00-7248-baf8-9c775ba3da2c")
    await client.get("/a-path-of-the-clients-own")
    await client.send("OPTIONS", "/another-path")
    await fetch(`${url}/healthz`, { method: "PROPFIND" })
    const { text } = await read(token)
    expect(text).toContain(
      'parley_http_requests_total{method="GET",route="/api/external/chatbot/:chatbotId",status="404"}',
    )
    expect(text).toContain('parley_http_failures_total{code="not_found"}')
    expect(text).not.toMatch(/01a1f95a|clients-own|another-path|PROPFIND/)
  })
})
