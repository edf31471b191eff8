import { afterAll, expect } from "bun:test"
import { Effect, ManagedRuntime, type Scope } from "effect"
import type { CrawledKind, SourceConfig } from "../../src/domain/knowledge/Source.ts"
import { SourcePreviews } from "../../src/sources/Preview.ts"
import { crawlingWith, crawlNeeds } from "../lib/Crawling.ts"
import { answers, page, sends, silent, trapSite } from "../lib/TrapSite.ts"
import { effectTests } from "../lib/EffectTests.ts"

const runtime = ManagedRuntime.make(crawlNeeds)
type Services = ManagedRuntime.ManagedRuntime.Services<typeof runtime>
const run = <A, E>(effect: Effect.Effect<A, E, Services | Scope.Scope>) => runtime.runPromise(Effect.scoped(effect))
const it = effectTests(run)
afterAll(() => runtime.dispose())

const preview = (kind: CrawledKind, config: Pick<SourceConfig, "urls"> & Partial<SourceConfig>) =>
  Effect.provide(
    SourcePreviews.use((previews) =>
      previews.preview(kind, { include: [], exclude: [], depth: 10, max_pages: 100, text: null, ...config }),
    ),
    crawlingWith(),
  )

it("a preview shows the scope of a website and what its sitemap names, and reads no page", function* () {
  const site = yield* trapSite
  const at = (path: string) => site.at("docs.example", path)
  const host = `docs.example:${site.port}`
  site.pages.set("docs.example/robots.txt", sends(`User-agent: *\nCrawl-delay: 2\nSitemap: ${at("/map.xml")}`))
  site.pages.set(
    "docs.example/map.xml",
    sends(
      `<urlset>${["/guide/a", "/guide/b", "/else"].map((path) => `<url><loc>${at(path)}</loc></url>`).join("")}</urlset>`,
    ),
  )
  expect(yield* preview("website", { urls: [at("/guide/start.html")] })).toEqual({
    hosts: [host],
    include: [`${host}/guide/**`],
    listed: 2,
    examples: [at("/guide/a"), at("/guide/b")],
    problems: [],
  })
  expect(site.requests.map(({ path }) => path)).toEqual(["/robots.txt", "/map.xml"])
})

it("a preview says what keeps a source from being read", function* () {
  const site = yield* trapSite
  site.pages.set("forbids.example/robots.txt", sends("User-agent: *\nDisallow: /"))
  site.pages.set("fails.example/robots.txt", answers(500))
  site.pages.set("silent.example/robots.txt", silent)
  site.pages.set("page.example/", page("No list"))
  const problems = (kind: CrawledKind, host: string) =>
    Effect.map(preview(kind, { urls: [site.at(host, "/")] }), ({ listed, problems }) => [listed, problems.join()])
  expect(yield* problems("website", "forbids.example")).toEqual([null, expect.stringContaining("forbids it")])
  expect(yield* problems("website", "fails.example")).toEqual([null, expect.stringContaining("500")])
  expect(yield* problems("website", "silent.example")).toEqual([null, expect.stringContaining("answer")])
  expect(yield* problems("website", "empty.example")).toEqual([null, ""])
  expect(yield* problems("website", "inside.example")).toEqual([null, expect.stringContaining("cannot be found")])
  expect(yield* problems("sitemap", "page.example")).toEqual([null, expect.stringContaining("is not a sitemap")])
  expect(site.requests.every(({ path }) => path === "/" || path.endsWith(".txt") || path.endsWith(".xml"))).toBe(true)
})
