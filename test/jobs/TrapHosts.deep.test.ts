import { createServer } from "node:http"
import { afterAll, expect, test } from "bun:test"
import { Effect, ManagedRuntime, type Scope } from "effect"
import type { SourceConfig, SourceKind } from "../../src/domain/knowledge/Source.ts"
import { crawlNeeds, makeSource, pagesOf, runSource, startCrawling } from "../lib/Crawling.ts"
import { type Answer, answers, page, sends, silent, trapSite, type TrapSite } from "../lib/TrapSite.ts"

const runtime = ManagedRuntime.make(crawlNeeds)
type Services = ManagedRuntime.ManagedRuntime.Services<typeof runtime>
const run = <A, E>(effect: Effect.Effect<A, E, Services | Scope.Scope>) => runtime.runPromise(Effect.scoped(effect))
afterAll(() => runtime.dispose())

const xml = { "content-type": "application/xml" }
const PAGES = 8
/** Fewer than if every page were read twice, and more than without a second try of some. */
const ONCE = 1.5 * (PAGES + 1)

/** A first page that links to others at paths with this end. */
const site = (
  answerTo = (path: string): Answer => page(`Page ${path}`),
  end = "",
): Readonly<Record<string, Answer>> => {
  const paths = Array.from({ length: PAGES - 1 }, (_, index) => `/p${index}${end}`)
  return { "/": page("Home", paths), ...Object.fromEntries(paths.map((path) => [path, answerTo(path)])) }
}

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

/** Names three sitemaps of its kind at longer addresses, and so on. */
const sitemapOfSitemaps: Answer = (request, response) => {
  const maps = [1, 2, 3].map((next) => `<sitemap><loc>${request.url}${next}</loc></sitemap>`)
  sends(`<sitemapindex>${maps.join("")}</sitemapindex>`, xml)(request, response)
}

interface TrapHost {
  readonly kind?: SourceKind
  readonly host?: string
  readonly path?: string
  readonly config?: Partial<SourceConfig>
  readonly pages: Readonly<Record<string, Answer>>
  readonly status?: string
  readonly code?: string
  /** Pages that become documents; any number of them if absent. */
  readonly read?: number
  readonly requestsMax: number
}

test.each<[name: string, TrapHost]>([
  ["that never answers but for its first page", { pages: site(() => silent, "/slow"), read: 1, requestsMax: 15 }],
  [
    "with a calendar without end and ids of sessions",
    { pages: { "/": calendar() }, config: { depth: 50, max_pages: 500 }, requestsMax: 150 },
  ],
  [
    "with the same page at every address",
    { pages: { "": page("Same", ["a/", "b/", "?x=1"]) }, config: { depth: 50 }, requestsMax: 150 },
  ],
  ["in capital letters", { host: "CAPITALS.Example", pages: site(), read: PAGES, requestsMax: ONCE }],
  ["in other letters", { host: "b\u00fccher.example", pages: site(), read: PAGES, requestsMax: ONCE }],
  [
    "with sitemaps of sitemaps without end",
    {
      kind: "sitemap",
      path: "/0",
      pages: { "/robots.txt": answers(404), "": sitemapOfSitemaps },
      status: "failed",
      code: "nothing_found",
      read: 0,
      requestsMax: 150,
    },
  ],
])(
  "a host %s is read to an end",
  async (_, trap) => {
    await run(
      Effect.gen(function* () {
        const server = yield* trapSite
        yield* startCrawling()
        const url = `http://${trap.host ?? "trap.example"}:${server.port}${trap.path ?? "/"}`
        const host = new URL(url).hostname
        for (const [path, answer] of Object.entries(trap.pages)) server.pages.set(host + path, answer)
        const source = yield* makeSource(trap.kind ?? "website", [url], trap.config)
        expect(yield* runSource(source)).toMatchObject({
          status: trap.status ?? "finished",
          error: trap.code === undefined ? null : { code: trap.code },
        })
        const pages = Array.from((yield* pagesOf(source)).values())
        const read = pages.filter(({ document_id }) => document_id !== null).length
        expect(read).toBe(trap.read ?? read)
        expect(server.requests.length).toBeLessThanOrEqual(trap.requestsMax)
      }),
    )
  },
  60_000,
)

