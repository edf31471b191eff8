import { Effect } from "effect"
import { temporaryDirectory } from "../../lib/TemporaryDirectory.ts"
import { Client } from "../../lib/Client.ts"
import { fuzz, type FuzzReport } from "../../lib/safety/fuzz/Run.ts"
import { LATE } from "../../lib/safety/fuzz/Answers.ts"
import type { FuzzRequest } from "../../lib/safety/fuzz/Requests.ts"
import { WireConnection } from "../../lib/safety/fuzz/Wire.ts"
import { type Child, start } from "../http/Child.ts"
import { apiKey, database, parley } from "../http/Fixture.ts"
import type { ProbeOrder, Wait } from "./fuzz/Probe.ts"
import type { Finding, Part, PartSettings } from "../lib/Parts.ts"

const REQUESTS = 200_000
const CONNECTIONS = 8
const HANG_MILLISECONDS = 5_000
/** How long others may wait because of one request. */
const WAIT_MILLISECONDS = 250
const PROBE_PAUSE_MILLISECONDS = 5
/** A wait counts only if the request causes it this many times when it is sent alone. */
const REPEATS = 3
/** The share of requests after which memory is measured for the first time. */
const WARM_UP = 0.2
const GROWTH_MAX = 0.25
const FAULTS_SHOWN = 20
const SUSPECTS_MAX = 200

/** A request with the time in which it was answered, by the clock of the machine. */
interface Sent {
  readonly request: FuzzRequest
  readonly start: number
  readonly end: number
}

/**
 * Sends requests that are made from the OpenAPI document to a server in a process of its own: valid, nearly valid and
 * hostile ones. It checks every answer against the document, and measures how long others wait. Requests that were
 * under way during a long wait are sent again alone, so that the wait is laid on the one that causes it.
 */
export const part: Part = (settings) => Effect.runPromise(Effect.scoped(attack(settings)))

const attack = Effect.fnUntraced(function* (settings: PartSettings) {
  const directory = yield* temporaryDirectory("bench")
  const child = yield* start(
    parley(directory, {
      ...(settings.postgres !== undefined && { DATABASE_URL: yield* database(settings.postgres, "fuzz") }),
      DEFAULT_MODEL: "local/extractive",
      LOG_LEVEL: "error",
    }),
  )
  return yield* Effect.promise(() => measure(child, settings))
})

const measure = async (child: Child, { scale, seed }: PartSettings): Promise<ReadonlyArray<Finding>> => {
  const operator = new Client(`http://127.0.0.1:${child.port}`, apiKey)
  const probe = startProbe(operator.url)
  const requests = Math.ceil(REQUESTS * scale)
  let recent: Array<Sent> = []
  const suspects = new Set<FuzzRequest>()
  let answered = 0
  let warm = 0
  const report = await fuzz(operator, {
    seed,
    requests,
    connections: CONNECTIONS,
    timeout: HANG_MILLISECONDS,
    onAnswer: (request, _, started) => {
      const end = performance.timeOrigin + performance.now()
      recent.push({ request, start: performance.timeOrigin + started, end })
      answered++
      if (answered === Math.ceil(requests * WARM_UP)) warm = child.memory().now
      for (const { at, milliseconds } of probe.take()) {
        if (milliseconds < WAIT_MILLISECONDS) continue
        const during = recent.filter((sent) => sent.start <= at + milliseconds && sent.end >= at)
        for (const sent of during) if (suspects.size < SUSPECTS_MAX) suspects.add(sent.request)
      }
      recent = recent.filter((sent) => sent.end > end - 2 * HANG_MILLISECONDS)
    },
  })
  const memory = child.memory().now
  // On a busy machine an answer may be late for other reasons, so that these too are sent again alone.
  for (const { request, what } of report.faults) if (what === LATE) suspects.add(request)
  const alone = await causedAlone(operator.url, probe, suspects)
  probe.stop()
  return findings(report, { suspects: suspects.size, ...alone }, { warm, memory, peak: child.memory().peak })
}

