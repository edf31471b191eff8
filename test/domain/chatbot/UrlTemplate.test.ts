import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { fillTemplate, placeholdersOf, urlTemplateProblem } from "../../../src/domain/chatbot/UrlTemplate.ts"

const template = "https://shop.example:8443/v1/orders/{id}/lines/{line}.json?lang={lang}&fixed=1"
const fill = (id: string, line = "1", lang = "en") =>
  fillTemplate(template, new Map(Object.entries({ id, line, lang })))

describe("a URL template", () => {
  test("is filled with percent-encoded values", () => {
    expect(placeholdersOf(template)).toEqual(["id", "line", "lang"])
    expect(fill("A/4 711?#", "ü", "a&b=c+d")?.href).toBe(
      "https://shop.example:8443/v1/orders/A%2F4%20711%3F%23/lines/%C3%BC.json?lang=a%26b%3Dc%2Bd&fixed=1",
    )
  })

  test.each([
    "https://{host}/a",
    "https://example.com:{port}/",
    "https://user:secret@example.com/",
    "https://example.com/#{a}",
    "https://example.com/{a",
    "https://example.com/a}",
    "https://example.com/{{a}}",
    "https://example.com\\{a}",
    "https://example.com/ {a}",
    "ftp://example.com/{a}",
    "file:///etc/passwd",
    "//example.com/{a}",
    "https:///a",
    "{a}",
    "",
  ])("is not %p", (text) => {
    expect(urlTemplateProblem(text)).toBeString()
  })

  test("is any other http(s) URL", () => {
    for (const good of [template, "http://[2606:4700::1]/{a}?b={b}", "HTTPS://EXAMPLE.com?{a}={b}"]) {
      expect([good, urlTemplateProblem(good)]).toEqual([good, undefined])
    }
  })

  test.each(["", ".", ".."])("is not filled with %p as a segment", (id) => {
    expect(fill(id)).toBeUndefined()
  })

  test.each(["a/b", "a?", "a?b/c", "/"])("is not filled with a step up where the placeholder is {%s}", (name) => {
    const odd = `https://a.example/x/{${name}}/y?z={${name}}`
    expect(fillTemplate(odd, new Map([[name, ".."]]))).toBeUndefined()
    expect(fillTemplate(odd, new Map([[name, "1/2"]]))?.href).toBe("https://a.example/x/1%2F2/y?z=1%2F2")
  })

  test("is not filled with two values that together make a `..` segment", () => {
    const two = "https://a.example/x/{a}{b}/y"
    const both = (a: string, b: string) => fillTemplate(two, new Map(Object.entries({ a, b })))
    expect(both(".", ".")).toBeUndefined()
    expect(both("%2", "e")?.pathname).toBe("/x/%252e/y")
    expect(both("", "b")?.pathname).toBe("/x/b/y")
  })

  test("is not filled when a value is missing", () => {
    expect(fillTemplate(template, new Map([["id", "1"]]))).toBeUndefined()
  })

  test("changes only in its placeholders, whatever their values", () => {
    const anything = fc.oneof(
      fc.string({ unit: "binary" }),
      fc
        .array(fc.constantFrom("/", "..", ".", "%2e", "%2f", "\\", "?", "#", "@", ":", "{id}", "&", "\uD800", "\0"))
        .map((parts) => parts.join("")),
    )
    fc.assert(
      fc.property(anything, anything, anything, (id, line, lang) => {
        const url = fill(id, line, lang)
        if (url === undefined) return /^(?:|\.|\.\.)$/.test(id)
        const segments = url.pathname.split("/")
        expect(url.origin).toBe("https://shop.example:8443")
        expect([url.username, url.password, url.hash]).toEqual(["", "", ""])
        expect(segments).toHaveLength(6)
        expect([segments[1], segments[2], segments[4]]).toEqual(["v1", "orders", "lines"])
        expect(decodeURIComponent(segments[3] ?? "")).toBe(id.toWellFormed())
        expect(Array.from(url.searchParams)).toEqual([
          ["lang", lang.toWellFormed()],
          ["fixed", "1"],
        ])
        return true
      }),
      { numRuns: 2_000 },
    )
  })
})
