import { createServer } from "node:http"
import { Effect } from "effect"
import type { SourceKind } from "../../../src/domain/knowledge/Source.ts"
import type { Resolve } from "../../../src/outbound/SafeFetch.ts"
import { makeSource, runSource, startCrawling } from "../../lib/Crawling.ts"
import { answers, page, sends, trapSite, type TrapSite } from "../../lib/TrapSite.ts"
import type { Finding } from "../lib/Parts.ts"
import type { Piece } from "./Piece.ts"

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

/** Names below `inside.example` are private, `both.example` is also, and `turning.example` turns private. */
const resolveInwards = (): Resolve => {
  let lookups = 0
  const at = (...addresses: ReadonlyArray<string>) =>
    Effect.succeed(addresses.map((address) => ({ address, family: 4 })))
  return (host) => {
    if (host.endsWith("inside.example")) return at(PRIVATE)
    if (host === "both.example") return at("127.0.0.1", PRIVATE)
    if (host === "turning.example") return at(lookups++ > 3 ? PRIVATE : "127.0.0.1")
    return at("127.0.0.1")
  }
}

/** The ways inwards: each a source whose run, or one page of it, leads to the private address. */
const ways = (site: TrapSite): ReadonlyArray<readonly [name: string, kind: SourceKind, url: string, read: number]> => {
  const inside = site.at("db.inside.example", "/")
  const set = (host: string, answer: Parameters<TrapSite["pages"]["set"]>[1]) => site.pages.set(`${host}/`, answer)
  const written = [PRIVATE, `[::ffff:${PRIVATE}]`, "2130706434", "0x7f000002", "0177.0.0.2"]
  set("moved.example", answers(302, { location: inside }))
  set("address.example", answers(302, { location: `http://${PRIVATE}:${site.port}/` }))
  set("turning.example", page("Turning", ["/1", "/2", "/3", "/4", "/5"]))
  for (const number of [1, 2, 3, 4, 5]) site.pages.set(`turning.example/${number}`, page(`Turning ${number}`))
  site.pages.set(
    "robots.example/robots.txt",
    sends(`Sitemap: ${inside}sitemap.xml\n`, { "content-type": "text/plain" }),
  )
  set("robots.example", page("Robots"))
  site.pages.set(
    "map.example/sitemap.xml",
    sends(`<urlset><url><loc>${inside}</loc></url></urlset>`, { "content-type": "application/xml" }),
  )
  site.pages.set(
    "map.example/index.xml",
    sends(`<sitemapindex><sitemap><loc>${inside}</loc></sitemap></sitemapindex>`, {
      "content-type": "application/xml",
    }),
  )
  site.pages.set(
    "map.example/feed",
    sends(`<rss><channel><item><link>${inside}</link></item></channel></rss>`, { "content-type": "application/xml" }),
  )
  site.pages.set("map.example/llms.txt", sends(`# Docs\n\n- [Inside](${inside})\n`, { "content-type": "text/plain" }))
  return [
    ["a name", "website", inside, 0],
    ...written.map((host) => [`written as ${host}`, "website" as const, `http://${host}:${site.port}/`, 0] as const),
    ["a redirect to a name", "website", site.at("moved.example", "/"), 0],
    ["a redirect to an address", "website", site.at("address.example", "/"), 0],
    ["a name with a public address and a private one", "website", site.at("both.example", "/"), 0],
    ["a name that turns private", "website", site.at("turning.example", "/"), 3],
    ["a sitemap that robots.txt names", "website", site.at("robots.example", "/"), 1],
    ["an entry of a sitemap", "sitemap", site.at("map.example", "/sitemap.xml"), 0],
    ["a sitemap of a sitemap", "sitemap", site.at("map.example", "/index.xml"), 0],
    ["an entry of a feed", "feed", site.at("map.example", "/feed"), 0],
    ["a link of an llms.txt", "llms_txt", site.at("map.example", "/llms.txt"), 0],
  ]
}

/** Every way by which a source may lead to a private address. */
export const privateHosts: Piece = Effect.fnUntraced(function* () {
  const site = yield* trapSite
  const inner = yield* privateServer(site.port)
  // It has to hear, or its silence would prove nothing.
  yield* Effect.promise(() => fetch(`http://${PRIVATE}:${site.port}/`))
  const heard = inner.reached
  yield* startCrawling({ resolve: resolveInwards(), pageTimeout: "5 seconds" })
  const findings: Array<Finding> = []
  for (const [name, kind, url, read] of ways(site)) {
    const run = yield* runSource(yield* makeSource(kind, [url]))
    const seen = run?.counts?.["new"] ?? 0
    findings.push({
      name: `  private by ${name}: ${read} pages`,
      value: `${seen}, ${run?.status}${run?.error === null || run === undefined ? "" : `: ${run.error.code}`}`,
      ...(seen !== read && { isKept: false }),
    })
  }
  const reached = inner.reached - heard
  return [
    ...findings,
    {
      name: `Connections to a private address, by ${findings.length} ways`,
      value: String(reached),
      isKept: heard === 1 && reached === 0,
    },
  ]
})
