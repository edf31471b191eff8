import { afterAll, describe, expect, test } from "bun:test"
import { Effect, ManagedRuntime, type Scope } from "effect"
import { crawlNeeds, makeSource, pagesOf, runSource, startCrawling, textsOf } from "../lib/Crawling.ts"
import { answers, page, sends, trapSite, type TrapSite } from "../lib/TrapSite.ts"
import { effectTests } from "../lib/EffectTests.ts"

/*
 * A whole website: what its source knows is what a person has seen who has opened every page, with each page once.
 */

const runtime = ManagedRuntime.make(crawlNeeds)
type Services = ManagedRuntime.ManagedRuntime.Services<typeof runtime>
const run = <A, E>(effect: Effect.Effect<A, E, Services | Scope.Scope>) => runtime.runPromise(Effect.scoped(effect))
const it = effectTests(run)
afterAll(() => runtime.dispose())

const DESCRIPTION =
  "The lamp is made of brass and of blown glass. It stands on a foot of oak, and its cable is three metres long. ".repeat(
    4,
  )
const COLOURS = ["red", "blue", "green", "white", "black", "brass"]
const PHONE = "Call the shop at 555-0100, from nine to five."

/** A page of the shop, as its generator writes it. */
const shop = (title: string, main: string, head = "") =>
  sends(`<!doctype html><html lang="en"><head><title>${title} | The Lamp Shop</title>${head}</head><body>
<header><nav><a href="/">Home</a> <a href="/help">Help</a> <a href="/lamps?sid=9f86d081884c7d659a2feaa0c55ad015">Lamps</a></nav></header>
<div class="cookie-banner"><p>We use cookies.</p><button>Accept</button></div>
<main><h1>${title}</h1>${main}<p>${PHONE}</p></main><footer>Imprint</footer></body></html>`)

const button = (id: string, text: string) =>
  `<h2><button aria-expanded="false" aria-controls="${id}">${text}</button></h2>`

const link = (address: string) => `<li><a href="${address}">${address}</a></li>`

/** The lamp under five addresses. */
const FIVE = ["/lamps/arc", "/offers/arc", "/lamps/arc?sort=price", "/arc", "/lamps/arc?print=1"]

const open = (site: TrapSite) => {
  const set = (path: string, answer: ReturnType<typeof sends>) => site.pages.set(`shop.example${path}`, answer)
  set(
    "/",
    shop(
      "Lamps for every room",
      `<p>We make lamps since 1926.</p><ul>${["/old", "/topic?id=1&s=shoes", "/topic?id=2&s=hats", ...FIVE].map(link).join("")}</ul>`,
    ),
  )
  set(
    "/help",
    shop(
      "Help",
      `${button("a1", "Can I return a lamp?")}<div id="a1" hidden><p>Within thirty days.</p></div>${button("a2", "Do you repair lamps?")}<div id="a2" style="display:none"><p>Yes, for ten years.</p></div>
      <aside><p>In August we are slower.</p></aside><section class="related"><p>Old lamps find a home in our museum of lamps.</p></section>
      <div role="dialog" hidden><p>Log in.</p></div>`,
    ),
  )
  set(
    "/lamps",
    shop(
      "All lamps",
      `<p>In six colours.</p><ul>${COLOURS.map((colour) => link(`/lamps/${colour}?PHPSESSID=k3v9q1m7t5r2p8n6j4h0g2f4d6`)).join("")}</ul>`,
    ),
  )
  for (const colour of COLOURS)
    set(`/lamps/${colour}`, shop(`The lamp in ${colour}`, `<p>Painted ${colour}.</p><p>${DESCRIPTION}</p>`))
  for (const path of FIVE) set(path, shop("The arc lamp", "<p>It reaches over a table of two metres.</p>"))
  set("/old", shop("The old price list", "<p>The lamp costs 99 euros.</p>"))
  set("/topic", answers(404))
  for (const [id, word] of [
    ["1&s=shoes", "Shoes"],
    ["2&s=hats", "Hats"],
  ])
    set(`/topic?id=${id}`, shop(`${word} below lamps`, `<p>${word} keep well below a lamp.</p>`))
  return set
}

