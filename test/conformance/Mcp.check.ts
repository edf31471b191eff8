import { afterAll, expect, test } from "bun:test"
import { operatorKey } from "../lib/ServerProcess.ts"
import { startServer } from "../lib/TestServer.ts"
import { commandOf, packages, run } from "./Packages.ts"

/*
 * The conformance suite of the Model Context Protocol for servers. Its scenarios send no API key, so a proxy adds one
 * to each request; the proxy's address is the server's `PUBLIC_URL`.
 */

let target = ""
const proxy = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  idleTimeout: 0,
  fetch: async (request) => {
    const headers = new Headers(request.headers)
    headers.set("x-api-key", operatorKey)
    const { pathname } = new URL(request.url)
    const answer = await fetch(target + pathname, {
      method: request.method,
      headers,
      body: request.method === "GET" ? null : await request.text(),
    })
    return new Response(answer.body, answer)
  },
})
afterAll(() => proxy.stop(true))
const address = `http://127.0.0.1:${proxy.port}`
target = (await startServer({ PUBLIC_URL: address })).url

/**
 * The scenarios that need nothing beyond what `/mcp` offers. The others use tools, resources and prompts of the suite's
 * own example server, or, as `server-sse-multiple-streams` does, version 2025-03-26, which Parley does not support.
 */
const scenarios = [
  "server-initialize",
  "ping",
  "logging-set-level",
  "tools-list",
  "resources-list",
  "prompts-list",
  "dns-rebinding-protection",
]

test.each(scenarios)("%s passes", async (scenario) => {
  const asked = ["server", "--url", `${address}/mcp`, "--scenario", scenario]
  const { code, said } = await run(packages, commandOf("conformance"), ...asked)
  expect({ code, said }).toEqual({ code: 0, said: expect.stringMatching(/Passed: ([1-9])\/\1, 0 failed, 0 warnings/) })
})
