import { Effect, Exit, Schema, Scope } from "effect"
import { SourceRun } from "../../../src/domain/knowledge/SourceRun.ts"
import { Source } from "../../../src/domain/knowledge/Source.ts"
import { Client, read, until } from "../../lib/Client.ts"
import type { Site } from "../../lib/kills/Site.ts"
import { random } from "../../lib/Random.ts"
import { html, sends, trapSite, type TrapSite } from "../../lib/TrapSite.ts"
import type { Finding, Part } from "../lib/Parts.ts"

const PAGES = 300
const KILLS = 10
const SERVERS = 2
/** Kills after which both servers are down: one in so many. */
const BOTH = 4
/** The longest time from one kill to the next, in milliseconds. */
const LIFE_MAX = 9_000

/**
 * Servers are killed with SIGKILL at random moments while they read a website, and started again: two on Postgres, with
 * `--postgres URL`, or one on the embedded database. In the end the run has finished, and each page is a document once.
 */
export const part: Part = async ({ postgres, scale, seed }) => {
  // The modules of the test databases read this variable when they are loaded.
  if (postgres !== undefined) process.env["DATABASE_URL"] = postgres
  const { site } = await import("../../lib/kills/Site.ts")
  return Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const at = yield* site({ LOG_LEVEL: "warn", TOOL_PRIVATE_NETWORKS: "127.0.0.1" })
        return yield* bench(at, postgres === undefined ? 1 : SERVERS, Math.max(30, Math.round(PAGES * scale)), seed)
      }),
    ),
  )
}

/** A site of so many pages that all differ. */
const website = ({ pages }: TrapSite, count: number): void => {
  const paths = Array.from({ length: count - 1 }, (_, index) => `/guide/p${index}`)
  pages.set("127.0.0.1/guide/", sends(html("Guide", paths)))
  for (const path of paths) pages.set(`127.0.0.1${path}`, sends(html(`Page ${path}`)))
}

const bench = Effect.fnUntraced(function* (at: Site, count: number, pages: number, seed: number) {
  const { blobKeysIn, leftovers, over, stop, sweep } = yield* Effect.promise(() => import("../../lib/kills/Site.ts"))
  const { operatorKey, serverProcess } = yield* Effect.promise(() => import("../../lib/ServerProcess.ts"))
  const web = yield* trapSite
  website(web, pages)
  const draw = random(seed)

  const startOne = Effect.gen(function* () {
    const scope = yield* Scope.make()
    const server = yield* Scope.provide(serverProcess(at.settings), scope)
    const url = yield* Effect.promise(() => server.listening)
    return { scope, server, client: new Client(url, operatorKey) }
  })
  const servers: Array<Effect.Success<typeof startOne>> = []
  for (let number = 0; number < count; number++) servers.push(yield* startOne)
  const anyClient = () => servers[0]?.client ?? new Client("", undefined)
  const kill = Effect.fnUntraced(function* (victims: ReadonlyArray<number>) {
    for (const victim of victims) servers[victim]?.server.kill("SIGKILL")
    for (const victim of victims) {
      const dead = servers[victim]
      if (dead !== undefined) yield* Scope.close(dead.scope, Exit.void)
      servers[victim] = yield* startOne
    }
  })

  const { id } = yield* Effect.promise(() => anyClient().newChatbot())
  const path = `/api/external/chatbot/${id}/sources`
  const created = yield* Effect.promise(() =>
    anyClient().post(path, { json: { kind: "website", name: "Site", urls: [web.at("127.0.0.1", "/guide/")] } }),
  )
  const { source } = read(Schema.Struct({ source: Source }), created)
  const lastRun = async () => {
    const reply = await anyClient().get(`${path}/${source.id}/runs`)
    return read(Schema.Struct({ data: Schema.Array(SourceRun) }), reply).data[0]
  }
  const begun = performance.now()
  let kills = 0
  let duringRun = 0
  while (kills < KILLS) {
    yield* Effect.sleep(draw() * LIFE_MAX)
    const isBoth = count > 1 && draw() < 1 / BOTH
    const all = servers.map((_, index) => index)
    const victims = (isBoth ? all : [Math.floor(draw() * count)]).slice(0, KILLS - kills)
    const run = yield* Effect.promise(lastRun)
    if (run?.ended_at === null) duringRun += victims.length
    yield* kill(victims)
    kills += victims.length
  }
  const ended = yield* Effect.promise(() => until(lastRun, (run) => run !== undefined && run.ended_at !== null))
  const seconds = ((performance.now() - begun) / 1_000).toFixed(0)
  const documents = async (query: string) => {
    const reply = await anyClient().get(`/api/external/chatbot/${id}/knowledge-base/documents?limit=1${query}`)
    return read(Schema.Struct({ metadata: Schema.Struct({ totalCount: Schema.Int }) }), reply).metadata.totalCount
  }
  yield* Effect.promise(() =>
    until(
      () => Promise.all(["", "&status=ready", "&status=failed"].map(documents)),
      ([all = 0, ready = 0, failed = 0]) => ready + failed === all,
    ),
  )
  for (const { scope, server } of servers) {
    yield* stop(server)
    yield* Scope.close(scope, Exit.void)
  }
  yield* sweep(at)
  const { counts, keys } = yield* over(at.database, (sql) =>
    Effect.all({
      keys: blobKeysIn(sql),
      counts: sql<Counts>`
        select count(*)::int as documents, count(distinct url)::int as addresses,
          count(*) filter (where status = 'ready')::int as ready,
          (select count(*)::int from source_pages where outcome = 'new' and document_id is not null) as pages,
          (select count(*)::int from source_pages) as known,
          (select count(*)::int from source_runs) as runs,
          (select count(*)::int from source_queue) as queued
        from documents`,
    }),
  )
  return findingsOf({ web, pages, kills, duringRun, run: ended, seconds, counts: counts[0], left: leftovers(at, keys) })
})