describe("a website", () => {
  it("is known as a person sees it, and no longer than a person sees it", function* () {
    const site = yield* trapSite
    const set = open(site)
    yield* startCrawling()
    const source = yield* makeSource("website", [site.at("shop.example", "/")])
    expect(yield* runSource(source)).toMatchObject({ status: "finished", counts: { new: 13, duplicate: 4 } })
    const texts = yield* textsOf(source)
    const arc = FIVE.filter((path) => texts.has(path))
    expect(arc).toHaveLength(1)
    expect([...texts.keys()].filter((path) => !FIVE.includes(path))).toEqual([
      "/",
      "/help",
      "/lamps",
      ...COLOURS.map((colour) => `/lamps/${colour}`).toSorted(),
      "/old",
      "/topic?id=1&s=shoes",
      "/topic?id=2&s=hats",
    ])
    expect(texts.get("/help")).toBe(
      "# Help\n\n## Can I return a lamp?\n\nWithin thirty days.\n\n## Do you repair lamps?\n\nYes, for ten years.\n\nIn August we are slower.\n\nOld lamps find a home in our museum of lamps.",
    )
    for (const colour of COLOURS)
      expect(texts.get(`/lamps/${colour}`)).toContain(`Painted ${colour}.\n\n${DESCRIPTION.trim()}`)
    expect(texts.get("/topic?id=2&s=hats")).toBe("# Hats below lamps\n\nHats keep well below a lamp.")
    expect(texts.get("/")).toContain(PHONE)
    expect([...texts.values()].join("\n")).not.toMatch(/cookies|Accept|Imprint|Log in/)

    // The old prices are no page any more, the shop has moved to lower case, and the lamp has lost an address.
    set("/old", answers(301, { location: "/lamps" }))
    set("/lamps/red", answers(302, { location: "/lamps/red/" }))
    set("/lamps/red/", answers(500))
    set(arc[0] ?? "", answers(404))
    expect(yield* runSource(source)).toMatchObject({ status: "finished" })
    expect((yield* pagesOf(source)).get("/old")).toMatchObject({ outcome: "duplicate", misses: 1 })
    expect(yield* runSource(source)).toMatchObject({ status: "finished", counts: { deleted: 1 } })
    yield* runSource(source)
    const later = yield* textsOf(source)
    expect([...later.values()].join("\n")).not.toContain("99 euros")
    expect(later.get("/lamps/red/")).toContain("Painted red.")
    expect(FIVE.filter((path) => later.get(path)?.includes("two metres"))).toHaveLength(1)
    expect(later.size).toBe(12)
  })

  it("has each page once, under whatever addresses its links and redirects give it", function* () {
    const site = yield* trapSite
    const set = (path: string, answer: ReturnType<typeof sends>) => site.pages.set(`shop.example${path}`, answer)
    const addresses = [
      "/lamps/arc",
      "/lamps/arc/",
      "/Lamps/Arc",
      "/lamps/arc?utm_source=news&utm_campaign=may",
      "/lamps/arc?sid=9f86d081884c7d659a2feaa0c55ad015",
      "/lamps/arc?sort=price",
    ]
    set("/", shop("Lamps for every room", `<ul>${[...addresses, "/moved", "/away"].map(link).join("")}</ul>`))
    for (const path of addresses) set(path, shop("The arc lamp", "<p>It reaches over a table of two metres.</p>"))
    set("/moved", answers(301, { location: "/help?utm_source=old" }))
    set("/help", shop("Help", "<p>Within thirty days.</p>"))
    set("/away", answers(302, { location: site.at("other.example", "/") }))
    set("/lamps", shop("All lamps", "<p>In six colours.</p>"))
    site.pages.set("other.example/", page("Another shop"))
    yield* startCrawling()
    const source = yield* makeSource("website", [site.at("shop.example", "/")])
    expect(yield* runSource(source)).toMatchObject({ status: "finished", counts: { new: 4 } })
    const pages = yield* pagesOf(source)
    // Whichever address is read first keeps the page.
    const arc = new Set(["/Lamps/Arc", "/lamps/arc", "/lamps/arc/", "/lamps/arc?sort=price"])
    expect(new Set([...pages.keys()].filter((path) => /arc/i.test(path)))).toEqual(arc)
    expect([...arc].map((path) => pages.get(path)?.outcome).toSorted()).toEqual([
      "duplicate",
      "duplicate",
      "duplicate",
      "new",
    ])
    const others = [...pages].filter(([path]) => !arc.has(path)).map(([path, { outcome }]) => `${path} ${outcome}`)
    expect(others.toSorted()).toEqual(["/ new", "/away excluded", "/help new", "/lamps new", "/moved duplicate"])
    expect(pages.get("/away")?.detail).toContain("outside the scope")
    const texts = yield* textsOf(source)
    expect([...texts.keys()].filter((path) => !arc.has(path)).toSorted()).toEqual(["/", "/help", "/lamps"])
    expect(texts.get("/help")).toContain("Within thirty days.")
    const all = [...texts.values()].join("\n")
    expect(all.match(/over a table of two metres/g)).toHaveLength(1)
    expect(all).not.toContain("Another shop")
  })

  test.each([
    ["another page", "/b", "/b", 1],
    ["the first page", "/", "/", 1],
    ["another page, by a refresh", "/b", undefined, 1],
    ["another page, on its way over a third one", "/c", "/c", 1],
    ["the same page in other case that is read as well", "/A", "/A", 1],
    ["the same page with a slash that fails", "/a/", "/a/", 0],
    ["the same page in other case that fails", "/AA", undefined, 0],
  ])("forgets a page that redirects to %s after two runs", (name, path, location, deleted) =>
    run(
      Effect.gen(function* () {
        const site = yield* trapSite
        const set = (path: string, answer: ReturnType<typeof sends>) => site.pages.set(`docs.example${path}`, answer)
        set("/", page("Home", ["/a", "/b", "/d", "/e"]))
        for (const path of ["/a", "/b", "/d", "/e"]) set(path, page(`Page ${path}`))
        yield* startCrawling()
        const source = yield* makeSource("website", [site.at("docs.example", "/")])
        expect(yield* runSource(source)).toMatchObject({ counts: { new: 5 } })
        set("/", page("Home", ["/b", "/d", "/e", path, "/a"]))
        set("/c", answers(301, { location: "/b" }))
        set("/A", page("Page of today"))
        set("/a/", answers(500))
        set("/AA", answers(500))
        const refresh = sends(`<meta http-equiv="refresh" content="0; url=${path}"><p>Moved.</p>`)
        set("/a", location === undefined ? refresh : answers(301, { location }))
        yield* runSource(source)
        yield* runSource(source)
        yield* runSource(source)
        const texts = yield* textsOf(source)
        expect([name, [...texts.values()].some((text) => text.includes("Page /a"))]).toEqual([name, deleted === 0])
        expect([...texts.values()].filter((text) => text.includes("Page /b"))).toHaveLength(1)
      }),
    ),
  )

  it("whose routes stand behind a “#” names them as pages that cannot be read", function* () {
    const site = yield* trapSite
    site.pages.set("app.example/", page("App", ["#/guide", "#/prices", "/#!/contact", "https://code.example/"]))
    yield* startCrawling()
    const source = yield* makeSource("website", [site.at("app.example", "/")])
    expect(yield* runSource(source)).toMatchObject({ status: "finished", counts: { new: 1, excluded: 3 } })
    const pages = yield* pagesOf(source)
    expect([...pages.keys()]).toEqual(["/", "/#!/contact", "/#/guide", "/#/prices"])
    expect(pages.get("/#/guide")?.detail).toContain("behind the “#”")
    expect(yield* runSource(source)).toMatchObject({ status: "finished", counts: { unchanged: 1 } })
    expect((yield* textsOf(source)).size).toBe(1)
  })
})
