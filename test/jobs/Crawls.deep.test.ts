import { afterAll, describe, expect, test } from "bun:test"
import { Duration, Effect, Exit, Layer, ManagedRuntime, Scope } from "effect"
import { Documents } from "../../src/storage/documents/Documents.ts"
import { SystemSql } from "../../src/storage/sql/Database.ts"
import { Sources } from "../../src/storage/sources/Sources.ts"
import {
  type CrawlingChanges,
  crawlingWith,
  crawlNeeds,
  documentsOf,
  ended,
  makeSource,
  pagesOf,
  queueRun,
  runOf,
  runSource,
  startCrawling,
  type TestSource,
  textsOf,
} from "../lib/Crawling.ts"
import { BlobControl, eventually } from "../lib/Layers.ts"
import { as } from "../lib/Tenants.ts"
import { type Answer, answers, html, page, sends, setTraps, silent, trapSite, type TrapSite } from "../lib/TrapSite.ts"
import { effectTests } from "../lib/EffectTests.ts"

const runtime = ManagedRuntime.make(crawlNeeds)
type Services = ManagedRuntime.ManagedRuntime.Services<typeof runtime>
const run = <A, E>(effect: Effect.Effect<A, E, Services | Scope.Scope>) => runtime.runPromise(Effect.scoped(effect))
const it = effectTests(run)
afterAll(() => runtime.dispose())

const outcomesOf = (source: TestSource) =>
  Effect.map(pagesOf(source), (pages) => Object.fromEntries([...pages].map(([path, { outcome }]) => [path, outcome])))

interface GuideOptions {
  readonly maxPages?: number
  readonly host?: string
}

/** A site of this many pages below `/guide/`, all of which the first links to, and a source of it that nothing reads. */
const unreadGuide = Effect.fnUntraced(function* (
  count: number,
  { host = "docs.example", maxPages = 2_000 }: GuideOptions = {},
) {
  const site = yield* trapSite
  const paths = Array.from({ length: count - 1 }, (_, index) => `/guide/p${index + 1}`)
  site.pages.set(`${host}/guide/`, page("Guide", paths))
  for (const path of paths) site.pages.set(`${host}${path}`, page(`Page ${path.slice(8)}`))
  const source = yield* makeSource("website", [site.at(host, "/guide/")], { max_pages: maxPages })
  return { site, source, paths }
})

/** Such a site, and a process that reads it. */
const guide = (count: number, options: GuideOptions & CrawlingChanges = {}) =>
  Effect.andThen(startCrawling(options), unreadGuide(count, options))

/**
 * Lets a site answer so many requests for its pages, and none after them. Returns an effect that waits for the first one
 * that has no answer, and another that allows some more.
 */
const answering = ({ pages }: TrapSite, count: number) => {
  let left = count
  for (const [path, answer] of pages)
    pages.set(path, (request, response) => (left-- > 0 ? answer : silent)(request, response))
  return {
    stuck: eventually(
      Effect.sync(() => left),
      (some) => some < 0,
    ),
    allow: (more: number) => Effect.sync(() => (left = more)),
  }
}

const pathsOf = ({ requests }: TrapSite) => requests.map(({ path }) => path)

