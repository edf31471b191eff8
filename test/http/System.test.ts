import { describe, expect, test } from "bun:test"
import { entries } from "../../src/http/DocsPage.ts"
import { startServer } from "../lib/TestServer.ts"

const { client } = await startServer()
const nobody = client.withKey(undefined)

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
    const scripts = Array.from(text.matchAll(/<script[^>]*>([^]*?)<\/script>/g), ([, script = ""]) => script)
    expect(scripts).toHaveLength(path === "/docs" ? 2 : 0)
    for (const script of scripts) {
      expect(policy).toContain(`'sha256-${new Bun.CryptoHasher("sha256").update(script).digest("base64")}'`)
    }
  })

  test("/docs/guide is a page that links to the other pages and runs no script", async () => {
    const reply = await nobody.get("/docs/guide")
    expect(reply.status).toBe(200)
    expect(reply.headers.get("content-type")).toMatch(/^text\/html/)
    expect(reply.headers.get("content-security-policy")).toStartWith("default-src 'none'; style-src 'sha256-")
    expect(reply.text).toContain('<h2 id="teach-it">Teach it</h2>')
    expect(reply.text).toContain('<a href="/docs/formats">Formats</a>')
    expect(reply.text).toContain('<a href="/docs/operations#secrets"><code>SECRETS_KEY</code></a>')
    expect(reply.text).not.toContain("<script")
  })

  test("the style of a page is the one that its Content-Security-Policy allows", async () => {
    const reply = await nobody.get("/docs/guide")
    const style = /<style>([^]*?)<\/style>/.exec(reply.text)?.[1] ?? ""
    const hash = new Bun.CryptoHasher("sha256").update(style).digest("base64")
    expect(reply.headers.get("content-security-policy")).toContain(`'sha256-${hash}'`)
  })

  test.each(entries.map(({ name }) => name))("/docs/%s exists, and all its links work", async (name) => {
    const reply = await nobody.get(`/docs/${name}`)
    expect(reply.status).toBe(200)
    const links = Array.from(reply.text.matchAll(/href="([^"#]+)/g), ([, href = ""]) => href)
    const known = new Set(["/docs", ...entries.map((entry) => `/docs/${entry.name}`)])
    expect(links.filter((href) => !href.startsWith("http") && !known.has(href))).toEqual([])
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