const startProbe = (url: string) => {
  const waits: Array<Wait> = []
  const worker = new Worker(new URL("./fuzz/Probe.ts", import.meta.url).href)
  worker.addEventListener("message", ({ data }: MessageEvent<Wait>) => void waits.push(data))
  const order: ProbeOrder = { url, apiKey, pause: PROBE_PAUSE_MILLISECONDS, timeout: 4 * HANG_MILLISECONDS }
  worker.postMessage(order)
  return { take: () => waits.splice(0), stop: () => worker.terminate() }
}

/** Sends each suspect alone, again and again, and returns the longest wait that one of them causes every time. */
const causedAlone = async (url: string, probe: ReturnType<typeof startProbe>, suspects: Iterable<FuzzRequest>) => {
  const connection = new WireConnection(url, HANG_MILLISECONDS)
  let longest = 0
  let hangs = 0
  const causes: Array<string> = []
  for (const request of suspects) {
    const times: Array<number> = []
    for (let time = 0; time < REPEATS; time++) {
      await Bun.sleep(3 * PROBE_PAUSE_MILLISECONDS)
      probe.take()
      const started = performance.now()
      const outcome = await connection.send(request)
      if (outcome === "hangs" && time === REPEATS - 1) hangs++
      const took = performance.now() - started
      await Bun.sleep(3 * PROBE_PAUSE_MILLISECONDS)
      times.push(Math.max(0, ...probe.take().map(({ milliseconds }) => milliseconds)))
      // What is answered at once keeps nobody waiting.
      if (took < WAIT_MILLISECONDS / 5) break
    }
    const least = times.length < REPEATS ? 0 : Math.min(...times)
    longest = Math.max(longest, least)
    if (least > WAIT_MILLISECONDS) causes.push(`${request.label}: ${least.toFixed(0)} ms`)
  }
  connection.close()
  return { longest, hangs, causes }
}

const findings = (
  { faults, outcomes, requests }: FuzzReport,
  waits: {
    readonly suspects: number
    readonly longest: number
    readonly hangs: number
    readonly causes: ReadonlyArray<string>
  },
  { memory, peak, warm }: { readonly warm: number; readonly memory: number; readonly peak: number },
): ReadonlyArray<Finding> => {
  const undeclared = faults.filter(({ what }) => what !== LATE)
  for (const { request, what } of undeclared.slice(0, FAULTS_SHOWN))
    process.stdout.write(`  ${request.label}: ${what}\n`)
  for (const cause of waits.causes) process.stdout.write(`  ${cause}\n`)
  const count = (kind: string) => outcomes.get(kind) ?? 0
  const growth = memory / warm - 1
  const byStatus = Array.from(outcomes).toSorted(([, left], [, right]) => right - left)
  return [
    { name: "requests", value: String(requests) },
    { name: "answers", value: byStatus.map(([kind, times]) => `${times} × ${kind}`).join(", ") },
    { name: "answers with 500", value: String(count("500")), isKept: count("500") === 0 },
    { name: "answers that are not declared", value: String(undeclared.length), isKept: undeclared.length === 0 },
    { name: "answers later than 5 s", value: String(count("hangs")) },
    { name: "hangs over 5 s that one request causes alone", value: String(waits.hangs), isKept: waits.hangs === 0 },
    { name: "requests under way while others waited over 250 ms", value: String(waits.suspects) },
    {
      name: "longest wait of others that one of them causes alone",
      value: waits.longest === 0 ? "under 100 ms" : `${waits.longest.toFixed(0)} ms`,
      isKept: waits.causes.length === 0,
    },
    {
      name: "memory after a fifth and at the end, and at most",
      value: `${warm.toFixed(0)} MB, ${memory.toFixed(0)} MB (${(growth * 100).toFixed(0)} % more), ${peak.toFixed(0)} MB`,
      isKept: growth <= GROWTH_MAX,
    },
  ]
}