describe("a run of a website", () => {
  it("makes every page within the scope a document with its address", function* () {
    const site = yield* trapSite
    site.pages.set("docs.example/guide/", page("Guide", ["one", "two"]))
    site.pages.set("docs.example/guide/one", page("One/Two", ["two", "/other"]))
    site.pages.set("docs.example/guide/two", page("Two", ["http://elsewhere.example/"]))
    yield* startCrawling()
    const source = yield* makeSource("website", [site.at("docs.example", "/guide/")])
    expect(yield* runSource(source)).toMatchObject({
      status: "finished",
      error: null,
      requests: 4,
      counts: { new: 3, excluded: 1 },
    })
    const documents = yield* documentsOf(source)
    expect([...documents].map(([path, { name }]) => [path, name])).toEqual([
      ["/guide/", "Guide"],
      ["/guide/one", "One-Two"],
      ["/guide/two", "Two"],
    ])
    const { blobs } = yield* BlobControl
    const text = Buffer.from(blobs.get(documents.get("/guide/two")?.blob_key ?? "") ?? []).toString()
    expect(text).toStartWith("# Two\n\nThis is what the page Two says")
    expect(pathsOf(site)).toEqual(["/robots.txt", "/guide/", "/guide/one", "/guide/two"])
    expect(site.requests[1]?.headers["user-agent"]).toBe("ParleyBot/1.0 (+https://chat.example/docs/sources)")
  })

  it("reads a file whose address holds characters that no database stores", function* () {
    const { site, source } = yield* guide(2)
    site.pages.set("docs.example/guide/p1", page("Files", ["a%00%E2%80%AEb.txt"]))
    site.pages.set(
      "docs.example/guide/a%00%E2%80%AEb.txt",
      sends("A text of its own.", { "content-type": "text/plain" }),
    )
    expect(yield* runSource(source)).toMatchObject({ status: "finished", counts: { new: 3 } })
    expect((yield* pagesOf(source)).get("/guide/a%00%E2%80%AEb.txt")?.title).toBe("ab.txt")
  })

  it("gives every page of a site full of traps its reason, and goes nowhere else", function* () {
    const site = yield* trapSite
    const traps = setTraps(site)
    yield* startCrawling()
    const source = yield* makeSource("website", [site.at("docs.example", "/docs/")], {
      exclude: ["/docs/private/**"],
    })
    expect(yield* runSource(source)).toMatchObject({ status: "finished" })
    const pages = yield* pagesOf(source)
    for (const { detail, outcome, path } of traps) {
      const found = pages.get(path)
      expect([path, found?.outcome, found?.detail ?? null]).toEqual([
        path,
        outcome,
        detail === null ? null : expect.stringContaining(detail),
      ])
    }
    expect(pages.get("/docs/hop/11")).toMatchObject({
      outcome: "failed",
      detail: "It redirects more than 10 times.",
    })
    expect(pages.has("/docs/hop/12")).toBe(false)
    expect([...pages.keys()].filter((path) => path.startsWith("/elsewhere/")).length).toBeLessThanOrEqual(1_000)
    expect([...pages.keys()].some((path) => path.includes("user") || path.includes("#"))).toBe(false)
    expect(site.requests.filter(({ host }) => host !== "docs.example")).toEqual([])
    const within = /^\/(?:docs\/(?!private|forbidden)|robots\.txt$)/
    expect(pathsOf(site).filter((path) => !within.test(path))).toEqual([])
  }, 60_000)

  it("sends one request at a time to a host, with pauses", function* () {
    const { site, source } = yield* guide(15)
    const other = yield* makeSource("website", [site.at("docs.example", "/guide/")])
    let open = 0
    let mostOpen = 0
    const later =
      (answer: Answer): Answer =>
      (request, response) => {
        mostOpen = Math.max(mostOpen, ++open)
        // Another request would come meanwhile.
        setTimeout(() => {
          open--
          answer(request, response)
        }, 2)
      }
    for (const [path, answer] of site.pages) site.pages.set(path, later(answer))
    yield* Effect.all([runSource(source), runSource(other)], { concurrency: 2 })
    expect(site.requests.length).toBe(32)
    expect(mostOpen).toBe(1)
  })

  it("sends the next request to a host after the pause", function* () {
    const hour = Duration.hours(1)
    const { site, source } = yield* guide(2, { pauseMin: hour, pauseMax: hour })
    yield* queueRun(source)
    const sql = yield* SystemSql
    const host = new URL(site.at("docs.example", "/")).host
    // A host is reserved for less than a minute until the pause begins.
    yield* eventually(
      sql`select from crawled_hosts where host = ${host} and free_at > now() + interval '50 minutes'`,
      ({ length }) => length === 1,
    )
    expect(pathsOf(site)).toEqual(["/robots.txt"])
    yield* sql`update crawled_hosts set free_at = now() where host = ${host}`
    yield* eventually(
      Effect.sync(() => pathsOf(site)),
      ({ length }) => length > 1,
    )
    yield* sql`delete from source_queue where source_id = ${source.id}`
  })

  it("follows its first page to another host, and to no third one", function* () {
    const site = yield* trapSite
    site.pages.set("example.example/", answers(301, { location: site.at("www.example.example", "/en/") }))
    site.pages.set("www.example.example/en/", page("Home", ["about", site.at("third.example", "/")]))
    site.pages.set("www.example.example/en/about", page("About"))
    yield* startCrawling()
    const source = yield* makeSource("website", [site.at("example.example", "/")])
    expect(yield* runSource(source)).toMatchObject({ status: "finished", counts: { new: 2, duplicate: 1 } })
    expect([...(yield* documentsOf(source)).keys()]).toEqual(["/en/", "/en/about"])
    expect(new Set(site.requests.map(({ host }) => host))).toEqual(new Set(["example.example", "www.example.example"]))
  })

  it("ends at its depth and its most pages, with the reason at the pages beyond", function* () {
    const { source } = yield* guide(9, { maxPages: 5 })
    expect(yield* runSource(source)).toMatchObject({ status: "finished", counts: { new: 5, excluded: 4 } })
    const beyond = [...(yield* pagesOf(source)).values()].find(({ outcome }) => outcome === "excluded")
    expect(beyond?.detail).toBe("The source has as many pages as it may have, 5.")
    const site = yield* trapSite
    for (let depth = 0; depth < 9; depth++)
      site.pages.set(`deep.example/${depth}`, page(`Deep ${depth}`, [`/${depth + 1}`]))
    const deep = yield* makeSource("website", [site.at("deep.example", "/0")], { depth: 3 })
    yield* runSource(deep)
    expect(yield* outcomesOf(deep)).toEqual({
      "/0": "new",
      "/1": "new",
      "/2": "new",
      "/3": "new",
      "/4": "excluded",
    })
  })

  it("leaves out the blocks that repeat on its pages, except on the first", function* () {
    const site = yield* trapSite
    const footer = "<p>Call us at 555-0100, from nine to five.</p>"
    site.pages.set("docs.example/", page("Home", ["/1", "/2", "/3", "/4", "/5"], footer))
    for (const path of [1, 2, 3, 4, 5]) site.pages.set(`docs.example/${path}`, page(`Part ${path}`, [], footer))
    yield* startCrawling()
    const source = yield* makeSource("website", [site.at("docs.example", "/")])
    yield* runSource(source)
    const texts = [...(yield* textsOf(source)).values()]
    expect(texts.map((text) => text.includes("555-0100"))).toEqual([true, false, false, false, false, false])
    site.pages.set("docs.example/5", page("Part 5", ["/6"], footer))
    site.pages.set("docs.example/6", page("Part 6", [], footer))
    expect(yield* runSource(source)).toMatchObject({ counts: { unchanged: 6, new: 1 } })
  })

  it("escapes endless calendars, session ids and parameters", function* () {
    const site = yield* trapSite
    let session = 0
    site.pages.set("cal.example", (request, response) => {
      const url = new URL(request.url ?? "/", "http://cal.example")
      const month = Number(url.searchParams.get("month") ?? 0)
      const links = [`/cal?month=${month + 1}`, `/?token=${session++}&utm_source=x`, `/?PHPSESSID=${session}`]
      const title = url.pathname === "/cal" ? `Month ${month}` : "Home"
      page(title, ["/cal?month=1", ...links])(request, response)
    })
    site.pages.set("cal.example/robots.txt", answers(404))
    yield* startCrawling()
    const source = yield* makeSource("website", [site.at("cal.example", "/")], { depth: 50, max_pages: 500 })
    expect(yield* runSource(source)).toMatchObject({ status: "finished" })
    expect(site.requests.length).toBeLessThan(150)
    const details = new Set([...(yield* pagesOf(source)).values()].map(({ detail }) => detail))
    expect([...details].join("\n")).toContain("“token=”")
  }, 60_000)
})

