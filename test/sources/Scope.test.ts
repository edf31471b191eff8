import { describe, expect, test } from "bun:test"
import { addressOf, isAlike } from "../../src/sources/Address.ts"
import { parseRobots } from "../../src/sources/Robots.ts"
import { keptBy, repeatedIn, withoutRepeated } from "../../src/sources/Repeated.ts"
import { globMatcher, makeScope } from "../../src/sources/Scope.ts"
import { Traps } from "../../src/sources/Traps.ts"

describe("an address", () => {
  test.each([
    ["HTTPS://Docs.EXAMPLE.com:443/a/./b/../c#top", "https://docs.example.com/a/c"],
    ["http://example.com.:80", "http://example.com/"],
    ["https://b\u00fccher.example/\u00e4", "https://xn--bcher-kva.example/%C3%A4"],
    ["http://[::1]:8080/x", "http://[::1]:8080/x"],
    ["https://example.com/%7euser/%e4?b=2&a=1", "https://example.com/~user/%E4?b=2&a=1"],
    ["https://example.com/a?utm_source=x&id=7&PHPSESSID=abc&fbclid=1", "https://example.com/a?id=7"],
    ["https://example.com/a?id=12&s=shoes", "https://example.com/a?id=12&s=shoes"],
    ["https://example.com/a?sid=12&session=2", "https://example.com/a?sid=12&session=2"],
    ["https://example.com/a?session_id=opening-talk-of-2024", "https://example.com/a?session_id=opening-talk-of-2024"],
    [
      "https://example.com/a?id=550e8400-e29b-41d4-a716-446655440000",
      "https://example.com/a?id=550e8400-e29b-41d4-a716-446655440000",
    ],
    ["https://example.com/a?sid=9f86d081884c7d659a2feaa0c55ad015&id=1", "https://example.com/a?id=1"],
    ["https://example.com/a?s=4bd1a7e0c3f94d27b85a6c1e2f3d4a5b", "https://example.com/a"],
    ["https://example.com/a?session-id=550e8400-e29b-41d4-a716-446655440000", "https://example.com/a"],
    ["https://example.com/a?SESSID=k3v9q1m7t5r2p8n6j4h0g2f4d6", "https://example.com/a"],
    ["https://example.com/a;jsessionid=0123?x", "https://example.com/a?x"],
    ["https://example.com/(S(abcdefgh12345678))/a", "https://example.com/a"],
    ["https://example.com/a?", "https://example.com/a"],
    ["  /b ", "https://example.com/b"],
  ])("%s is %s", (text, expected) => {
    expect(addressOf(text, "https://example.com/")).toBe(expected)
    expect(addressOf(expected)).toBe(expected)
  })

  test.each([
    "http://user:pw@example.com/",
    "http://user@example.com/",
    "mailto:a@b.c",
    "javascript:x",
    "ftp://e.com/",
    "http://",
    `http://e.com/${"x".repeat(3_000)}`,
  ])("%s is none of a page", (text) => {
    expect(addressOf(text)).toBeUndefined()
  })
})

describe("two addresses", () => {
  test.each([
    ["http://example.com/a", "https://example.com/a", true],
    ["https://example.com/a", "https://www.example.com/a", true],
    ["https://example.com/a", "https://example.com/a/", true],
    ["https://example.com/Lamps/Red", "https://example.com/lamps/red", true],
    ["http://www.example.com/A/?x=1", "https://example.com/a?x=1", true],
    ["https://example.com/lamps/red", "https://example.com/lamps/", false],
    ["https://example.com/a", "https://example.com/", false],
    ["https://example.com/a?id=1", "https://example.com/a?id=2", false],
    ["https://example.com/a", "https://shop.example.com/a", false],
  ])("%s and %s are of one page: %p", (one, other, expected) => {
    expect(isAlike(one, other)).toBe(expected)
    expect(isAlike(other, one)).toBe(expected)
  })
})

describe("a glob", () => {
  test.each([
    ["docs.example.com/guide/**", "https://docs.example.com/guide/a/b?c", true],
    ["docs.example.com/guide/**", "https://docs.example.com/guide", true],
    ["docs.example.com/guide/**", "https://docs.example.com/guides", false],
    ["https://docs.example.com", "https://docs.example.com/any", true],
    ["*.example.com/**", "https://docs.example.com/any", true],
    ["*.example.com/**", "https://example.org/a.example.com/x", false],
    ["/a/*/c", "https://any.example/a/b/c", true],
    ["/a/*/c", "https://any.example/a/b/b/c", false],
    ["/a/**/c", "https://any.example/a/b/b/c", true],
    ["/**.html", "https://any.example/a/b.html?x=1", true],
    ["/search?q=*", "https://any.example/search?q=x", true],
    ["/search?q=*", "https://any.example/search", false],
  ])("%s and %s: %p", (glob, address, expected) => {
    expect(globMatcher(glob)(address)).toBe(expected)
  })

  test("with more stars than people need matches nothing", () => {
    expect(globMatcher(`/${"*a".repeat(12)}`)(`https://any.example/${"a".repeat(24)}`)).toBe(true)
    expect(globMatcher(`/${"*a".repeat(13)}`)(`https://any.example/${"a".repeat(26)}`)).toBe(false)
  })

  test("is matched soon, whatever it and the address are", () => {
    const matches = globMatcher("/**a*a**a*a**a*a**a*a**a*b")
    expect(matches(`https://any.example/${"a".repeat(1_900)}`)).toBe(false)
  })
})