/** An address of this machine that no setting of the crawling process allows. */
const PRIVATE = "127.0.0.2"

/** A server on the private address, which counts who reaches it. */
const privateServer = (port: number) =>
  Effect.acquireRelease(
    Effect.callback<{ reached: number; close: () => void }>((resume) => {
      const server = createServer((_, response) => void response.end("secret"))
      const seen = { reached: 0, close: () => void server.close() }
      server.on("connection", () => seen.reached++)
      server.listen(port, PRIVATE, () => resume(Effect.succeed(seen)))
    }),
    ({ close }) => Effect.sync(close),
  )

/** Names below `inside.example` are private, and `both.example` is also. */
const resolve = (host: string) => {
  const addresses = host.endsWith("inside.example")
    ? [PRIVATE]
    : host === "both.example"
      ? ["127.0.0.1", PRIVATE]
      : ["127.0.0.1"]
  return Effect.succeed(addresses.map((address) => ({ address, family: 4 })))
}

/** The ways inwards: each a source whose run leads to the private address, and how many other pages it reads. */
const ways = (site: TrapSite): ReadonlyArray<readonly [name: string, kind: SourceKind, url: string, read: number]> => {
  const inside = site.at("db.inside.example", "/")
  const set = (address: string, answer: Answer) => site.pages.set(address, answer)
  const plain = { "content-type": "text/plain" }
  set("moved.example/", answers(302, { location: inside }))
  set("address.example/", answers(302, { location: `http://${PRIVATE}:${site.port}/` }))
  set("robots.example/robots.txt", sends(`Sitemap: ${inside}sitemap.xml\n`, plain))
  set("robots.example/", page("Robots"))
  set("map.example/sitemap.xml", sends(`<urlset><url><loc>${inside}</loc></url></urlset>`, xml))
  set("map.example/index.xml", sends(`<sitemapindex><sitemap><loc>${inside}</loc></sitemap></sitemapindex>`, xml))
  set("map.example/feed", sends(`<rss><channel><item><link>${inside}</link></item></channel></rss>`, xml))
  set("map.example/llms.txt", sends(`# Docs\n\n- [Inside](${inside})\n`, plain))
  const written = [PRIVATE, `[::ffff:${PRIVATE}]`, "2130706434", "0x7f000002", "0177.0.0.2"]
  return [
    ["a name", "website", inside, 0],
    ...written.map((host) => [`written as ${host}`, "website" as const, `http://${host}:${site.port}/`, 0] as const),
    ["a redirect to a name", "website", site.at("moved.example", "/"), 0],
    ["a redirect to an address", "website", site.at("address.example", "/"), 0],
    ["a name with a public address and a private one", "website", site.at("both.example", "/"), 0],
    ["a sitemap that robots.txt names", "website", site.at("robots.example", "/"), 1],
    ["an entry of a sitemap", "sitemap", site.at("map.example", "/sitemap.xml"), 0],
    ["a sitemap of a sitemap", "sitemap", site.at("map.example", "/index.xml"), 0],
    ["an entry of a feed", "feed", site.at("map.example", "/feed"), 0],
    ["a link of an llms.txt", "llms_txt", site.at("map.example", "/llms.txt"), 0],
  ]
}

test("no source leads to a private address, whatever names it", async () => {
  await run(
    Effect.gen(function* () {
      const site = yield* trapSite
      const inner = yield* privateServer(site.port)
      // It has to hear, or its silence would prove nothing.
      yield* Effect.promise(() => fetch(`http://${PRIVATE}:${site.port}/`))
      const heard = inner.reached
      expect(heard).toBe(1)
      yield* startCrawling({ resolve })
      for (const [name, kind, url, read] of ways(site)) {
        const ended = yield* runSource(yield* makeSource(kind, [url]))
        expect([name, ended?.counts?.["new"] ?? 0]).toEqual([name, read])
      }
      expect(inner.reached).toBe(heard)
    }),
  )
}, 180_000)
