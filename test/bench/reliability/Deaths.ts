import { readFileSync } from "node:fs"
import { Effect } from "effect"
import { Client } from "../../lib/Client.ts"
import { random } from "../../lib/Random.ts"
import { operatorKey, serverProcess } from "../../lib/ServerProcess.ts"
import { withoutLimits } from "../http/Child.ts"
import { database } from "../http/Fixture.ts"
import type { Finding, Part } from "../lib/Parts.ts"
import { steadyTraffic } from "../lib/SteadyTraffic.ts"
import { temporaryDirectory } from "../../lib/TemporaryDirectory.ts"

const RATE = 25
/** Replacements in which nobody is killed. */
const UNDISTURBED = 5
const REPLACEMENTS = 20
const WORKERS = 2
/** How long a replacement of all workers may take, with a worker that dies in it, in milliseconds. */
const REPLACED_WITHIN = 120_000
/** The share of requests that may fail without a kill, as a worker that leaves resets what it has not accepted. */
const RESET_SHARE = 1 / 500
/** A request that ends sooner after a kill, in milliseconds, may have been under way in the worker that was killed. */
const BLAMED_FOR = 500
const WHO = ["the youngest", "the oldest", "any"] as const

/**
 * Replaces the workers of a server under load, at first so that hardly a request may fail. Then a worker is killed in
 * each of many replacements, at moments that are spread evenly over the time that a replacement takes: in turn the
 * youngest, the oldest, and any of those that there are. It needs `--postgres`.
 */
export const part: Part = async ({ postgres, scale, seed }) => {
  if (postgres === undefined) return [{ name: "Needs --postgres URL", value: "left out" }]
  return Effect.runPromise(Effect.scoped(bench(postgres, scale, seed)))
}

const bench = Effect.fnUntraced(function* (postgres: string, scale: number, seed: number) {
  const server = yield* serverProcess({
    PORT: "0",
    DATA_DIR: yield* temporaryDirectory("server"),
    BOOTSTRAP_API_KEY: operatorKey,
    DEFAULT_MODEL: "local/extractive",
    DATABASE_URL: yield* database(postgres, "parley_deaths"),
    WORKERS: String(WORKERS),
    ...withoutLimits,
  })
  const url = yield* Effect.promise(() => server.listening)
  const client = new Client(url, operatorKey)
  const { id } = yield* Effect.promise(() => client.newChatbot())
  const draw = random(seed)
  /** The workers that live, the oldest first. */
  const workers = (): ReadonlyArray<number> =>
    readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, "utf8").trim().split(" ").map(Number)
  const replaced = () => server.stdout().split('"The workers are replaced"').length - 1
  const waitFor = Effect.fnUntraced(function* (isSo: () => boolean) {
    const deadline = performance.now() + REPLACED_WITHIN
    while (!isSo()) {
      if (performance.now() > deadline) return false
      yield* Effect.sleep(20)
    }
    return true
  })
  /** Replaces all workers, and kills one after so many milliseconds. Returns how long it took; undefined for too long. */
  const replace = Effect.fnUntraced(function* (killAfter?: number, who?: (typeof WHO)[number]) {
    const before = replaced()
    const begun = performance.now()
    server.kill("SIGHUP")
    if (killAfter !== undefined) {
      yield* Effect.sleep(killAfter)
      const all = workers()
      const victim =
        who === "the youngest" ? all.at(-1) : who === "the oldest" ? all[0] : all[Math.floor(draw() * all.length)]
      if (victim !== undefined) process.kill(victim, "SIGKILL")
      kills.push(performance.now())
    }
    if (!(yield* waitFor(() => replaced() > before))) return undefined
    const took = performance.now() - begun
    process.stdout.write(`  a replacement took ${(took / 1_000).toFixed(1)} s\n`)
    return (yield* waitFor(() => workers().length === WORKERS)) ? took : undefined
  })

  const kills: Array<number> = []
  const traffic = steadyTraffic(client, id, RATE, draw)
  let stuck = 0
  let usual = REPLACED_WITHIN
  const undisturbed = Math.max(1, Math.round(UNDISTURBED * scale))
  for (let round = 0; round < undisturbed; round++) {
    const took = yield* replace()
    if (took === undefined) stuck++
    else usual = took
  }
  const rounds = Math.max(1, Math.round(REPLACEMENTS * scale))
  let isAlive = true
  void server.exited.then(() => (isAlive = false))
  for (let round = 0; round < rounds && isAlive; round++) {
    if ((yield* replace(((round + 0.5) / rounds) * usual, WHO[round % WHO.length])) === undefined) stuck++
  }
  yield* Effect.promise(traffic.stop)
  const failed = traffic.ended.filter(({ outcome }) => outcome !== "ok")
  const refused = failed.filter(({ outcome }) => /refused|Unable to connect/i.test(outcome))
  const unexplained = failed.filter(
    ({ ended, started }) => !kills.some((killed) => started - BLAMED_FOR < killed && killed < ended),
  )
  for (const { kind, outcome } of unexplained.slice(0, 20)) process.stdout.write(`  ${kind}: ${outcome}\n`)
  const { status } = isAlive ? yield* Effect.promise(() => client.get("/readyz")) : { status: 0 }
  return [
    {
      name: "Replacements of two workers, those in which one was killed, those that did not end",
      value: `${undisturbed + kills.length}, ${kills.length}, ${stuck}; one takes ${(usual / 1_000).toFixed(1)} s`,
      isKept: stuck === 0,
    },
    {
      name: "The service lives and is ready in the end",
      value: String(isAlive && status === 200),
      isKept: status === 200,
    },
    {
      name: `Requests at ${RATE}/s: all, cut, refused`,
      value: `${traffic.ended.length}, ${failed.length - refused.length}, ${refused.length}`,
    },
    {
      name: "Requests that failed and were not under way in the half second of a kill",
      value: String(unexplained.length),
      isKept: unexplained.length <= Math.ceil(traffic.ended.length * RESET_SHARE),
    },
  ] satisfies ReadonlyArray<Finding>
})
