import { describe, expect, test } from "bun:test"
import { startServer } from "../lib/TestServer.ts"

const { client } = await startServer()
const nobody = client.withKey(undefined)

describe("without a key", () => {
  test.each([
    ["/healthz", "ok"],
    ["/readyz", "ready"],
  ])("%s answers", async (path, status) => {
    const reply = await nobody.get(path)
    expect(reply.status).toBe(200)
    expect(reply.body).toStrictEqual({ status })
  })

  test("/docs is a page for people", async () => {
    const reply = await nobody.get("/docs")
    expect(reply.status).toBe(200)
    expect(reply.headers.get("content-type")).toMatch(/^text\/html/)
    expect(reply.text).toContain("Parley")
  })
})
