import { readdirSync, statSync, utimesSync } from "node:fs"
import { join } from "node:path"
import { expect, setDefaultTimeout, test } from "bun:test"
import { Context, Effect } from "effect"
import { BodyTimeout } from "../../src/http/edge/RequestBody.ts"
import { Client, until } from "../lib/Client.ts"
import { rawRequest, type RawRequest } from "../lib/RawRequest.ts"
import { part, received } from "../lib/ReceivedFiles.ts"
import { scopedRun } from "../lib/Scoped.ts"
import { operatorKey, serverProcess, type Settings, settingsFor } from "../lib/ServerProcess.ts"
import { temporaryDirectory } from "../lib/TemporaryDirectory.ts"
import { fresh } from "../lib/TestDatabase.ts"
import { testTimeout } from "../lib/TestServer.ts"

/*
 * The files of uploads, at servers that are processes of their own: their temporary directory, and their death.
 */

setDefaultTimeout(testTimeout)

const run = scopedRun()

const start = async (settings: Settings, constants?: Context.Context<never>) => {
  const server = await run(serverProcess(settings, [], constants))
  return { server, client: new Client(await server.listening, operatorKey) }
}

const started = async (constants?: Context.Context<never>) => {
  const temporary = await run(temporaryDirectory("temporary"))
  const settings = { ...(await run(Effect.flatMap(fresh, settingsFor))), TMPDIR: temporary }
  const { client, server } = await start(settings, constants)
  return { client, server, settings, temporary, uploads: join(settings.DATA_DIR, "uploads") }
}

/** Begins an upload of a megabyte and sends half of it. */
const halfUploaded = async (url: string): Promise<RawRequest> => {
  const begun = rawRequest(
    url,
    "POST /api/embedfiles",
    { "x-api-key": operatorKey, "content-type": "multipart/form-data; boundary=x", "content-length": "1000000" },
    `${part('name="chatbotId"', crypto.randomUUID())}\r\n${part('name="files"; filename="half.txt"', "Half of it. ")}`,
  )
  await begun.send("a".repeat(500_000))
  return begun
}

const untilGone = (uploads: string) => until(() => received(uploads), { length: 0 })

test("a file that is being received is below the data directory, readable by the server only, and deleted at once when its client disconnects", async () => {
  const { client, temporary, uploads } = await started()
  const { id } = await client.newChatbot()
  const begun = await halfUploaded(client.url)
  const [file = ""] = await until(
    () => received(uploads),
    ([path]) => path !== undefined && statSync(path).size > 100_000,
  )
  expect(statSync(uploads).mode & 0o777).toBe(0o700)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(received(temporary).filter((path) => path.includes("half"))).toEqual([])
  begun.socket.destroy()
  await untilGone(uploads)
  // A complete upload leaves no file either.
  await client.learn(id, { "whole.txt": "The tide turns at noon." })
  await untilGone(uploads)
})

test("a request is refused when nothing more of its form or of its JSON arrives", async () => {
  const { client, uploads } = await started(Context.make(BodyTimeout, "500 millis"))
  const begun = await halfUploaded(client.url)
  expect(await begun.answer).toStartWith("HTTP/1.1 408 ")
  await begun.closed
  await untilGone(uploads)
  for (const path of ["/api/external/chatbots", "/mcp", "/v1/chat/completions"]) {
    const json = rawRequest(
      client.url,
      `POST ${path}`,
      { "x-api-key": operatorKey, "content-type": "application/json", "content-length": "1000" },
      '{"name":',
    )
    expect(await json.answer).toStartWith("HTTP/1.1 408 ")
    await json.closed
  }
  expect((await client.get("/healthz")).status).toBe(200)
})

test("a file that is being received is deleted at the next start when the server was killed", async () => {
  const { client, server, settings, uploads } = await started()
  await halfUploaded(client.url)
  await until(
    () => received(uploads),
    (files) => files.length > 0,
  )
  server.kill("SIGKILL")
  await server.exited
  expect(received(uploads)).toHaveLength(1)
  // Where other processes may share the directory, abandoned files are recognized by their age.
  for (const name of readdirSync(uploads)) utimesSync(join(uploads, name), 0, 0)
  await start(settings)
  expect(received(uploads)).toEqual([])
})