interface Counts {
  readonly documents: number
  readonly addresses: number
  readonly ready: number
  readonly pages: number
  readonly known: number
  readonly runs: number
  readonly queued: number
}

const findingsOf = ({
  counts,
  duringRun,
  kills,
  left,
  pages,
  run,
  seconds,
  web,
}: {
  readonly web: TrapSite
  readonly pages: number
  readonly kills: number
  readonly duringRun: number
  readonly run: SourceRun | undefined
  readonly seconds: string
  readonly counts: Counts | undefined
  readonly left: ReadonlyArray<string>
}): ReadonlyArray<Finding> => {
  const requested = Map.groupBy(
    web.requests.filter(({ path }) => path !== "/robots.txt"),
    ({ path }) => path,
  )
  const again = Array.from(requested.values()).filter(({ length }) => length > 1)
  const sorted = web.requests.toSorted((one, other) => one.from - other.from)
  const gaps = sorted.slice(1).map(({ from }, index) => from - (sorted[index]?.from ?? 0))
  return [
    { name: `Kills with SIGKILL, during the run of ${pages} pages`, value: `${kills}, ${duringRun}` },
    {
      name: "The run",
      value: `${run?.status}, ${JSON.stringify(run?.counts)}, ${run?.requests} requests, ${seconds} s`,
      isKept: run?.status === "finished" && counts?.runs === 1 && counts.queued === 0,
    },
    {
      name: "Documents, their addresses, those that are ready; pages; pages known",
      value: JSON.stringify(Object.values(counts ?? {}).slice(0, 5)),
      isKept:
        counts !== undefined &&
        [counts.documents, counts.addresses, counts.ready, counts.pages, counts.known].every(
          (count) => count === pages,
        ),
    },
    { name: "Pages never requested", value: String(pages - requested.size), isKept: requested.size === pages },
    {
      name: "Pages requested more than once, and most requests for one",
      value: `${again.length}, ${Math.max(...Array.from(requested.values(), ({ length }) => length))}`,
    },
    {
      name: "Requests for robots.txt: one for each time that the run goes on",
      value: String(web.requests.filter(({ path }) => path === "/robots.txt").length),
    },
    {
      name: "From a request to the next, at least and at most",
      value: `${Math.min(...gaps).toFixed(0)}, ${Math.max(...gaps).toFixed(0)} ms`,
    },
    { name: "Files and rows left over", value: left.slice(0, 3).join("; ") || "0", isKept: left.length === 0 },
  ]
}