describe("another run", () => {
  it("of unchanged pages fetches no body and replaces no document", function* () {
    const { site, source } = yield* guide(12)
    const first = yield* runSource(source)
    const before = yield* documentsOf(source)
    site.requests.length = 0
    const second = yield* runSource(source)
    expect(second).toMatchObject({ status: "finished", counts: { unchanged: 12 } })
    expect(second?.bytes ?? 1).toBeLessThan((first?.bytes ?? 0) / 20)
    expect(yield* documentsOf(source)).toEqual(before)
    expect(site.requests.length).toBe(13)
  })

  it("fetches and compares all pages anew when it is not known which blocks repeat on them", function* () {
    const { source } = yield* guide(12)
    const first = yield* runSource(source)
    yield* SystemSql.use((sql) => sql`update sources set repeated = null where id = ${source.id}`)
    const second = yield* runSource(source)
    expect(second).toMatchObject({ status: "finished", counts: { unchanged: 12 } })
    expect(second?.bytes).toBe(first?.bytes)
  })

  it("changes exactly what has changed by its text, whatever the validators say", function* () {
    const { site, source } = yield* guide(12)
    yield* runSource(source)
    const before = yield* documentsOf(source)
    const tracker = (body: string) => sends(body, { etag: `"${Math.random()}"` })
    site.pages.set("docs.example/guide/p1", tracker(html("Page 1").replace("</head>", "<script>x=1</script></head>")))
    site.pages.set("docs.example/guide/p2", tracker(html("Page 2", [], "<p>More than before.</p>")))
    expect(yield* runSource(source)).toMatchObject({ counts: { unchanged: 11, changed: 1 } })
    const after = yield* documentsOf(source)
    const changed = [...after].filter(([path, { sha256 }]) => before.get(path)?.sha256 !== sha256)
    expect(changed.map(([path]) => path)).toEqual(["/guide/p2"])
    expect(changed[0]?.[1].id).toBe(before.get("/guide/p2")?.id ?? "")
  })

  it("deletes a page that two runs find gone or excluded, and keeps one that fails", function* () {
    const { site, source } = yield* guide(12)
    yield* runSource(source)
    site.pages.set("docs.example/guide/p1", answers(404))
    site.pages.set("docs.example/guide/p2", answers(500))
    site.pages.set("docs.example/guide/p3", sends(`<meta name=robots content=noindex>${html("Page 3")}`))
    expect(yield* runSource(source)).toMatchObject({ counts: { gone: 1, failed: 1, excluded: 1, unchanged: 9 } })
    expect((yield* documentsOf(source)).size).toBe(12)
    expect(yield* runSource(source)).toMatchObject({ counts: { gone: 1, failed: 1, excluded: 1, deleted: 2 } })
    expect([...(yield* documentsOf(source)).keys()].slice(0, 4)).toEqual([
      "/guide/",
      "/guide/p10",
      "/guide/p11",
      "/guide/p2",
    ])
    expect((yield* pagesOf(source)).get("/guide/p1")).toMatchObject({ outcome: "gone", document_id: null })
  })

  it("that finds a page again after it was gone counts anew", function* () {
    const { site, source } = yield* guide(6)
    yield* runSource(source)
    const there = site.pages.get("docs.example/guide/p1")
    for (const answer of [answers(404), there, answers(404)]) {
      if (answer !== undefined) site.pages.set("docs.example/guide/p1", answer)
      yield* runSource(source)
    }
    expect((yield* documentsOf(source)).size).toBe(6)
  })

  it("that finds less than half of the pages is held, and goes on when it is confirmed", function* () {
    const { paths, site, source } = yield* guide(10)
    yield* runSource(source)
    for (const path of paths.slice(0, 6)) site.pages.set(`docs.example${path}`, answers(410))
    for (const attempt of [1, 2, 3]) {
      expect([attempt, yield* runSource(source)]).toMatchObject([
        attempt,
        { status: "held", error: { code: "pages_missing" } },
      ])
      expect((yield* documentsOf(source)).size).toBe(10)
    }
    expect(yield* runSource(source, { confirm: true })).toMatchObject({
      status: "finished",
      counts: { deleted: 6 },
    })
    expect((yield* documentsOf(source)).size).toBe(4)
  })

  it("hands the document of a page that has moved to its new address", function* () {
    const { site, source } = yield* guide(5)
    yield* runSource(source)
    const before = yield* documentsOf(source)
    site.pages.set("docs.example/guide/p1", answers(301, { location: "/guide/new" }))
    site.pages.set("docs.example/guide/new", page("Page 1"))
    expect(yield* runSource(source)).toMatchObject({ counts: { duplicate: 1, unchanged: 5 } })
    const after = yield* documentsOf(source)
    expect(after.get("/guide/new")?.id).toBe(before.get("/guide/p1")?.id ?? "")
    expect(after.has("/guide/p1")).toBe(false)
  })

  it("gives other pages what the first page has kept for them, once it is there no more", function* () {
    const site = yield* trapSite
    const [call, write] = ["<p>Call us at 555-0100, from nine to five.</p>", "<p>Write to the old office.</p>"]
    const paths = ["/1", "/2", "/3", "/4", "/5"]
    const home = (...more: ReadonlyArray<string>) => site.pages.set("docs.example/", page("Home", paths, more.join("")))
    home(call, write)
    for (const path of paths) site.pages.set(`docs.example${path}`, page(`Part ${path}`, [], call + write))
    yield* startCrawling()
    const source = yield* makeSource("website", [site.at("docs.example", "/")])
    const having = (words: string) =>
      Effect.map(textsOf(source), (texts) => [...texts].flatMap(([path, text]) => (text.includes(words) ? path : [])))
    yield* runSource(source)
    expect([yield* having("555-0100"), yield* having("old office")]).toEqual([["/"], ["/"]])
    home(call)
    yield* runSource(source)
    expect([yield* having("555-0100"), yield* having("old office")]).toEqual([["/"], paths])
  })

  test.each([
    ["is gone", answers(404)],
    ["redirects to another of them", answers(301, { location: "/guide/copy" })],
    ["asks not to be kept", sends('<meta name="robots" content="noindex"><p>Text.</p>')],
  ])("keeps a text with several addresses in every run when the first %s", (_, answer) =>
    run(
      Effect.gen(function* () {
        const { site, source } = yield* guide(4)
        site.pages.set("docs.example/guide/", page("Guide", ["p1", "p2", "p3", "copy", "p1?sort=price"]))
        site.pages.set("docs.example/guide/copy", page("Page 1"))
        expect(yield* runSource(source)).toMatchObject({ counts: { new: 4, duplicate: 2 } })
        const before = yield* documentsOf(source)
        site.pages.set("docs.example/guide/p1", answer)
        site.pages.set("docs.example/guide/p1?sort=price", answers(404))
        for (const attempt of [1, 2, 3]) {
          yield* runSource(source)
          const copy = (yield* documentsOf(source)).get("/guide/copy")
          expect([attempt, copy?.id]).toEqual([attempt, before.get("/guide/p1")?.id])
        }
        expect((yield* documentsOf(source)).size).toBe(4)
      }),
    ),
  )

  it("does not read a page whose document somebody has deleted, unless it is for those", function* () {
    const { site, source } = yield* guide(5)
    yield* runSource(source)
    const { chatbot, organization } = source
    const [id = ""] = yield* SystemSql.use((sql) =>
      Effect.map(
        sql<{ id: never }>`select id from documents where source_id = ${source.id} and url like '%/p1'`,
        (rows) => rows.map((row) => row.id),
      ),
    )
    if (id !== "") yield* as(organization)(Documents.use(({ remove }) => remove(chatbot, id)))
    site.requests.length = 0
    expect(yield* runSource(source)).toMatchObject({ counts: { removed: 1, unchanged: 4 } })
    expect(pathsOf(site)).not.toContain("/guide/p1")
    expect(yield* runSource(source, { only: "removed" })).toMatchObject({ counts: { new: 1 } })
    expect((yield* documentsOf(source)).size).toBe(5)
  })

  it("for the failed pages reads these alone", function* () {
    const { site, source } = yield* guide(6)
    site.pages.set("docs.example/guide/p1", answers(500))
    expect(yield* runSource(source)).toMatchObject({ counts: { failed: 1, new: 5 } })
    site.pages.set("docs.example/guide/p1", page("Page 1"))
    site.requests.length = 0
    expect(yield* runSource(source, { only: "failed" })).toMatchObject({ status: "finished", counts: { new: 1 } })
    expect(pathsOf(site)).toEqual(["/robots.txt", "/guide/p1"])
  })

  it("follows by its schedule, counted from the last one", function* () {
    const site = yield* trapSite
    site.pages.set("docs.example/", page("Home"))
    yield* startCrawling()
    const source = yield* makeSource("website", [site.at("docs.example", "/")], { schedule: "hourly" })
    yield* runSource(source)
    const sql = yield* SystemSql
    const [next] = yield* sql<{ minutes: number; run_id: null }>`
    select round(extract(epoch from run_at - now()) / 60)::int as minutes, run_id from source_queue where source_id = ${source.id}`
    expect(next).toEqual({ minutes: 60, run_id: null })
    yield* sql`update source_queue set run_at = now() where source_id = ${source.id}`
    const scheduled = yield* eventually(
      sql<{
        status: string
      }>`select status from source_runs where source_id = ${source.id} and trigger = 'schedule'`,
      ([row]) => row?.status === "finished",
    )
    expect(scheduled).toHaveLength(1)
  }, 60_000)
})

