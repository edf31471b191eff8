import { afterAll, describe, expect, test } from "bun:test"
import { gzipSync } from "node:zlib"
import { Effect, ManagedRuntime, type Scope } from "effect"
import { crawlNeeds, documentsOf, makeSource, pagesOf, runSource, startCrawling } from "../lib/Crawling.ts"
import { answers, html, page, sends, trapSite, type TrapSite } from "../lib/TrapSite.ts"
import { effectTests } from "../lib/EffectTests.ts"

const runtime = ManagedRuntime.make(crawlNeeds)
type Services = ManagedRuntime.ManagedRuntime.Services<typeof runtime>
const run = <A, E>(effect: Effect.Effect<A, E, Services | Scope.Scope>) => runtime.runPromise(Effect.scoped(effect))
const it = effectTests(run)
afterAll(() => runtime.dispose())

const xml = { "content-type": "application/xml" }
const urlset = (addresses: ReadonlyArray<string>) =>
  `<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${addresses
    .map((address) => `<url><loc> ${address} </loc><image:image><image:loc>/no.png</image:loc></image:image></url>`)
    .join("")}</urlset>`
const index = (addresses: ReadonlyArray<string>) =>
  `<sitemapindex>${addresses.map((address) => `<sitemap><loc>${address}</loc></sitemap>`).join("")}</sitemapindex>`

const pages = (site: TrapSite, ...names: ReadonlyArray<string>) => {
  for (const name of names) site.pages.set(`docs.example/${name}`, page(`About ${name}`, ["/linked"]))
  return names.map((name) => site.at("docs.example", `/${name}`))
}

describe("a sitemap", () => {
  it("that is an index, compressed or a text, also of itself, names the pages that are read", function* () {
    const site = yield* trapSite
    const [one = "", two = "", three = "", four = ""] = pages(site, "one", "two", "three?a=1&amp;b=2", "four")
    site.pages.set("docs.example/three", page("About three"))
    const at = (path: string) => site.at("docs.example", path)
    const lists = ["/sitemap.xml", "/a.xml", "/b.xml.gz", "/c.txt", "/gone.xml"].map(at)
    site.pages.set("docs.example/sitemap.xml", sends(index(lists), xml))
    site.pages.set("docs.example/a.xml", sends(urlset([one, two, one]), xml))
    site.pages.set("docs.example/b.xml.gz", sends(gzipSync(urlset([three])), { "content-type": "application/gzip" }))
    site.pages.set("docs.example/c.txt", sends(`${four}\nnothing\n`, { "content-type": "text/plain" }))
    yield* startCrawling()
    const source = yield* makeSource("sitemap", [at("/sitemap.xml")], { exclude: ["/two"] })
    expect(yield* runSource(source)).toMatchObject({ status: "finished", counts: { new: 3, excluded: 1 } })
    expect([...(yield* documentsOf(source)).keys()]).toEqual(["/four", "/one", "/three?a=1&b=2"])
    // The sitemap that could not be read may name the page that is missing.
    site.pages.set("docs.example/a.xml", sends(urlset([two]), xml))
    yield* runSource(source)
    yield* runSource(source)
    expect((yield* documentsOf(source)).size).toBe(3)
  })

  test.each([
    ["with a prefix", "ns0:", ' xmlns:ns0="http://www.sitemaps.org/schemas/sitemap/0.9"'],
    ["with a prefix and without its namespace", "sm:", ""],
    ["without a namespace", "", ""],
    ["of an old namespace", "", ' xmlns="https://www.google.com/schemas/sitemap/0.84/"'],
  ])("%s names its pages, and no pictures", (_, prefix, namespace) =>
    run(
      Effect.gen(function* () {
        const site = yield* trapSite
        const [one = "", two = ""] = pages(site, "one", "two")
        pages(site, "picture", "film", "other")
        const foreign = `<image:image><image:loc>/picture</image:loc><loc>/other</loc></image:image><image:loc>/picture</image:loc><video:video><video:player_loc>/film</video:player_loc></video:video><xhtml:link rel="alternate" href="/other"/>`
        const tag = (name: string, content: string, more = "") =>
          `<${prefix}${name}${more}>${content}</${prefix}${name}>`
        const list = (address: string) =>
          tag("urlset", tag("url", `${tag("loc", `<![CDATA[${address}]]>`)}${foreign}`), namespace)
        const lists = ["/a.xml", "/b.xml"].map((path) => tag("sitemap", tag("loc", site.at("docs.example", path))))
        site.pages.set("docs.example/sitemap.xml", sends(tag("sitemapindex", lists.join(""), namespace), xml))
        site.pages.set("docs.example/a.xml", sends(list(one), xml))
        site.pages.set("docs.example/b.xml", sends(`<?xml version="1.0"?><!-- Made by hand. -->${list(two)}`, xml))
        yield* startCrawling()
        const source = yield* makeSource("sitemap", [site.at("docs.example", "/sitemap.xml")])
        expect(yield* runSource(source)).toMatchObject({ status: "finished", counts: { new: 2 } })
        expect([...(yield* documentsOf(source)).keys()]).toEqual(["/one", "/two"])
      }),
    ),
  )

  it("that does not name a page any more leads to its deletion after two runs", function* () {
    const site = yield* trapSite
    const [one = "", two = "", three = ""] = pages(site, "one", "two", "three")
    const list = (...named: ReadonlyArray<string>) =>
      site.pages.set("docs.example/sitemap.xml", sends(urlset(named), xml))
    list(one, two, three)
    yield* startCrawling()
    const source = yield* makeSource("sitemap", [site.at("docs.example", "/sitemap.xml")])
    yield* runSource(source)
    list(one, three)
    expect(yield* runSource(source)).toMatchObject({ counts: { unchanged: 2, excluded: 1 } })
    expect((yield* pagesOf(source)).get("/two")?.detail).toBe("The lists do not name it any more.")
    expect(yield* runSource(source)).toMatchObject({ counts: { unchanged: 2, excluded: 1, deleted: 1 } })
    expect([...(yield* documentsOf(source)).keys()]).toEqual(["/one", "/three"])
  })

  test.each([
    ["that is none", sends(html("No list")), "not_a_list", "is not a sitemap"],
    ["of elements without an end", sends("<urlset>".repeat(100_000), xml), "nothing_found", ""],
    ["that is missing", answers(404), "unreachable", "the status 404"],
  ])("%s makes the run fail with the reason", (_, answer, code, message) =>
    run(
      Effect.gen(function* () {
        const site = yield* trapSite
        site.pages.set("docs.example/sitemap.xml", answer)
        yield* startCrawling()
        const source = yield* makeSource("sitemap", [site.at("docs.example", "/sitemap.xml")])
        const ended = yield* runSource(source)
        expect(ended).toMatchObject({ status: "failed", error: { code } })
        expect(ended?.error?.message).toContain(message)
      }),
    ),
  )
})

