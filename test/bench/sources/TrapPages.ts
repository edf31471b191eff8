import { Duration, Effect } from "effect"
import { CrawlPace } from "../../../src/sources/PoliteFetch.ts"
import { makeSource, type PageRow, pagesOf, runSource, startCrawling } from "../../lib/Crawling.ts"
import { page, type SiteRequest, setTraps, type Trap, trapSite } from "../../lib/TrapSite.ts"
import type { Finding } from "../lib/Parts.ts"
import type { Piece } from "./Piece.ts"

/** Pages of another organization's source on the same host, which has to wait for its turn. */
const NEIGHBOURS = 40
/** What timers are wrong by, and the clocks of the two ends of a connection. */
const INACCURACY = 3

const isRight = ({ detail, outcome }: Trap, seen: PageRow | undefined): boolean =>
  seen?.outcome === outcome && (detail === null ? seen.detail === null : seen.detail?.includes(detail) === true)

const short = (text: string | null | undefined) => (text === null || text === undefined ? "" : `: ${text.slice(0, 70)}`)

/** Requests as a host sees them: at once, in a second, and how long after the beginning of the one before. */
const politeness = (requests: ReadonlyArray<SiteRequest>, pauseMin: number): ReadonlyArray<Finding> => {
  const sorted = requests.toSorted((one, other) => one.from - other.from)
  const gaps = sorted.slice(1).map(({ from }, index) => from - (sorted[index]?.from ?? 0))
  const most = (count: (one: SiteRequest) => number) => Math.max(...sorted.map(count))
  const inSecond = most(({ from }) => sorted.filter((other) => other.from >= from && other.from < from + 1_000).length)
  const atOnce = most(({ from }) => sorted.filter((other) => other.from <= from && other.to - INACCURACY > from).length)
  const seconds = ((sorted.at(-1)?.from ?? 0) - (sorted[0]?.from ?? 0)) / 1_000
  const least = Math.min(...gaps)
  return [
    { name: "Requests to the host, by both sources", value: `${requests.length} in ${seconds.toFixed(0)} s` },
    { name: "Requests per second", value: (requests.length / seconds).toFixed(2) },
    {
      name: "Requests within any second, at most",
      value: String(inSecond),
      isKept: inSecond <= Math.ceil(1_000 / pauseMin),
    },
    { name: "Requests at once, at most", value: String(atOnce), isKept: atOnce === 1 },
    {
      name: `From a request to the next, at least (promised: ${pauseMin} ms)`,
      value: `${least.toFixed(0)} ms`,
      isKept: least >= pauseMin - INACCURACY,
    },
  ]
}

/** The site of all traps, with the pauses and the timeout of servers, while another organization reads the same host. */
export const trapPages: Piece = Effect.fnUntraced(function* () {
  const pace = CrawlPace.defaultValue()
  const site = yield* trapSite
  const traps = setTraps(site)
  const names = Array.from({ length: NEIGHBOURS }, (_, index) => `/guide/p${index}`)
  site.pages.set("docs.example/guide/", page("Guide", names))
  for (const name of names) site.pages.set(`docs.example${name}`, page(`Guide ${name}`))
  yield* startCrawling({ ...pace, pageTimeout: "30 seconds" })
  const source = yield* makeSource("website", [site.at("docs.example", "/docs/")], { exclude: ["/docs/private/**"] })
  const neighbour = yield* makeSource("website", [site.at("docs.example", "/guide/")])
  const [run, other] = yield* Effect.all([runSource(source), runSource(neighbour)], { concurrency: 2 })
  const pages = yield* pagesOf(source)
  const table = traps.map((trap) => ({ trap, seen: pages.get(trap.path) }))
  const wrong = table.filter(({ seen, trap }) => !isRight(trap, seen))
  const others = Array.from(pages.values()).filter(({ outcome }) => outcome !== null)
  const counts = Array.from(
    Map.groupBy(others, ({ outcome }) => outcome),
    ([outcome, { length }]) => `${outcome} ${length}`,
  )
  const within = /^\/(?:docs\/(?!private|forbidden)|guide\/|robots\.txt$)/
  const outside = site.requests.filter(({ host, path }) => host !== "docs.example" || !within.test(path))
  const hop = pages.get("/docs/hop/11")
  return [
    ...table.map(({ seen, trap }): Finding => ({
      name: `  ${trap.path}: ${trap.outcome}`,
      value: `${seen?.outcome ?? "nothing"}${short(seen?.detail)}`,
      ...(!isRight(trap, seen) && { isKept: false }),
    })),
    {
      name: "Traps with the expected outcome and reason",
      value: `${traps.length - wrong.length} of ${traps.length}`,
      isKept: wrong.length === 0,
    },
    {
      name: "50 redirects, one after the other",
      value: `${hop?.outcome ?? "nothing"}${short(hop?.detail)}`,
      isKept: hop?.outcome === "failed" && !pages.has("/docs/hop/12"),
    },
    { name: "Pages that the site has, by outcome", value: counts.join(", "), isKept: run?.status === "finished" },
    {
      name: "Pages of the other organization on the host",
      value: JSON.stringify(other?.counts),
      isKept: other?.counts?.["new"] === NEIGHBOURS + 1,
    },
    ...politeness(site.requests, Duration.toMillis(pace.pauseMin)),
    { name: "Requests outside of the scope", value: String(outside.length), isKept: outside.length === 0 },
  ]
})