describe("a host", () => {
  it("whose robots.txt fails or never answers is left alone, and the run says so", function* () {
    for (const robots of [answers(500), silent, answers(429)]) {
      const host = robots === silent ? "silent.example" : "docs.example"
      const { site, source } = yield* guide(3, { host })
      site.pages.set(`${host}/robots.txt`, robots)
      const ended = yield* runSource(source)
      expect(ended).toMatchObject({ status: "failed", error: { code: "unreachable" } })
      expect(ended?.error?.message).toStartWith("robots.txt cannot be read, so that nothing is read from this host")
      expect(new Set(pathsOf(site))).toEqual(new Set(["/robots.txt"]))
    }
  })

  it("without a robots.txt, or with one of 10 MB, is read", function* () {
    const long = `${"# comment\n".repeat(1_000_000)}User-agent: *\nDisallow: /`
    for (const robots of [answers(403), sends(long), sends(`User-agent: ${"*".repeat(600_000)}`)]) {
      const { site, source } = yield* guide(3)
      site.pages.set("docs.example/robots.txt", robots)
      expect(yield* runSource(source)).toMatchObject({ status: "finished", counts: { new: 3 } })
    }
  })

  it("that forbids everything makes the run say so", function* () {
    const { site, source } = yield* guide(3)
    site.pages.set("docs.example/robots.txt", sends("User-agent: parleybot\nDisallow: /\n\nUser-agent: *\nAllow: /"))
    expect(yield* runSource(source)).toMatchObject({ status: "failed", error: { code: "forbidden" } })
  })

  it("that asks to wait is waited for, and left alone when it does so for ever", function* () {
    const { paths, site, source } = yield* guide(30)
    let refusals = 0
    site.pages.set("docs.example/guide/p1", (request, response) => {
      if (refusals++ === 0) return answers(429, { "retry-after": "0.1" })(request, response)
      page("Page 1")(request, response)
    })
    expect(yield* runSource(source)).toMatchObject({ counts: { new: 30 } })
    for (const path of paths) site.pages.set(`docs.example${path}`, answers(429, { "retry-after": "0.01" }))
    site.requests.length = 0
    expect(yield* runSource(source)).toMatchObject({ status: "finished", counts: { unchanged: 1, failed: 29 } })
    expect(site.requests.length).toBeLessThan(8)
    expect((yield* documentsOf(source)).size).toBe(30)
  })

  it("that asks to wait for an hour lets others be read meanwhile, and is read then", function* () {
    const { site, source } = yield* guide(3, {
      concurrency: 1,
      retryAfterMax: Duration.hours(1),
      waitMax: Duration.minutes(1),
    })
    const known = site.pages.get("docs.example/guide/p1")
    site.pages.set("docs.example/guide/p1", answers(429, { "retry-after": "3600" }))
    const waiting = yield* queueRun(source)
    yield* eventually(
      Effect.sync(() => pathsOf(site)),
      (paths) => paths.includes("/guide/p1"),
    )
    site.pages.set("other.example/", page("Another"))
    const other = yield* makeSource("website", [site.at("other.example", "/")])
    expect(yield* runSource(other)).toMatchObject({ status: "finished", counts: { new: 1 } })
    expect(yield* runOf(waiting)).toMatchObject({ status: "running" })
    // An hour later.
    if (known !== undefined) site.pages.set("docs.example/guide/p1", known)
    const sql = yield* SystemSql
    yield* sql`update crawled_hosts set free_at = now()`
    yield* sql`update source_queue set run_at = now() where source_id = ${source.id}`
    expect(yield* ended(waiting)).toMatchObject({ status: "finished", counts: { new: 3 } })
  })

  it("that is down is left alone after some requests, and no document is lost", function* () {
    const { paths, site, source } = yield* guide(30)
    yield* runSource(source)
    for (const path of paths) site.pages.set(`docs.example${path}`, answers(502))
    site.requests.length = 0
    expect(yield* runSource(source)).toMatchObject({ status: "finished", counts: { unchanged: 1, failed: 29 } })
    expect(site.requests.length).toBeLessThan(15)
    expect((yield* documentsOf(source)).size).toBe(30)
  })

  it("that cannot be found, or is private, makes the run fail with the reason", function* () {
    yield* startCrawling()
    const source = yield* makeSource("website", ["http://db.inside.example/"])
    expect(yield* runSource(source)).toMatchObject({ status: "failed", error: { code: "unreachable" } })
    expect((yield* runSource(source))?.error?.message).toContain("cannot be found, or may not be called")
  })

  it("whose name turns private during the run is not reached any more", function* () {
    let lookups = 0
    const resolve = () => Effect.sync(() => [{ address: ++lookups > 3 ? "10.0.0.1" : "127.0.0.1", family: 4 }])
    const { site, source } = yield* guide(5, { resolve })
    expect(yield* runSource(source)).toMatchObject({ counts: { new: 2, failed: 3 } })
    expect(site.requests.length).toBe(3)
  })
})

