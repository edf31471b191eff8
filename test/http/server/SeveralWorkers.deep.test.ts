import { expect, setDefaultTimeout, test } from "bun:test"
import { Effect } from "effect"
import { reservePort } from "../../../src/supervisor/Supervisor.ts"
import { SEAT } from "../../../src/system/Seat.ts"
import { Client, until } from "../../lib/Client.ts"
import { operatorKey, serverProcess, settingsFor } from "../../lib/ServerProcess.ts"
import { fresh } from "../../lib/TestDatabase.ts"
import { testTimeout } from "../../lib/TestServer.ts"
import { sharedRun } from "../../lib/Scoped.ts"
import { temporaryDirectory } from "../../lib/TemporaryDirectory.ts"

setDefaultTimeout(2 * testTimeout)

const run = sharedRun()

test("a worker that is replaced reports readiness in connections that are kept, for the service is ready", async () => {
  const directory = await run(temporaryDirectory("sockets"))
  const settings = await run(Effect.flatMap(fresh, settingsFor))
  const port = await run(reservePort({ host: "127.0.0.1", port: 0 }))
  const reports: Array<unknown> = []
  // This test is the supervisor.
  const worker = Bun.spawn([process.execPath, "src/main.ts", "serve"], {
    env: { ...process.env, ...settings, PORT: String(port), [SEAT]: `1/1:${directory}`, LOG_FORMAT: "json" },
    stdio: ["ignore", "pipe", "inherit"],
    ipc: (report) => void reports.push(Object(report)._tag),
  })
  const reported = (tag: string) => until(() => reports.includes(tag), Boolean)
  await reported("Ready")
  worker.send({ _tag: "Listen" })
  await reported("Listening")
  const ask = async () => {
    const { headers, status } = await fetch(`http://127.0.0.1:${port}/readyz`)
    return `${status} ${headers.get("connection")}`
  }
  expect(await ask()).toStartWith("200 ")
  worker.send({ _tag: "Leave" })
  const answers = new Set<string>()
  await until(
    async () => {
      answers.add(await ask().catch(() => "refused"))
      return answers
    },
    (all) => all.has("refused"),
  )
  expect(Array.from(answers).filter((answer) => !answer.startsWith("200 "))).toEqual(["refused"])
  expect(answers).toContain("200 close")
  expect(await worker.exited).toBe(0)
})

test("several workers need Postgres, and find each other's replies to visitors", async () => {
  const database = await run(fresh)
  const server = await run(Effect.flatMap(settingsFor(database), (given) => serverProcess({ ...given, WORKERS: "3" })))
  if (database.kind === "embedded") {
    expect(await server.exited).toBe(1)
    expect(server.stderr()).toMatch(
      /^parley: WORKERS is 3, and the embedded database serves one process only\. Set DATABASE_URL .+\.\n$/,
    )
    return
  }
  const url = await server.listening
  const { id } = await new Client(url, operatorKey).newChatbot({ is_public: true })
  const post = async (path: string, body: object, token?: string) => {
    const response = await fetch(`${url}${path}`, {
      method: "POST",
      keepalive: false,
      headers: { "content-type": "application/json", ...(token !== undefined && { authorization: `Bearer ${token}` }) },
      body: JSON.stringify(body),
    })
    return response.text()
  }
  for (let visitor = 0; visitor < 4; visitor++) {
    const { token } = JSON.parse(await post("/api/widget/sessions", { key: id }))
    const said = await post("/api/widget/chat", { message: { id: crypto.randomUUID(), text: "Hello?" } }, token)
    const reply = /"message_id":"([^"]+)"/.exec(said)?.[1]
    // Each in a connection of its own, so that most of them reach another worker.
    const read = Array.from({ length: 6 }, async () => {
      const response = await fetch(`${url}/api/widget/chat/${reply}`, {
        keepalive: false,
        headers: { authorization: `Bearer ${token}` },
      })
      return response.text()
    })
    expect(new Set(await Promise.all(read))).toEqual(new Set([said]))
  }
  await Promise.all(Array.from({ length: 30 }, () => fetch(`${url}/healthz`, { keepalive: false })))
  // The log is written in batches.
  const workers = await until(
    () => new Set(Array.from(server.stdout().matchAll(/"message":"request".*?"worker":(\d)/g), ([, worker]) => worker)),
    { size: 3 },
  )
  expect(workers).toEqual(new Set(["1", "2", "3"]))
  server.kill("SIGTERM")
  expect(await server.exited).toBe(0)
  expect(server.stdout()).toContain('"message":"The workers have ended","killed":0')
})
