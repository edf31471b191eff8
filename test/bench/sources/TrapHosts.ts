import { Effect } from "effect"
import type { SourceConfig, SourceKind } from "../../../src/domain/knowledge/Source.ts"
import { makeSource, pagesOf, runSource, startCrawling } from "../../lib/Crawling.ts"
import { type Answer, answers, html, page, sends, silent, trapSite, type TrapSite } from "../../lib/TrapSite.ts"
import type { Finding } from "../lib/Parts.ts"
import type { Piece } from "./Piece.ts"

interface TrapHost {
  readonly name: string
  readonly kind?: SourceKind
  /** The path of the source's address. */
  readonly path?: string
  /** The address itself, where it is written otherwise than by its host. */
  readonly written?: (site: TrapSite) => string
  readonly config?: Partial<SourceConfig>
  readonly pages: Readonly<Record<string, Answer>>
  /** How the run ends: its status, its error, and how many pages become documents. */
  readonly expected: readonly [status: string, code: string | null, read: number]
  readonly requestsMax: number
}

const xml = { "content-type": "application/xml" }
const plain = { "content-type": "text/plain" }
const PAGES = 30
const numbers = Array.from({ length: PAGES - 1 }, (_, index) => `/p${index}`)

/** A first page that links to others, all of which have this answer, or a text. */
const site = (answer?: Answer): Readonly<Record<string, Answer>> => ({
  "/": page("Home", numbers),
  ...Object.fromEntries(numbers.map((path) => [path, answer ?? page(`Page ${path}`)])),
})

const urlset = (addresses: ReadonlyArray<string>) =>
  `<urlset>${addresses.map((address) => `<url><loc>${address}</loc></url>`).join("")}</urlset>`

/** Links to itself with another month and another session, for ever. */
const calendar = (): Answer => {
  let session = 0
  return (request, response) => {
    const url = new URL(request.url ?? "/", "http://host")
    const month = Number(url.searchParams.get("month") ?? 0)
    const links = [`/?month=${month + 1}`, `/?token=${session++}&utm_source=x`, `/?PHPSESSID=${session}`]
    page(`Month ${month}`, links)(request, response)
  }
}

const robots = (answer: Answer) => ({ ...site(), "/robots.txt": answer })

