import { expect, test } from "bun:test"
import { whileStarting } from "../../../src/http/server/Starting.ts"
import { problem, type Reply } from "../../lib/Client.ts"

/** The response of a server that is still starting. */
const ask = async (path: string, headers: Record<string, string> = {}): Promise<Reply> => {
  const response = whileStarting(new Request(`http://127.0.0.1:3000${path}`, { headers }))
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) }
}

test("a starting server is alive, but not ready", async () => {
  const { body, headers, status } = await ask("/healthz")
  expect([status, body, headers.get("x-api-version")]).toEqual([200, { status: "ok" }, "1.0.0"])
  expect(headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/)
  problem(await ask("/readyz"), 503, "unavailable")
})

test("a starting server refuses each path in its dialect, with the request's own id", async () => {
  const refused = await ask("/api/external/chatbots?limit=1", { "x-request-id": "mine" })
  expect(problem(refused, 503, "unavailable").request_id).toBe("mine")
  expect((await ask("/api/external/chatbots", { "x-request-id": "not well formed" })).text).not.toContain("well formed")
  const { body, headers, status } = await ask("/v1/models", { "x-request-id": "mine" })
  expect({ status, body, id: headers.get("x-request-id"), after: headers.get("retry-after") }).toEqual({
    status: 503,
    body: {
      error: {
        message: "The server is starting.",
        type: "server_error",
        param: null,
        code: "unavailable",
        retry_after_seconds: 1,
      },
    },
    id: "mine",
    after: "1",
  })
})
