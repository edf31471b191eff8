import { afterAll, expect, setDefaultTimeout, test } from "bun:test"
import { Effect, Exit, Scope } from "effect"
import { Client, until } from "../../lib/Client.ts"
import { operatorKey, serverProcess, settingsFor } from "../../lib/ServerProcess.ts"
import { fresh } from "../../lib/TestDatabase.ts"
import { testTimeout } from "../../lib/TestServer.ts"

setDefaultTimeout(2 * testTimeout)

const scope = Scope.makeUnsafe()
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))
const run = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>): Promise<A> =>
  Effect.runPromise(Scope.provide(effect, scope))

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
    ({ size }) => size === 3,
  )
  expect(workers).toEqual(new Set(["1", "2", "3"]))
  server.kill("SIGTERM")
  expect(await server.exited).toBe(0)
  expect(server.stdout()).toContain('"message":"The workers have ended","killed":0')
})
