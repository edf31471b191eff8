import { describe, expect, test } from "bun:test"
import { entries } from "../../src/http/web/docs/Markdown.ts"
import { sharedServer } from "../lib/TestServer.ts"
import { until } from "../lib/Until.ts"

const { client } = await sharedServer()
const nobody = client.withKey(undefined)

const index: ReadonlyArray<Record<string, string>> = JSON.parse((await nobody.get("/docs/search.json")).text)
/** The last segments of the paths of the pages below `/docs`. */
const names = Array.from(new Set(index.map(({ page = "" }) => page.slice("docs/".length)))).filter(
  (name) => name !== "",
)

/** The links of a page that lead to none of the server's. */
const deadLinks = (path: string, html: string): ReadonlyArray<string> => {
  const known = new Set(["/", "/docs", "/console", "/openapi.json", ...names.map((name) => `/docs/${name}`)])
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
    // The database of a busy machine may not answer in time.
    const reply = await until(
      () => nobody.get(path),
      (found) => found.status !== 503,
    )
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

  test.each(names)("/docs/%s exists, and all its links work", async (name) => {
    const reply = await nobody.get(`/docs/${name}`)
    expect(reply.status).toBe(200)
    expect(deadLinks(`/docs/${name}`, reply.text)).toEqual([])
  })

  test("the reference describes every operation and every schema, and its first page leads to all of them", async () => {
    const pages = await Promise.all(
      ["/docs", ...names.map((name) => `/docs/${name}`)].map(async (path) => {
        const { text } = await nobody.get(path)
        const ids = Array.from(text.matchAll(/ id="([^"]+)"/g), ([, id = ""]) => id)
        const links = Array.from(
          text.matchAll(/<a [^>]*href="([^"]+)"/g),
          ([, to = ""]) => new URL(to, `http://parley${path}`),
        )
        return [path, { text, ids, links }] as const
      }),
    )
    const byPath = new Map(pages)
    const reference = pages.filter(([path]) => path.startsWith("/docs/api-"))
    const overview = byPath.get("/docs")
    const led = new Set(overview?.links.map(({ hash, pathname }) => pathname + hash))
    const document = JSON.parse((await nobody.get("/openapi.json")).text)
    const operations = [...Object.values<object>(document.paths), ...Object.values<object>(document.webhooks)].flatMap(
      (path) => Object.values(path),
    )
    expect(operations.length).toBeGreaterThan(80)
    const schemas = Object.keys(document.components.schemas).filter((name) => !name.startsWith("Problem."))
    for (const [id, title] of [
      ...operations.map(({ operationId, summary }) => [operationId, summary]),
      ...schemas.map((name) => [`schema-${name}`, `<code>${name}</code>`]),
    ]) {
      const homes = reference.filter(([, { text }]) => text.includes(`<h2 id="${id}">${title}</h2>`))
      expect([id, homes.map(([path]) => led.has(`${path}#${id}`))]).toEqual([id, [true]])
    }
    expect(byPath.get("/docs/api-chatbots")?.text).toContain("curl &quot;$URL/api/external/chatbots&quot;")
    for (const [path, { ids, links }] of pages) {
      expect(new Set(ids).size).toBe(ids.length)
      const dead = links.filter(
        ({ hash, pathname }) =>
          hash !== "" && byPath.get(pathname)?.ids.includes(decodeURIComponent(hash.slice(1))) === false,
      )
      expect([path, dead]).toEqual([path, []])
    }
  })

  test("no page of the reference is large", async () => {
    for (const name of names) {
      expect((await nobody.get(`/docs/${name}`)).text.length).toBeLessThan(100_000)
    }
  })

  test("the search index has the sections of every page, with their texts", () => {
    expect(names).toEqual(expect.arrayContaining(entries.map(({ name }) => name)))
    expect(index.find(({ id }) => id === "chatbots.create")).toMatchObject({
      page: "docs/api-chatbots",
      title: "Chatbots",
      heading: "Create a chatbot",
      text: expect.stringContaining("POST /api/external/chatbots"),
    })
    expect(index.filter(({ page }) => page === "docs").map(({ id }) => id)).toEqual(["api-reference"])
  })

  test("a page that the browser has cached is not sent again", async () => {
    const etag = (await nobody.get("/docs/guide")).headers.get("etag") ?? ""
    expect(etag).toMatch(/^"[0-9a-f]{16}-\w+"$/)
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
    expect((await nobody.get("/docs/guide.html")).status).toBe(404)
  })

  test("a page has no address among the files that pages load, where it would have no policy", async () => {
    const { text } = await nobody.get("/docs/guide")
    const [, hash] = /assets\/([0-9a-f]{16})\/docs\.js/.exec(text) ?? []
    expect((await nobody.get(`/assets/${hash}/docs.js`)).status).toBe(200)
    expect((await nobody.get(`/assets/${hash}/docs.html`)).status).toBe(404)
    expect((await nobody.get(`/assets/${hash}/docs%2Fguide.html`)).status).toBe(404)
  })
})
