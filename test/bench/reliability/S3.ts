import { Effect } from "effect"
import { Client, until } from "../../lib/Client.ts"
import { type FakeS3, s3Error, settingsOf, startFakeS3 } from "../../lib/FakeS3.ts"
import { random } from "../../lib/Random.ts"
import { operatorKey, serverProcess } from "../../lib/ServerProcess.ts"
import { type Ended, steadyTraffic } from "../lib/SteadyTraffic.ts"
import type { Finding, Part } from "../lib/Parts.ts"
import { temporaryDirectory } from "../../lib/TemporaryDirectory.ts"

const RATE = 20
/** How long S3 misbehaves in each way, in milliseconds. */
const FAULT_MILLIS = 60_000
const SLOW_MILLIS = 5_000
/** Between two faults, in milliseconds. */
const PAUSE_MILLIS = 10_000
/** The time limit and the patience of the server, and some time for the request itself, in milliseconds. */
const REQUEST_LIMIT = 22_000
/** The kinds of requests that need no file. */
const WITHOUT_FILES: ReadonlySet<string> = new Set(["get", "search", "chat", "stream", "chatbot"])

/** What S3 does, and how that ends. */
const faults: Readonly<Record<string, (s3: FakeS3, draw: () => number) => Promise<() => Promise<void> | void>>> = {
  gone: async (s3) => {
    await s3.stop()
    return s3.start
  },
  slow: (s3) => {
    s3.misbehave = (_, proper) => Bun.sleep(SLOW_MILLIS).then(proper)
    return Promise.resolve(() => void (s3.misbehave = undefined))
  },
  "503 half of the time": (s3, draw) => {
    s3.misbehave = () => (draw() < 0.5 ? s3Error(503, "SlowDown") : undefined)
    return Promise.resolve(() => void (s3.misbehave = undefined))
  },
}

/** S3 is gone, slow, and refuses half of the requests, while a server has 20 requests per second. */
export const part: Part = ({ postgres, scale, seed }) => Effect.runPromise(Effect.scoped(bench(postgres, scale, seed)))

const bench = Effect.fnUntraced(function* (postgres: string | undefined, scale: number, seed: number) {
  const draw = random(seed)
  const s3 = yield* Effect.acquireRelease(
    Effect.promise(() => startFakeS3()),
    (made) => Effect.promise(made.stop),
  )
  const server = yield* serverProcess({
    PORT: "0",
    DATA_DIR: yield* temporaryDirectory("server"),
    BOOTSTRAP_API_KEY: operatorKey,
    DEFAULT_MODEL: "local/extractive",
    ...(postgres !== undefined && { DATABASE_URL: postgres }),
    RATE_LIMIT: "off",
    LOG_LEVEL: "error",
    BLOBS: "s3",
    S3_ENDPOINT: settingsOf(s3).endpoint,
    S3_BUCKET: s3.bucket,
    S3_ACCESS_KEY_ID: s3.accessKeyId,
    S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
  })
  const client = new Client(yield* Effect.promise(() => server.listening), operatorKey)
  const { id } = yield* Effect.promise(() => client.newChatbot())
  yield* Effect.promise(() => client.learn(id, { "ship.txt": "The ship sails at noon." }))

  const traffic = steadyTraffic(client, id, RATE, draw)
  const findings: Array<Finding> = []
  for (const [name, begin] of Object.entries(faults)) {
    const begun = performance.now()
    const end = yield* Effect.promise(() => begin(s3, draw))
    yield* Effect.sleep(FAULT_MILLIS * scale)
    yield* Effect.promise(async () => end())
    const ended = performance.now()
    yield* Effect.sleep(PAUSE_MILLIS)
    const during = traffic.ended.filter(({ started }) => started >= begun && started < ended)
    const refused = traffic.ended.filter(({ outcome, started }) => started >= ended && outcome !== "ok")
    const last = Math.max(0, ...refused.map((one) => one.ended - ended))
    const unaffected = during.filter(({ kind, outcome }) => WITHOUT_FILES.has(kind) && outcome !== "ok")
    findings.push(
      { name: `${name}: uploads`, value: outcomes(during.filter(({ kind }) => kind === "upload")) },
      {
        name: `${name}: searches, chats and others`,
        value: outcomes(during.filter(({ kind }) => WITHOUT_FILES.has(kind))),
        isKept: unaffected.length === 0,
      },
      { name: `${name}: all is well again after`, value: `${(last / 1_000).toFixed(1)} s`, isKept: last < 5_000 },
    )
  }
  yield* Effect.promise(traffic.stop)

  const { documents } = traffic.acknowledged
  const path = `/api/external/chatbot/${id}/knowledge-base/documents?limit=1&status=`
  const countOf = (status: string) =>
    client.get(path + status).then(({ body }) => Number(Object(body).metadata.totalCount))
  const began = performance.now()
  yield* Effect.promise(async () => {
    for (const status of ["queued", "extracting", "embedding"]) {
      await until(
        () => countOf(status),
        (count) => count === 0,
      )
    }
  })
  const [ready, failed] = yield* Effect.promise(() => Promise.all([countOf("ready"), countOf("failed")]))
  const lost = documents.length + 1 - ready
  const stored = Array.from(s3.objects.keys()).filter((key) => key.startsWith("documents/")).length
  const slowest = Math.max(...traffic.ended.map((one) => one.ended - one.started))
  const untyped = traffic.ended.filter(({ outcome }) => !["ok", "503", "429"].includes(outcome))
  for (const { kind, outcome } of untyped.slice(0, 10)) process.stdout.write(`  ${kind}: ${outcome}\n`)
  return [
    ...findings,
    {
      name: "Failures other than a typed 503, or 429 while too many uploads wait",
      value: String(untyped.length),
      isKept: untyped.length === 0,
    },
    { name: "Longest request", value: `${(slowest / 1_000).toFixed(1)} s`, isKept: slowest < REQUEST_LIMIT },
    {
      name: "Documents acknowledged",
      value: `${documents.length}, of which the last was ready after ${((performance.now() - began) / 1_000).toFixed(1)} s`,
    },
    { name: "Documents lost", value: String(lost), isKept: lost === 0 },
    { name: "Documents failed", value: String(failed), isKept: failed === 0 },
    { name: "Objects without a document, which a sweep deletes within an hour", value: String(stored - ready) },
  ] satisfies ReadonlyArray<Finding>
})

const outcomes = (some: ReadonlyArray<Ended>): string => {
  const counts = Map.groupBy(some, ({ outcome }) => outcome)
  return Array.from(counts, ([outcome, { length }]) => `${length} ${outcome}`).join(", ") || "none"
}