describe("the scope of a website", () => {
  const scope = makeScope("website", { include: [], exclude: ["/guide/old/**"] }, [
    "https://docs.example.com/guide/x.html",
  ])

  test("is the directory of its address, without what is excluded", () => {
    expect(scope.include).toEqual(["docs.example.com/guide/**"])
    expect(scope.refusal("https://docs.example.com/guide/a")).toBeUndefined()
    expect(scope.refusal("https://docs.example.com/guide/old/a")).toEqual({
      detail: "The pattern /guide/old/** excludes it.",
      isNear: true,
    })
    expect(scope.refusal("https://docs.example.com/blog")).toMatchObject({ isNear: true })
    expect(scope.refusal("https://elsewhere.example.com/guide/a")).toMatchObject({ isNear: false })
  })
})

describe("robots.txt", () => {
  const text = (lines: string) => parseRobots("https://e.com/robots.txt", Buffer.from(lines))

  test("holds for this program by its name, or else by the star", () => {
    const rules = text(
      "User-agent: *\nDisallow: /\nUser-agent: Other\nUser-agent: PARLEYBOT/2.0\nDisallow: /a*.pdf$\nAllow: /a/b.pdf\nCrawl-delay: 1.5\nSitemap: https://e.com/s.xml",
    )
    expect([
      rules.allows("https://e.com/"),
      rules.allows("https://e.com/a/c.pdf"),
      rules.allows("https://e.com/a/b.pdf"),
    ]).toEqual([true, false, true])
    expect([rules.delay, rules.sitemaps]).toEqual([1.5, ["https://e.com/s.xml"]])
  })

  test("of any form is read and applied soon, in little memory", () => {
    const hostile = [
      "User-agent: a\n".repeat(18_000) + "Allow: /\n".repeat(28_000),
      `User-agent: *\n${`Disallow: /${"*a".repeat(900)}\n`.repeat(300)}`,
      `User-agent: *\nDisallow: ${"*".repeat(500_000)}`,
      "\u0000\uffff: :\n".repeat(50_000),
    ]
    for (const one of hostile) text(one).allows(`https://e.com/${"a".repeat(1_900)}`)
  })
})

describe("links without an end", () => {
  test("are noticed by repeated segments, by many dates and by parameters that change nothing", () => {
    const traps = new Traps()
    expect(traps.refusal("https://e.com/a/b/a/b/a/b")).toBeUndefined()
    expect(traps.refusal("https://e.com/a/b/a/b/a/b/a/b")).toBe("Its path repeats itself.")
    const months = Array.from({ length: 300 }, (_, month) =>
      traps.refusal(`https://e.com/cal/${2_000 + Math.floor(month / 12)}/${1 + (month % 12)}`),
    )
    expect(months.filter((refusal) => refusal === undefined)).toHaveLength(100)
    expect(
      Array.from({ length: 300 }, (_, post) => traps.refusal(`https://e.com/2024/05/post-${post}-name`)).filter(
        (one) => one !== undefined,
      ),
    ).toEqual([])
    for (let time = 0; time < 12; time++) traps.learn(`https://e.com/p?token=${time}&id=${time}`, true)
    for (let time = 0; time < 12; time++) traps.learn(`https://e.com/p?id=${time}`, false)
    expect(traps.refusal("https://e.com/q?token=x")).toContain("“token=”")
    expect(traps.refusal("https://e.com/q?id=9")).toBeUndefined()
  })
})

describe("blocks that repeat", () => {
  const site = (...pages: ReadonlyArray<ReadonlyArray<string>>) =>
    pages.map((blocks, index) => ({ url: `https://e.com/${index}`, blocks }))
  const LONG = "The lamp is made of brass and glass, and lights a room of thirty square metres evenly. ".repeat(5)

  test("are left out with the headings that had nothing else", () => {
    const pages = site(
      ...[1, 2, 3, 4].map((number) => ["## Usage", `Own text ${number}.`, "## Share", "Share this page!"]),
    )
    const repeated = repeatedIn(pages) ?? []
    expect(withoutRepeated(pages[1]?.blocks ?? [], repeated)).toEqual(["## Usage", "Own text 2."])
    expect(repeatedIn(pages.slice(0, 3))).toBeUndefined()
  })

  test.each([
    ["a banner that the first page has", ["Home", "Call us."], "Call us.", [], "Own."],
    ["a banner that the first page has not", ["Home"], "Call us.", ["Call us."], "Own."],
    ["a long description of variants", ["Home"], LONG, [LONG], "Own."],
    ["a long description of variants, the first of which is the first page", [LONG, "Red."], LONG, [LONG], "Own."],
    ["a long banner beside a longer text", ["Home", LONG], LONG, [], "Own text, much longer than it. ".repeat(30)],
  ])("leave a copy, and to variants what they say: %s", (_, first, shared, kept, own) => {
    const pages = site(first, ...[1, 2, 3, 4, 5, 6].map((number) => [`${own} ${number}.`, shared]))
    const repeated = repeatedIn(pages) ?? []
    expect(withoutRepeated([`${own} 1.`, shared], repeated)).toEqual([`${own} 1.`, ...kept])
  })

  test("come back to all pages when the page that keeps them has lost them", () => {
    const pages = site(...[1, 2, 3, 4].map((number) => [`Own ${number}.`, "Call us.", "Write to us."]))
    const [first = pages[1], second = first] = pages
    if (first === undefined || second === undefined) return
    const repeated = repeatedIn(pages) ?? []
    expect(keptBy(second, repeated)).toBeUndefined()
    expect(keptBy(first, repeated)).toEqual(repeated)
    const left = keptBy({ ...first, blocks: ["Own 1.", "Call us."] }, repeated) ?? []
    expect(withoutRepeated(second.blocks, left)).toEqual(["Own 2.", "Write to us."])
  })
})
