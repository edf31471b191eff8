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

  test("/docs/guide is a page that links to its siblings and runs nothing", async () => {
    const reply = await nobody.get("/docs/guide")
    expect(reply.status).toBe(200)
    expect(reply.headers.get("content-type")).toMatch(/^text\/html/)
    expect(reply.headers.get("content-security-policy")).toStartWith("default-src 'none'; style-src 'sha256-")
    expect(reply.text).toContain('<h2 id="teach-it">Teach it</h2>')
    expect(reply.text).toContain('<a href="/docs/formats">Formats</a>')
    expect(reply.text).toContain('<a href="/docs/operations#secrets"><code>SECRETS_KEY</code></a>')
    expect(reply.text).not.toContain("<script")
  })

  test("its style is the one that its policy allows", async () => {
    const reply = await nobody.get("/docs/guide")
    const style = /<style>([^]*?)<\/style>/.exec(reply.text)?.[1] ?? ""
    const hash = new Bun.CryptoHasher("sha256").update(style).digest("base64")
    expect(reply.headers.get("content-security-policy")).toContain(`'sha256-${hash}'`)
  })

  test.each(entries.map(({ name }) => name))("/docs/%s is there, and links only to what is", async (name) => {
    const reply = await nobody.get(`/docs/${name}`)
    expect(reply.status).toBe(200)
    const links = Array.from(reply.text.matchAll(/href="([^"#]+)/g), ([, href = ""]) => href)
    const known = new Set(["/docs", ...entries.map((entry) => `/docs/${entry.name}`)])
    expect(links.filter((href) => !href.startsWith("http") && !known.has(href))).toEqual([])
  })

  test("a page that the reader has is not sent again", async () => {
    const etag = (await nobody.get("/docs/guide")).headers.get("etag") ?? ""
    expect(etag).toMatch(/^"[\w-]{43}"$/)
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const reply = await nobody.get("/docs/guide", { headers: { "if-none-match": known } })
      expect({ known, status: reply.status, text: reply.text }).toEqual({ known, status: 304, text: "" })
      expect(reply.headers.get("etag")).toBe(etag)
    }
    expect((await nobody.get("/docs/guide", { headers: { "if-none-match": '"other"' } })).status).toBe(200)
  })

  test("HEAD tells of a page what GET does, without its text", async () => {
    const whole = await nobody.get("/docs/guide")
    const head = await nobody.send("HEAD", "/docs/guide")
    expect({ status: head.status, text: head.text }).toEqual({ status: 200, text: "" })
    for (const name of ["etag", "content-type", "content-security-policy"]) {
      expect(head.headers.get(name)).toBe(whole.headers.get(name) ?? "")
    }
  })

  test("there is no page of another name", async () => {
    expect((await nobody.get("/docs/nowhere")).status).toBe(404)
    expect((await nobody.get("/docs/..%2fpackage.json")).status).toBe(404)
  })
})