const hosts: ReadonlyArray<TrapHost> = [
  {
    name: "robots.txt with status 500",
    pages: robots(answers(500)),
    expected: ["failed", "unreachable", 0],
    requestsMax: 3,
  },
  {
    name: "robots.txt that never answers",
    pages: robots(silent),
    expected: ["failed", "unreachable", 0],
    requestsMax: 3,
  },
  {
    name: "robots.txt with status 429",
    pages: robots(answers(429)),
    expected: ["failed", "unreachable", 0],
    requestsMax: 3,
  },
  {
    name: "robots.txt of 10 MB",
    pages: robots(sends("# comment\n".repeat(1_000_000), plain)),
    expected: ["finished", null, PAGES],
    requestsMax: PAGES + 1,
  },
  {
    name: "robots.txt that forbids all",
    pages: robots(sends("User-agent: parleybot\nDisallow: /\n", plain)),
    expected: ["failed", "forbidden", 0],
    requestsMax: 1,
  },
  {
    name: "429 for ever",
    pages: site(answers(429, { "retry-after": "0.01" })),
    expected: ["finished", null, 1],
    requestsMax: 8,
  },
  { name: "down but for its first page", pages: site(answers(502)), expected: ["finished", null, 1], requestsMax: 15 },
  {
    name: "never answers but for its first page",
    pages: site(silent),
    expected: ["finished", null, 1],
    requestsMax: 15,
  },
  {
    name: "a calendar without end, with session ids",
    pages: { "/": calendar() },
    config: { depth: 50, max_pages: 500 },
    expected: ["finished", null, -1],
    requestsMax: 150,
  },
  {
    name: "the same page at every address",
    pages: { "": page("Same", ["a/", "b/", "?x=1"]) },
    config: { depth: 50 },
    expected: ["finished", null, -1],
    requestsMax: 150,
  },
  {
    name: "a host in capital letters",
    written: (at) => `http://CAPITALS.Example:${at.port}/`,
    pages: site(),
    expected: ["finished", null, PAGES],
    requestsMax: PAGES + 1,
  },
  {
    name: "a host in other letters",
    written: (at) => `http://b\u00fccher.example:${at.port}/`,
    pages: site(),
    expected: ["finished", null, PAGES],
    requestsMax: PAGES + 1,
  },
  {
    name: "a sitemap of 50,000 addresses",
    kind: "sitemap",
    path: "/map.xml",
    config: { max_pages: 20 },
    pages: { ...site(), "/map.xml": sends(urlset(Array.from({ length: 50_000 }, (_, number) => `/p${number}`)), xml) },
    expected: ["finished", null, 20],
    requestsMax: 40,
  },
  {
    name: "a sitemap that names itself",
    kind: "sitemap",
    path: "/map.xml",
    pages: {
      "/map.xml": sends(
        "<sitemapindex><sitemap><loc>/map.xml</loc></sitemap><sitemap><loc>/a.xml</loc></sitemap></sitemapindex>",
        xml,
      ),
      "/a.xml": sends(urlset(["/p1"]), xml),
      "/p1": page("One"),
    },
    expected: ["finished", null, 1],
    requestsMax: 5,
  },
  {
    name: "a sitemap of sitemaps without end",
    kind: "sitemap",
    path: "/0",
    pages: {
      "/robots.txt": answers(404),
      "": (request, response) =>
        sends(
          `<sitemapindex>${[1, 2, 3].map((next) => `<sitemap><loc>${request.url}${next}</loc></sitemap>`).join("")}</sitemapindex>`,
          xml,
        )(request, response),
    },
    expected: ["failed", "nothing_found", 0],
    requestsMax: 150,
  },
  {
    name: "a sitemap that is a page",
    kind: "sitemap",
    path: "/map.xml",
    pages: { "/map.xml": sends(html("No list")) },
    expected: ["failed", "not_a_list", 0],
    requestsMax: 2,
  },
]

/** Hosts that are traps as a whole, with short pauses. */
export const trapHosts: Piece = Effect.fnUntraced(function* () {
  const server = yield* trapSite
  yield* startCrawling()
  const findings: Array<Finding> = []
  for (const [index, trap] of hosts.entries()) {
    const url = trap.written?.(server) ?? server.at(`trap${index}.example`, trap.path ?? "/")
    const host = new URL(url).hostname
    for (const [path, answer] of Object.entries(trap.pages)) server.pages.set(host + path, answer)
    server.requests.length = 0
    const source = yield* makeSource(trap.kind ?? "website", [url], trap.config)
    const run = yield* runSource(source)
    const read = Array.from((yield* pagesOf(source)).values()).filter(({ document_id }) => document_id !== null).length
    const [status, code, expected] = trap.expected
    const isRight =
      run?.status === status &&
      (run.error?.code ?? null) === code &&
      (expected === -1 || expected === read) &&
      server.requests.length <= trap.requestsMax
    findings.push({
      name: `  ${trap.name}: ${code ?? status}${expected === -1 ? "" : `, ${expected} pages`}, at most ${trap.requestsMax} requests`,
      value: `${run?.error?.code ?? run?.status}, ${read} pages, ${server.requests.length} requests`,
      ...(!isRight && { isKept: false }),
    })
  }
  const wrong = findings.filter(({ isKept }) => isKept === false).length
  return [
    ...findings,
    {
      name: "Hosts that are traps, with the expected end",
      value: `${hosts.length - wrong} of ${hosts.length}`,
      isKept: wrong === 0,
    },
  ]
})