describe("a feed", () => {
  test.each([
    [
      "RSS",
      (links: ReadonlyArray<string>) =>
        `<rss version="2.0"><channel><link>/home</link>${links.map((link) => `<item><title>A &amp; B</title><link>${link}</link></item>`).join("")}</channel></rss>`,
    ],
    [
      "Atom",
      (links: ReadonlyArray<string>) =>
        `<feed xmlns="http://www.w3.org/2005/Atom"><link href="/home"/>${links.map((link) => `<entry><link rel="self" href="/x"/><link href="${link}"/></entry>`).join("")}</feed>`,
    ],
    [
      "RSS with a prefix, and Atom's links beside its own",
      (links: ReadonlyArray<string>) =>
        `<r:rss xmlns:r="x"><r:channel><a:link href="/home"/>${links.map((link) => `<r:item><a:link rel="alternate" href="/home"/><r:link>${link}</r:link><r:source><r:link>/home</r:link></r:source></r:item>`).join("")}</r:channel></r:rss>`,
    ],
    [
      "RSS 1.0",
      (links: ReadonlyArray<string>) =>
        `<rdf:RDF xmlns="http://purl.org/rss/1.0/"><channel><link>/home</link></channel>${links.map((link) => `<item><link>${link}</link></item>`).join("")}</rdf:RDF>`,
    ],
    [
      "Atom with a prefix, and the feeds from which its entries come",
      (links: ReadonlyArray<string>) =>
        `<a:feed xmlns:a="http://www.w3.org/2005/Atom">${links.map((link) => `<a:entry><a:source><a:link href="/home"/></a:source><a:link href="${link}"/></a:entry>`).join("")}</a:feed>`,
    ],
  ])("of %s names pages, which stay when they leave it", (_, write) =>
    run(
      Effect.gen(function* () {
        const site = yield* trapSite
        pages(site, "one", "two", "three")
        site.pages.set("docs.example/feed", sends(write(["/one", "/two"]), xml))
        yield* startCrawling()
        const source = yield* makeSource("feed", [site.at("docs.example", "/feed")])
        expect(yield* runSource(source)).toMatchObject({ counts: { new: 2 } })
        site.pages.set("docs.example/feed", sends(write(["/three"]), xml))
        for (const count of [3, 3]) {
          expect(yield* runSource(source)).toMatchObject({ status: "finished" })
          expect((yield* documentsOf(source)).size).toBe(count)
        }
        expect([...(yield* documentsOf(source)).keys()]).toEqual(["/one", "/three", "/two"])
      }),
    ),
  )
})

describe("an llms.txt", () => {
  it("names the pages of its links, on whichever host, and no others are read", function* () {
    const site = yield* trapSite
    pages(site, "one")
    site.pages.set("other.example/two.md", sends("# Two\n\nOf Markdown.", { "content-type": "text/markdown" }))
    const text = `# Docs\n\n> About\n\n- [One](one): the first\n- [Two](${site.at("other.example", "/two.md")} "title")\n- [Mail](mailto:a@b.example)\n`
    site.pages.set("docs.example/llms.txt", sends(text, { "content-type": "text/plain" }))
    yield* startCrawling()
    const source = yield* makeSource("llms_txt", [site.at("docs.example", "/llms.txt")])
    expect(yield* runSource(source)).toMatchObject({ status: "finished", counts: { new: 2 } })
    expect([...(yield* documentsOf(source)).values()].map(({ content_type, name }) => [name, content_type])).toEqual([
      ["About one", "text/markdown"],
      ["two.md", "text/markdown"],
    ])
  })
})
