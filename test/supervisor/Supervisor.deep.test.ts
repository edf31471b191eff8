import { readFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, describe, expect, setDefaultTimeout, test } from "bun:test"
import { Duration, Effect, Exit, Fiber, Scope } from "effect"
import { reservePort, supervise } from "../../src/supervisor/Supervisor.ts"
import { until } from "../lib/Client.ts"
import type { Moment } from "../lib/PlainWorker.ts"
import { sampleOf } from "../lib/Sample.ts"
import { scopedRun, sharedRun } from "../lib/Scoped.ts"
import { temporaryDirectory } from "../lib/TemporaryDirectory.ts"
import { testTimeout } from "../lib/TestServer.ts"

setDefaultTimeout(testTimeout)

const run = scopedRun()
afterEach(() => {
  delete process.env["FAILS"]
  delete process.env["HANGS"]
  delete process.env["KILLS"]
})

/** The program of a worker in one file, which starts in a fraction of the time that its modules take. */
const directory = await sharedRun()(temporaryDirectory("worker"))
await Bun.build({
  entrypoints: [join(import.meta.dir, "..", "lib", "PlainWorker.ts")],
  target: "bun",
  outdir: directory,
})
const program = join(directory, "PlainWorker.js")

const started = Effect.fnUntraced(function* (workers: number, at?: number) {
  const port = at ?? (yield* reservePort({ host: "127.0.0.1", port: 0 }))
  const url = `http://127.0.0.1:${port}`
  // Longer than a busy machine takes for the requests that are under way.
  const drainTimeout = Duration.seconds(30)
  const supervisor = yield* supervise(workers, program, { port, host: "127.0.0.1", drainTimeout })
  return { supervisor, url }
})

/** Asks in a connection of its own. Returns the process id of the worker that answers. */
const ask = async (url: string): Promise<number> => Number(await (await fetch(url, { keepalive: false })).text())

const lives = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test("workers share a port, and are replaced under load, where few connections are reset and another try succeeds", async () => {
  const { supervisor, url } = await run(started(2))
  const before = supervisor.pids()
  const answers = await Promise.all(Array.from({ length: 60 }, () => ask(url)))
  expect(new Set(answers)).toEqual(new Set(before))

  let isOver = false
  let asked = 0
  let resets = 0
  const clients = Array.from({ length: 4 }, async (_, number) => {
    while (!isOver) {
      asked++
      const path = number === 0 ? `${url}/slow` : url
      // Half of them keep their connections.
      const init = { keepalive: number % 2 === 0 }
      const response = await fetch(path, init).catch((error: unknown) => {
        resets++
        expect(Object(error).code).toBe("ECONNRESET")
        return fetch(path, init)
      })
      await response.text()
      // Several hundred requests in a second are load enough.
      await Bun.sleep(5)
    }
  })
  await Effect.runPromise(supervisor.replaceAll)
  isOver = true
  await Promise.all(clients)
  expect(asked).toBeGreaterThan(4)
  // One of some 4,000 on an idle machine, and more where a worker waits for a core.
  expect(resets).toBeLessThanOrEqual(Math.max(2, asked / 50))
  expect(before.filter(lives)).toEqual([])
  const after = supervisor.pids()
  expect(after.filter((pid) => before.includes(pid))).toEqual([])
  const again = await Promise.all(Array.from({ length: 60 }, () => ask(url)))
  expect(new Set(again)).toEqual(new Set(after))
})

test("a worker that dies is started again, and all end with their supervisor", async () => {
  const own = Scope.makeUnsafe()
  const { supervisor, url } = await Effect.runPromise(Scope.provide(started(2), own))
  const [first = 0, second = 0] = supervisor.pids()
  process.kill(first, "SIGKILL")
  const [next = 0] = await until(
    () => supervisor.pids(),
    ([pid]) => pid !== first,
  )
  const answering = await until(async () => new Set(await Promise.all(Array.from({ length: 10 }, () => ask(url)))), {
    size: 2,
  })
  expect(answering).toEqual(new Set([next, second]))
  await Effect.runPromise(Scope.close(own, Exit.void))
  expect([next, second].filter(lives)).toEqual([])
})

test("a worker that does not get ready keeps no other one from serving, or from being started again", async () => {
  process.env["HANGS"] = "2"
  const own = Scope.makeUnsafe()
  const port = await Effect.runPromise(reservePort({ host: "127.0.0.1", port: 0 }))
  const supervising = Effect.runFork(Scope.provide(started(3, port), own))
  const url = `http://127.0.0.1:${port}`
  const [first = 0] = await answeringOf(url, 2)
  process.kill(first, "SIGKILL")
  await until(
    () => answeringOf(url, 2),
    (pids) => !pids.has(first),
  )
  // The second one hangs still, so that the supervisor has not told that all listen.
  expect(supervising.pollUnsafe()).toBeUndefined()
  await Effect.runPromise(Fiber.interrupt(supervising))
  await Effect.runPromise(Scope.close(own, Exit.void))
})

const answeringOf = (url: string, workers: number) =>
  until(
    async () => new Set(await Promise.all(Array.from({ length: 10 }, () => ask(url).catch(() => 0)))),
    (pids) => pids.size === workers && !pids.has(0),
  )

/** The workers that this process has started and that live, as far as the system tells. */
const children = (): ReadonlyArray<number> =>
  readFileSync(`/proc/self/task/${process.pid}/children`, "utf8")
    .trim()
    .split(" ")
    .map(Number)
    .filter((pid) => pid > 0 && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("PlainWorker"))

describe.each(["start", "ready", "turn", "listening", "leave"] satisfies ReadonlyArray<Moment>)(
  "a worker that is killed at the moment %s of a replacement",
  (moment) => {
    const shared = sharedRun()
    let supervising: Effect.Success<ReturnType<typeof started>> | undefined
    /** The workers of all tests of this moment: each leaves as many as there were. */
    const supervised = async () => (supervising ??= await shared(started(2)))

    const isOfOld = moment === "leave"
    // Every victim in CI, and one of them elsewhere.
    test.each(isOfOld ? ["it"] : sampleOf(["it", "the one that it replaces", "the other one"], 3))(
      "ends nobody else, and leaves two workers, each at its place: %s",
      async (victim) => {
        if (isOfOld) process.env["KILLS"] = `${moment} 0`
        const { supervisor, url } = await supervised()
        const [first = 0, second = 0] = supervisor.pids()
        const pid = victim === "it" ? 0 : victim === "the other one" ? second : first
        process.env["KILLS"] = isOfOld ? "" : `${moment} ${pid}`
        await Effect.runPromise(supervisor.replaceAll)
        delete process.env["KILLS"]
        const answering = await answeringOf(url, 2)
        expect(answering).toEqual(new Set(supervisor.pids()))
        // Nobody is left over that serves without a place.
        expect(new Set(await until(children, ({ length }) => length === 2))).toEqual(answering)
      },
    )
  },
)

test("workers stay whose successors are ready and cannot listen", async () => {
  const { supervisor, url } = await run(started(2))
  const before = supervisor.pids()
  process.env["FAILS"] = "listen"
  await Effect.runPromise(supervisor.replaceAll)
  expect(supervisor.pids()).toEqual(before)
  const answers = await Promise.all(Array.from({ length: 60 }, () => ask(url)))
  expect(new Set(answers)).toEqual(new Set(before))
})

test("a supervisor gives up with a clear sentence when no worker was ever ready", async () => {
  process.env["FAILS"] = "start"
  const exit = await run(Effect.exit(started(3)))
  expect(String(exit)).toContain("No worker was ever ready: the first one ended with exit code 3.")
})
