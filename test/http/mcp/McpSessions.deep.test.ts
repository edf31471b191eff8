import { expect, setDefaultTimeout, test } from "bun:test"
import { Client } from "../../lib/Client.ts"
import { callTool, connectMcp } from "../../lib/Mcp.ts"
import { sharedRun } from "../../lib/Scoped.ts"
import { operatorKey, serverProcess, type Settings, settingsFor } from "../../lib/ServerProcess.ts"
import { fresh } from "../../lib/TestDatabase.ts"
import { testTimeout } from "../../lib/TestServer.ts"

setDefaultTimeout(2 * testTimeout)

const run = sharedRun()

const launch = async (settings: Settings) => {
  const server = await run(serverProcess(settings))
  return { server, url: await server.listening }
}

test("a session continues on any of several servers, and after a restart", async () => {
  const database = await run(fresh)
  const settings = await run(settingsFor(database))
  const first = await launch(settings)
  // The embedded database serves one process only.
  const second = database.kind === "postgres" ? await launch(settings) : first
  const as = new Client(first.url, operatorKey)
  const { id } = await as.newChatbot()
  await as.learn(id, { "handbook.md": "# Handbook\n\nThe server drains for thirty seconds.\n" })

  let servers = [first.url, second.url]
  const reached: Array<string> = []
  const { mcp, transport } = await connectMcp(
    `http://any.example/mcp/${id}`,
    { "x-api-key": operatorKey },
    (input, init) => {
      const next = servers[reached.length % servers.length] ?? ""
      if (init?.method === "POST") reached.push(next)
      return fetch(new URL(new URL(input).pathname, next), init)
    },
  )
  const session = transport.sessionId
  expect(session).toMatch(/^2025-11-25\.[0-9a-f-]{36}$/)
  const works = async () => {
    expect((await mcp.listTools()).tools).toHaveLength(2)
    const found = await callTool(mcp, "search_knowledge", { query: "How long does the server drain?" })
    expect(JSON.stringify(found)).toContain("thirty seconds")
  }
  await works()
  await works()
  expect(new Set(reached)).toEqual(new Set(servers))

  for (const { server } of [first, second]) server.kill("SIGKILL")
  await Promise.all([first.server.exited, second.server.exited])
  servers = [(await launch(settings)).url]
  await works()
  expect(transport.sessionId).toBe(session)
  await transport.terminateSession()
  const ended = await new Client(servers[0] ?? "", operatorKey).post("/mcp", {
    json: { jsonrpc: "2.0", id: 1, method: "ping" },
    headers: { accept: "application/json, text/event-stream", "mcp-session-id": String(session) },
  })
  expect(ended.status).toBe(404)
  await mcp.close()
})
