import { expect, setDefaultTimeout, test } from "bun:test"
import { Effect } from "effect"
import { crawlNeeds, makeSource, pagesOf, runSource, startCrawling } from "../lib/Crawling.ts"
import { page, sends, trapSite } from "../lib/TrapSite.ts"

setDefaultTimeout(180_000)

test("a sitemap of 50,000 addresses is read within the bounds of the source", () =>
  Effect.gen(function* () {
    const site = yield* trapSite
    const addresses = Array.from({ length: 50_000 }, (_, number) => site.at("docs.example", `/p${number}`))
    const urlset = `<urlset>${addresses.map((address) => `<url><loc>${address}</loc></url>`).join("")}</urlset>`
    site.pages.set("docs.example/sitemap.xml", sends(urlset, { "content-type": "application/xml" }))
    for (const number of [0, 1, 2, 3, 4]) site.pages.set(`docs.example/p${number}`, page(`About p${number}`))
    yield* startCrawling()
    const source = yield* makeSource("sitemap", [site.at("docs.example", "/sitemap.xml")], { max_pages: 5 })
    expect(yield* runSource(source)).toMatchObject({ status: "finished", counts: { new: 5 } })
    expect((yield* pagesOf(source)).size).toBeLessThanOrEqual(1_010)
    expect(site.requests.length).toBeLessThan(20)
  }).pipe(Effect.scoped, Effect.provide(crawlNeeds), Effect.runPromise))
