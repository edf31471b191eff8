import { describe, expect, test } from "bun:test"
import { entries } from "../../src/http/docs/Pages.ts"
import { sharedServer } from "../lib/TestServer.ts"

const { client } = await sharedServer()
const nobody = client.withKey(undefined)

/** The links of a page that lead to none of the server's. */
const deadLinks = (path: string, html: string): ReadonlyArray<string> => {
  const known = new Set(["/", "/docs", "/console", "/openapi.json", ...entries.map(({ name }) => `/docs/${name}`)])
  return Array.from(html.matchAll(/<a [^>]*href="([^"#]+)/g), ([, href = ""]) => href).filter((href) => {
    const { host, pathname } = new URL(href, `http://parley${path}`)
    return host === "parley" && !known.has(pathname)
  })
}

describe("without a key", () => {
  test.each([
    ["/healthz", "ok"],
    ["/readyz", "ready"],
  ])("%s answers", async (path, status) => {
    const reply = await nobody.get(path)
    expect(reply.status).toBe(200)
    expect(reply.body).toStrictEqual({ status })
  })

  test("/docs is a page for people", async () => {
    const reply = await nobody.get("/docs")
    expect(reply.status).toBe(200)
    expect(reply.headers.get("content-type")).toMatch(/^text\/html/)
    expect(reply.text).toContain("Parley")
  })

  test.each(["/docs", "/docs/guide"])("%s may not be framed, and loads nothing from other servers", async (path) => {
    const { headers, text } = await nobody.get(path)
    expect(headers.get("x-frame-options")).toBe("DENY")
    expect(headers.get("x-content-type-options")).toBe("nosniff")
    expect(headers.get("referrer-policy")).toBe("no-referrer")
    const policy = headers.get("content-security-policy") ?? ""
    expect(policy).toStartWith("default-src 'none'; ")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toMatch(/https?:|\*|unsafe-eval|script-src[^;]*unsafe/)
    expect(text).not.toMatch(/<style|<script>|style="|\son[a-z]+="/)
    const loaded = Array.from(text.matchAll(/ (?:src|href)="([^"]*\/assets\/[^"]+)"/g), ([, address = ""]) => address)
    expect(loaded.length).toBeGreaterThan(2)
    for (const address of loaded) {
      expect((await nobody.get(new URL(address, `http://parley${path}`).pathname)).status).toBe(200)
    }
  })

  test("/docs/guide is a page that links to the other pages and to its own sections", async () => {
    const reply = await nobody.get("/docs/guide")
    expect(reply.status).toBe(200)
    expect(reply.headers.get("content-type")).toMatch(/^text\/html/)
    expect(reply.text).toContain('<h2 id="upload-documents">Upload documents</h2>')
    expect(reply.text).toContain('<a href="../docs/formats">Formats</a>')
    expect(reply.text).toContain('<a href="../docs/operations#secrets"><code>SECRETS_KEY</code></a>')
    expect(reply.text).toContain('<li class="depth-2"><a href="#upload-documents">Upload documents</a></li>')
    expect(reply.text).toContain('<a href="../docs/guide" aria-current="page">Guide</a>')
  })

  test.each(entries.map(({ name }) => name))("/docs/%s exists, and all its links work", async (name) => {
    const reply = await nobody.get(`/docs/${name}`)
    expect(reply.status).toBe(200)
    expect(deadLinks(`/docs/${name}`, reply.text)).toEqual([])
  })

  test("/docs describes every operation and every schema, and all its links work", async () => {
    const { text } = await nobody.get("/docs")
    const document = JSON.parse((await nobody.get("/openapi.json")).text)
    const operations = Object.values(document.paths as object).flatMap((path: object) => Object.values(path))
    expect(operations.length).toBeGreaterThan(80)
    for (const { operationId, summary } of operations) {
      expect(text).toContain(`<h3 id="${operationId}">${summary}</h3>`)
    }
    expect(text).toContain("curl &quot;$URL/api/external/chatbots&quot;")
    expect(deadLinks("/docs", text)).toEqual([])
    const ids = Array.from(text.matchAll(/ id="([^"]+)"/g), ([, id]) => id)
    expect(new Set(ids).size).toBe(ids.length)
    const anchors = Array.from(text.matchAll(/href="#([^"]+)"/g), ([, id]) => id)
    expect(anchors.filter((id) => !ids.includes(id))).toEqual([])
  })

  test("the search index has the sections of every page, with their texts", async () => {
    const sections: ReadonlyArray<Record<string, string>> = JSON.parse((await nobody.get("/docs/search.json")).text)
    expect(new Set(sections.map(({ page }) => page))).toEqual(
      new Set(["docs", ...entries.map(({ name }) => `docs/${name}`)]),
    )
    expect(sections.find(({ id }) => id === "chatbots.create")).toMatchObject({
      page: "docs",
      heading: "Create a chatbot",
      text: expect.stringContaining("POST /api/external/chatbots"),
    })
  })

  test("a page that the browser has cached is not sent again", async () => {
    const etag = (await nobody.get("/docs/guide")).headers.get("etag") ?? ""
    expect(etag).toMatch(/^"[\w-]{22}"$/)
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const reply = await nobody.get("/docs/guide", { headers: { "if-none-match": known } })
      expect({ known, status: reply.status, text: reply.text }).toEqual({ known, status: 304, text: "" })
      expect(reply.headers.get("etag")).toBe(etag)
    }
    expect((await nobody.get("/docs/guide", { headers: { "if-none-match": '"other"' } })).status).toBe(200)
  })

  test("HEAD answers with the same headers as GET", async () => {
    const whole = await nobody.get("/docs/guide")
    const head = await nobody.send("HEAD", "/docs/guide")
    expect({ status: head.status, text: head.text }).toEqual({ status: 200, text: "" })
    for (const name of ["etag", "content-type", "content-security-policy"]) {
      expect(head.headers.get(name)).toBe(whole.headers.get(name) ?? "")
    }
  })

  test("a page with another name does not exist", async () => {
    expect((await nobody.get("/docs/nowhere")).status).toBe(404)
    expect((await nobody.get("/docs/..%2fpackage.json")).status).toBe(404)
  })
})
