import { connect, createServer } from "node:net"
import { Effect } from "effect"
import { documentsOf, makeSource, type RunRow, runSource, startCrawling } from "../../lib/Crawling.ts"
import { random } from "../../lib/Random.ts"
import { answers, html, sends, trapSite } from "../../lib/TrapSite.ts"
import type { Finding } from "../lib/Parts.ts"
import type { Piece } from "./Piece.ts"

const PAGES = 2_000
const CHANGED = 20
const REMOVED = 5
/** The share of the first run's bytes that a run of unchanged pages may receive. */
const BYTES_AGAIN = 0.05
const SENTENCES = 40

/** A page as large as those of documentation. */
const textOf = (name: string, version = 1) =>
  html(
    name,
    [],
    Array.from(
      { length: SENTENCES },
      (_, index) => `<p>Sentence ${index} of ${name} in its version ${version} says what no other page says.</p>`,
    ).join("\n"),
  )

/** Connects to a server on this machine, and counts the bytes that it sends, those of the heads too. */
const wireTo = (port: number) =>
  Effect.acquireRelease(
    Effect.callback<{ bytes: number; port: number; close: () => void }>((resume) => {
      const server = createServer((client) => {
        const site = connect(port, "127.0.0.1")
        site.on("data", (chunk) => (wire.bytes += chunk.length))
        for (const end of [client, site]) end.on("error", () => (client.destroy(), site.destroy()))
        client.pipe(site)
        site.pipe(client)
      })
      const wire = { bytes: 0, port: 0, close: () => void server.close() }
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        wire.port = typeof address === "object" && address !== null ? address.port : 0
        resume(Effect.succeed(wire))
      })
    }),
    ({ close }) => Effect.sync(close),
  )

type Documents = Effect.Success<ReturnType<typeof documentsOf>>

/** The paths at which two states of the documents differ. */
const differences = (before: Documents, after: Documents): ReadonlySet<string> =>
  new Set([...before.keys(), ...after.keys()].filter((path) => !Bun.deepEquals(before.get(path), after.get(path))))

const isSame = (found: ReadonlySet<string>, expected: ReadonlyArray<string>): boolean =>
  found.symmetricDifference(new Set(expected)).size === 0

const counted = (run: RunRow | undefined) => `${run?.status}, ${JSON.stringify(run?.counts)}`

/** A large site that is read again: unchanged, also without validators, with some pages changed, and some gone. */
export const unchanged: Piece = Effect.fnUntraced(function* ({ scale, seed }) {
  const count = Math.max(50, Math.round(PAGES * scale))
  const site = yield* trapSite
  const wire = yield* wireTo(site.port)
  const paths = Array.from({ length: count - 1 }, (_, index) => `/guide/p${index}`)
  const set = (path: string, text: string, hasValidators = true) =>
    site.pages.set(
      `docs.example${path}`,
      hasValidators ? sends(text) : answers(200, { "content-type": "text/html; charset=utf-8" }, text),
    )
  set("/guide/", html("Guide", paths))
  for (const path of paths) set(path, textOf(path))
  yield* startCrawling()
  const source = yield* makeSource("website", [`http://docs.example:${wire.port}/guide/`], { max_pages: count })
  const read = Effect.fnUntraced(function* () {
    const begun = performance.now()
    const before = wire.bytes
    const run = yield* runSource(source)
    return {
      run,
      bytes: wire.bytes - before,
      documents: yield* documentsOf(source),
      seconds: ((performance.now() - begun) / 1_000).toFixed(0),
    }
  })

  const first = yield* read()
  const second = yield* read()
  const share = second.bytes / first.bytes
  const replaced = differences(first.documents, second.documents)

  for (const path of paths) set(path, textOf(path), false)
  const third = yield* read()
  const again = differences(first.documents, third.documents)

  const draw = random(seed)
  const chosen = paths
    .map((path) => ({ path, order: draw() }))
    .toSorted((one, other) => one.order - other.order)
    .map(({ path }) => path)
  const [changed, removed] = [chosen.slice(0, CHANGED), chosen.slice(CHANGED, CHANGED + REMOVED)]
  for (const path of changed) set(path, textOf(path, 2))
  for (const path of removed) site.pages.set(`docs.example${path}`, answers(404))
  const fourth = yield* read()
  const fifth = yield* read()
  const [changes, deletions] = [
    differences(third.documents, fourth.documents),
    differences(fourth.documents, fifth.documents),
  ]

  const findings: ReadonlyArray<Finding> = [
    {
      name: `First run of ${count} pages`,
      value: `${counted(first.run)}, ${first.run?.requests} requests, ${first.bytes} bytes, ${first.seconds} s`,
      isKept: first.documents.size === count,
    },
    {
      name: "Second run, nothing changed: bytes beside the first",
      value: `${(share * 100).toFixed(2)} % (${second.bytes} bytes with heads, ${second.run?.bytes} without), ${second.run?.requests} requests, ${second.seconds} s`,
      isKept: share <= BYTES_AGAIN && second.run?.counts?.["unchanged"] === count,
    },
    { name: "Documents replaced by it", value: String(replaced.size), isKept: replaced.size === 0 },
    {
      name: "Documents replaced by a run without ETag and Last-Modified",
      value: `${again.size}; ${counted(third.run)}`,
      isKept: again.size === 0 && third.run?.counts?.["unchanged"] === count,
    },
    {
      name: `${CHANGED} pages changed, ${REMOVED} gone: documents changed by the next run`,
      value: `${changes.size}; ${counted(fourth.run)}`,
      isKept: isSame(changes, changed) && fourth.documents.size === count,
    },
    {
      name: "Documents deleted by the run after it",
      value: `${deletions.size}; ${counted(fifth.run)}`,
      isKept: isSame(deletions, removed) && fifth.documents.size === count - REMOVED,
    },
  ]
  return findings
})
