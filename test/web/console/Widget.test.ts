import { describe, expect, test } from "bun:test"
import { allows, originOf, originsIn } from "../../../src/web/console/data/Origins.ts"
import { sixDigits } from "../../../src/web/console/forms/ColorField.tsx"
import { contrastHint } from "../../../src/web/console/screens/widget/LookSection.tsx"
import {
  blockedBy,
  findingsOf,
  type PageQuestion,
  policiesIn,
  scriptsIn,
} from "../../../src/web/console/screens/widget/PageCheck.ts"
import { snippetOf } from "../../../src/web/console/screens/widget/SnippetSection.tsx"

const server = "https://chat.example.net"
const key = "pub_live"

const question: PageQuestion = {
  origin: "https://shop.example.com",
  source: "",
  server,
  chatbotId: "bot",
  isPublic: false,
  isActive: true,
  keys: [
    { public_key: key, allowed_origins: ["https://shop.example.com"], expires_at: null, revoked_at: null },
    { public_key: "pub_old", allowed_origins: ["*"], expires_at: null, revoked_at: "2026-11-01T00:00:00Z" },
  ],
}

const faults = (change: Partial<PageQuestion>): ReadonlyArray<string> =>
  findingsOf({ ...question, ...change }).flatMap(({ state, text }) => (state === "good" ? [] : [text]))

describe("where a widget may stand", () => {
  test("is told by exact origins, by subdomains, or by everything", () => {
    expect(allows(["https://example.com"], "https://example.com")).toBe(true)
    expect(allows(["https://example.com"], "http://example.com")).toBe(false)
    expect(allows(["https://*.example.com"], "https://a.b.example.com")).toBe(true)
    expect(allows(["https://*.example.com"], "https://example.com")).toBe(false)
    expect(allows(["https://*.example.com"], "https://badexample.com")).toBe(false)
    expect(allows(["*"], "http://localhost:8080")).toBe(true)
  })

  test("is read from addresses as people write them", () => {
    expect(originOf("shop.example.com/help?x=1")).toBe("https://shop.example.com")
    expect(originOf("http://localhost:8080")).toBe("http://localhost:8080")
    expect(["localhost:4311", "127.0.0.1", "[::1]:80/x", "localhost.example.com"].map(originOf)).toEqual([
      "http://localhost:4311",
      "http://127.0.0.1",
      "http://[::1]",
      "https://localhost.example.com",
    ])
    expect(originOf("mailto:someone")).toBeUndefined()
    expect(originsIn("example.com, https://Example.com/help\nhttps://*.example.org/")).toEqual([
      "https://example.com",
      "https://*.example.org",
    ])
  })
})

describe("the snippet", () => {
  test("holds the key, and what differs from the usual", () => {
    expect(snippetOf({ key, server })).toBe(`<script async src="${server}/widget.js?key=${key}"></script>`)
    expect(snippetOf({ key, server, opens: true })).toContain(`?key=${key}" data-open="true"`)
  })

  test("can neither leave its attributes nor open a popup within an element", () => {
    const snippet = snippetOf({ key, server, opens: true, target: '#a"><script>' })
    expect(snippet).toContain('data-target="#a&quot;>&lt;script>"')
    expect(snippet).not.toContain("data-open")
    expect(scriptsIn(snippet)).toEqual([{ src: `${server}/widget.js?key=${key}`, key }])
    expect(scriptsIn(`<script src="${server}/widget.js" data-key="${key}">`)).toMatchObject([{ key }])
  })
})

describe("the check of an embedding", () => {
  test("finds nothing wrong with a page that has the snippet", () => {
    expect(faults({ source: `<body>${snippetOf({ key, server })}</body>` })).toEqual([])
    expect(faults({})).toEqual([])
  })

  test("finds an origin that no key allows, and offers to allow it", () => {
    const findings = findingsOf({ ...question, origin: "https://other.example.com" })
    expect(findings[0]?.missingOrigin).toBe("https://other.example.com")
  })

  test("finds a revoked key, a key of somebody else, and an id that is not public", () => {
    const page = (named: string) => ({ source: `<head>${snippetOf({ key: named, server })}` })
    expect(faults(page("pub_old"))).toEqual(["The key pub_old is revoked. Use an active key instead."])
    expect(faults(page("pub_else"))[0]).toContain("does not belong to this chatbot")
    expect(faults(page("bot"))[0]).toContain("works only for a public chatbot")
    expect(faults({ ...page("bot"), isPublic: true })).toEqual([])
  })

  test("finds a script that is missing, that comes from another server, or that stands there twice", () => {
    expect(faults({ source: "<html><body>Hello" })[0]).toContain("does not load widget.js")
    expect(faults({ source: snippetOf({ key, server: "https://old.example.net" }) })[0]).toContain("instead of")
    expect(faults({ source: snippetOf({ key, server }).repeat(2) })[0]).toContain("2 times")
  })

  test("finds a page by https with a server by http, and a chatbot that is paused", () => {
    expect(faults({ server: "http://chat.example.net" }).at(-1)).toContain("over HTTPS")
    expect(faults({ server: "http://localhost:3000" })).toEqual([])
    expect(faults({ isActive: false })).toEqual(["The chatbot is paused: the widget appears but does not answer."])
  })

  test("reads policies from headers, from the page, or as they are", () => {
    expect(policiesIn("HTTP/1.1 200\nContent-Security-Policy: default-src 'self'\nage: 1")).toEqual([
      "default-src 'self'",
    ])
    expect(policiesIn(`<meta http-equiv="Content-Security-Policy" content="frame-src &quot;x">`)).toEqual([
      'frame-src "x',
    ])
    expect(policiesIn("script-src 'self'")).toEqual(["script-src 'self'"])
    expect(policiesIn("<html>")).toEqual([])
  })

  test("finds what a policy keeps out, with its fallbacks and wildcards", () => {
    expect(blockedBy("default-src 'self'", server)).toEqual(["script-src", "frame-src"])
    expect(blockedBy(`script-src 'self' ${server}; frame-src ${server}`, server)).toEqual([])
    expect(blockedBy("script-src *.example.net; child-src https:", server)).toEqual([])
    expect(blockedBy("script-src *.example.net; frame-src https://*.chat.example.net", server)).toEqual(["frame-src"])
    expect(blockedBy("script-src 'nonce-x' 'strict-dynamic'; frame-src *", server)).toEqual([])
    expect(blockedBy("script-src http://127.0.0.1:3000; frame-src http://127.0.0.1", "http://127.0.0.1:3000")).toEqual([
      "frame-src",
    ])
    expect(blockedBy("img-src 'self'", server)).toEqual([])
    expect(findingsOf({ ...question, source: "default-src 'self'" }).at(-1)?.text).toContain(
      "add https://chat.example.net to script-src and frame-src",
    )
  })
})

test("the hint at a colour says which text it gets, and that white would be too little on a light one", () => {
  expect(contrastHint("#0d6e66")).toMatch(/^White text has a contrast of 6\.\d:1\. Easy to read\.$/)
  expect(contrastHint("#f5c518")).toMatch(/^Black text .* White text would have only 1\.\d:1\.$/)
  expect(contrastHint("red")).toBeUndefined()
})

test("the choice of colours takes six digits of any form of colour", () => {
  expect(["#ABC", "#a1b2c3", "#a1b2c3d4", "", "red"].map(sixDigits)).toEqual([
    "#aabbcc",
    "#a1b2c3",
    "#a1b2c3",
    undefined,
    undefined,
  ])
})
