import { readdirSync, readlinkSync } from "node:fs"
import { expect, test } from "bun:test"
import { until } from "../lib/Client.ts"
import { sharedServer } from "../lib/TestServer.ts"

const { client, stored } = await sharedServer()

test("an export that its client leaves keeps no file open", async () => {
  const { id } = await client.newChatbot()
  const before = new Set(stored("documents"))
  // It is larger than what connections and clients hold of it. Nothing reads it for long, because it is no JSON.
  await client.upload(id, { "large.json": `{${" ".repeat(20_000_000)}` })
  const file = stored("documents").find((name) => !before.has(name)) ?? expect.unreachable()
  /** How often this process, in which the server runs, has the file open. */
  const timesOpen = () =>
    readdirSync("/proc/self/fd").filter((descriptor) => {
      try {
        return readlinkSync(`/proc/self/fd/${descriptor}`).endsWith(file)
      } catch {
        // It was closed meanwhile.
        return false
      }
    }).length
  await until(timesOpen, 0)
  const leaving = new AbortController()
  const headers = { "x-api-key": client.key ?? "" }
  const path = `${client.url}/api/external/chatbot/${id}/knowledge-base/export`
  const exports = await Promise.all([1, 2, 3].map(() => fetch(path, { headers, signal: leaving.signal })))
  expect(await until(timesOpen, exports.length)).toBe(exports.length)
  leaving.abort()
  expect(await until(timesOpen, 0)).toBe(0)
})