describe("a run that is cut off", () => {
  it("goes on in another process, with each page exactly once", function* () {
    const { site, source, paths } = yield* unreadGuide(40)
    const { allow, stuck } = answering(site, 9)
    const run = yield* queueRun(source)
    for (let death = 0; death < 4; death++) {
      const scope = yield* Scope.make()
      yield* Effect.provideService(Layer.build(crawlingWith()), Scope.Scope, scope)
      yield* stuck
      yield* Scope.close(scope, Exit.void)
      yield* allow(9)
    }
    yield* allow(Infinity)
    yield* startCrawling()
    expect(yield* ended(run)).toMatchObject({ status: "finished" })
    expect((yield* documentsOf(source)).size).toBe(40)
    expect((yield* pagesOf(source)).size).toBe(paths.length + 1)
  }, 60_000)

  it("writes nothing more once another process has its lease", function* () {
    const { site, source } = yield* guide(40)
    const run = yield* queueRun(source)
    const sql = yield* SystemSql
    for (let theft = 0; theft < 3; theft++) {
      const before = site.requests.length
      yield* eventually(
        Effect.all([runOf(run), Effect.sync(() => site.requests.length)]),
        ([seen, count]) => count > before + 4 || seen?.status === "finished",
      )
      yield* sql`update source_queue set run_at = now() where source_id = ${source.id}`
    }
    expect(yield* ended(run)).toMatchObject({ status: "finished" })
    expect((yield* documentsOf(source)).size).toBe(40)
    expect(yield* sql`select 1 from documents where source_id = ${source.id}`).toHaveLength(40)
  }, 60_000)

  it("by the deletion of its source ends, and leaves nothing", function* () {
    const { site, source } = yield* guide(40, { lease: "900 millis", concurrency: 1 })
    const { stuck } = answering(site, 15)
    const { chatbot, id, organization } = source
    yield* queueRun(source)
    yield* stuck
    yield* as(organization)(Sources.use(({ remove }) => remove(chatbot, id)))
    // The process reads one source at a time, so that it reads another one once the run has ended.
    site.pages.set("next.example/", page("Next"))
    yield* runSource(yield* makeSource("website", [site.at("next.example", "/")]))
    const hosts = site.requests.map(({ host }) => host)
    expect(hosts.lastIndexOf("docs.example")).toBeLessThan(hosts.indexOf("next.example"))
    const sql = yield* SystemSql
    for (const table of ["documents", "source_pages", "source_runs", "source_queue"])
      expect(yield* sql`select 1 from ${sql(table)} where source_id = ${id}`).toEqual([])
  })

  it("by a request to stop keeps what was read, and deletes nothing", function* () {
    const { site, source } = yield* guide(40, { lease: "900 millis", concurrency: 1 })
    const { stuck } = answering(site, 15)
    const run = yield* queueRun(source)
    yield* stuck
    const sql = yield* SystemSql
    yield* sql`update source_runs set is_stopping = true where id = ${run}`
    expect(yield* ended(run)).toMatchObject({ status: "stopped", error: null })
    const { size } = yield* documentsOf(source)
    expect(size).toBeGreaterThan(0)
    expect(size).toBeLessThan(40)
    expect([...(yield* pagesOf(source)).values()].filter(({ is_waiting }) => is_waiting)).toEqual([])
    expect((yield* runOf(run))?.counts?.["new"]).toBe(size)
  }, 60_000)

  it("by a quota says so, and keeps what was read", function* () {
    const { source } = yield* guide(12)
    const sql = yield* SystemSql
    yield* sql`update organizations set quota = quota || '{"documents": 4}' where id = ${source.organization}`
    expect(yield* runSource(source)).toMatchObject({ status: "failed", error: { code: "quota_reached" } })
    expect((yield* documentsOf(source)).size).toBe(4)
    yield* sql`update organizations set quota = quota || '{"documents": null}' where id = ${source.organization}`
    expect(yield* runSource(source)).toMatchObject({ status: "finished" })
    expect((yield* documentsOf(source)).size).toBe(12)
  })
})
