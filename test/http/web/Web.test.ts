import { describe, expect, test } from "bun:test"
import { gunzipSync } from "node:zlib"
import { Schema } from "effect"
import { ApiKey } from "../../../src/domain/keys/ApiKey.ts"
import { read } from "../../lib/Client.ts"
import { rawRequest } from "../../lib/RawRequest.ts"
import { sharedServer } from "../../lib/TestServer.ts"

const { client, url } = await sharedServer()
const visitor = client.withKey(undefined)

/** No other chatbot of the server has it. */
const slug = `harbour-${crypto.randomUUID()}`
const chatbot = await client.newChatbot({
  name: 'Harbour "<Ferry>" & more',
  is_public: true,
  slug,
})
await client.patch(`/api/external/chatbot/${chatbot.id}/chat-widget`, {
  json: { logo: "https://images.example.com/a;b,c.png?x=1" },
})
const Made = Schema.Struct({ api_key: ApiKey, key: Schema.String })
const published = read(
  Made,
  await client.post("/api/admin/api-keys", {
    json: {
      name: "Website",
      kind: "publishable",
      chatbot_id: chatbot.id,
      allowed_origins: ["https://shop.example.com", "https://*.example.org"],
    },
  }),
)

/** The directives of a Content-Security-Policy by name. */
const policyOf = (headers: Headers): Readonly<Record<string, string>> =>
  Object.fromEntries(
    (headers.get("content-security-policy") ?? "").split("; ").map((directive) => {
      const [name = "", ...sources] = directive.split(" ")
      return [name, sources.join(" ")]
    }),
  )

/** The addresses that a document loads. */
const loads = (html: string): ReadonlyArray<string> =>
  Array.from(html.matchAll(/(?:src|href)="([^"]+)"/g), ([, address = ""]) => address)

const asset = loads((await visitor.get("/console")).text)
  .map((address) => new URL(address, `${url}/console`).pathname)
  .find((path) => path.endsWith(".js"))

describe("the address of the server itself", () => {
  const ask = (accept: string) => fetch(url, { headers: { accept }, redirect: "manual" })

  test("shows a browser a page that leads to the console and the documentation", async () => {
    const response = await ask("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8")
    const text = await response.text()
    expect(response.status).toBe(200)
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8")
    expect(response.headers.get("vary")).toBe("accept")
    expect(policyOf(response.headers)["frame-ancestors"]).toBe("'none'")
    const links = Array.from(text.matchAll(/<a href="([^"]+)"/g), ([, href = ""]) => new URL(href, `${url}/`).href)
    expect(links).toEqual([`${url}/console`, `${url}/docs/readme`, `${url}/docs`])
    for (const link of links) expect((await fetch(link)).status).toBe(200)
  })

  test("tells a program where the console, the documentation and the API's description are", async () => {
    const response = await ask("*/*")
    const places = await response.json()
    expect(response.status).toBe(200)
    expect(places).toEqual({
      name: "Parley",
      console: `${url}/console`,
      documentation: `${url}/docs/readme`,
      reference: `${url}/docs`,
      openapi: `${url}/openapi.json`,
    })
    const addresses = Object.values(places as Record<string, string>).filter((one) => one.startsWith(url))
    for (const address of addresses) expect((await fetch(address)).status).toBe(200)
  })
})

describe("the document of the widget", () => {
  test("may be embedded by the allowed origins of its key, and loads from its own server alone", async () => {
    const { headers, status, text } = await visitor.get(`/widget/${published.key}`)
    expect(status).toBe(200)
    expect(policyOf(headers)).toEqual({
      "default-src": "'none'",
      "script-src": "'self'",
      "style-src": "'self'",
      "img-src": "'self' https://images.example.com",
      "connect-src": "'self'",
      "base-uri": "'none'",
      "form-action": "'none'",
      "frame-ancestors": "'self' https://shop.example.com https://*.example.org",
      "require-trusted-types-for": "'script'",
      "trusted-types": "'none'",
    })
    expect(headers.get("x-frame-options")).toBeNull()
    expect(headers.get("referrer-policy")).toBe("no-referrer")
    expect(headers.get("x-content-type-options")).toBe("nosniff")
    expect(headers.get("cross-origin-resource-policy")).toBe("cross-origin")
    expect(headers.get("access-control-allow-origin")).toBeNull()
    expect(headers.get("set-cookie")).toBeNull()
    expect(text).not.toMatch(/<style|<script>|style="|\son[a-z]+="/)
    expect(loads(text)).not.toBeEmpty()
    for (const address of loads(text)) expect(address).toMatch(/^\.\.\/assets\/[0-9a-f]{16}\/[\w.-]+$/)
  })

  test("holds the configuration, whatever its texts are", async () => {
    const { text } = await visitor.get(`/widget/${published.key}`)
    const config = new Map<string, string>()
    new HTMLRewriter()
      .on("meta", {
        element: (meta) => void config.set(meta.getAttribute("name") ?? "", meta.getAttribute("content") ?? ""),
      })
      .transform(text)
    const unescaped = (config.get("parley-config") ?? "")
      .replaceAll("&quot;", '"')
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replaceAll("&amp;", "&")
    expect(JSON.parse(unescaped)).toMatchObject({ key: published.key, header: chatbot.name })
    expect(text).not.toContain("<Ferry>")
  })

  test("is not sent again to whoever has it, until the chatbot changes", async () => {
    const path = `/widget/${published.key}`
    const etag = (await visitor.get(path)).headers.get("etag") ?? ""
    const again = await visitor.get(path, { headers: { "if-none-match": etag } })
    expect([again.status, again.text]).toEqual([304, ""])
    expect(policyOf(again.headers)["frame-ancestors"]).toContain("https://shop.example.com")
  })

  test.each([
    "pub_0000000000000000000000000000",
    "nonsense",
    "0197d0a1-0000-7000-8000-000000000000",
    "%00",
    "a".repeat(500),
  ])("is a calm sentence without a script where there is no chat: %#", async (key) => {
    const { headers, status, text } = await visitor.get(`/widget/${key}`, { headers: { "accept-language": "ar, en" } })
    expect(status).toBe(404)
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8")
    expect(headers.get("vary")).toBe("accept-language")
    expect(policyOf(headers)["script-src"]).toBeUndefined()
    expect(text).toContain('<html lang="ar">')
    expect(text).not.toContain("<script")
  })

  test("is a sentence soon after its key was revoked", async () => {
    const { api_key, key } = read(
      Made,
      await client.post("/api/admin/api-keys", {
        json: { name: "Old", kind: "publishable", chatbot_id: chatbot.id, allowed_origins: ["*"] },
      }),
    )
    expect(policyOf((await visitor.get(`/widget/${key}`)).headers)["frame-ancestors"]).toBe("*")
    await client.delete(`/api/admin/api-keys/${api_key.id}`)
    while ((await visitor.get(`/widget/${key}`)).status === 200) await Bun.sleep(50)
    expect((await visitor.get(`/widget/${key}`)).status).toBe(404)
  })
})

test.each([
  "https://a;frame-ancestors/x",
  "https://a,b.example/x",
  "https://a'b.example/x",
  "https://*/x",
  "https://*.example/x",
  "http://a;require-trusted-types-for/x",
])("a logo at %s says nothing in the policy of the widget", async (logo) => {
  const { id } = await client.newChatbot({ is_public: true })
  expect((await client.patch(`/api/external/chatbot/${id}/chat-widget`, { json: { logo } })).status).toBe(200)
  for (const page of ["widget", "chat"]) {
    const { headers, status } = await visitor.get(`/${page}/${id}`)
    expect([status, policyOf(headers)["img-src"]]).toEqual([200, "'self'"])
  }
})

test("may ask for the microphone only where the chatbot has a voice agent, as the console may", async () => {
  const { id } = await client.newChatbot({ is_public: true })
  const microphone = async (path: string) =>
    /microphone=\([^)]*\)/.exec((await visitor.get(path)).headers.get("permissions-policy") ?? "")?.[0]
  const pages = [`/widget/${id}`, `/chat/${id}`]
  for (const page of pages) expect(await microphone(page)).toBe("microphone=()")
  await client.patch(`/api/external/chatbot/${id}/voice-agent`, {
    json: { avatar: { imageUrl: "https://voices.example.com/a.png" } },
  })
  // What has changed holds within a second.
  while ((await microphone(`/widget/${id}`)) === "microphone=()") await Bun.sleep(50)
  for (const page of pages) {
    expect(await microphone(page)).toBe("microphone=(self)")
    expect(policyOf((await visitor.get(page)).headers)["img-src"]).toBe("'self' https://voices.example.com")
  }
  expect((await visitor.get(`/widget.js?key=${id}`)).text).toContain('parleyLook={"hasVoice":true}')
  expect(await microphone("/console")).toBe("microphone=(self)")
  expect(await microphone("/docs")).toBe("microphone=()")
})

describe("a page of its own", () => {
  test.each([
    ["slug", slug],
    ["id", chatbot.id],
  ])("shows a public chatbot by its %s, and no other page embeds it", async (_, name) => {
    const { headers, status, text } = await visitor.get(`/chat/${name}`)
    expect(status).toBe(200)
    expect(text).toContain('<meta name="parley-mode" content="page">')
    expect(policyOf(headers)["frame-ancestors"]).toBe("'none'")
    expect(headers.get("cross-origin-opener-policy")).toBe("same-origin")
  })

  test("is not there for a chatbot that is not public, nor by a key", async () => {
    const hidden = await client.newChatbot({ name: "Hidden", slug: "hidden" })
    for (const name of ["hidden", hidden.id, published.key]) {
      expect((await visitor.get(`/chat/${name}`)).status).toBe(404)
    }
  })

  test.each([
    ["NUL", "%00"],
    ["its slug and NUL", `${slug}%00`],
    ["half a surrogate pair", "%ED%A0%80"],
    ["its slug in other letters", slug.replace("h", "H")],
    ["its slug and a space", `${slug}%20`],
    ["a path to its slug", `..%2f${slug}`],
  ])("is not there by a name that no chatbot can have: %s", async (_, name) => {
    expect((await visitor.get(`/chat/${name}`)).status).toBe(404)
  })
})

describe("the console", () => {
  test.each([
    ["/console", "./"],
    ["/console/", "../"],
    ["/console/chatbots/1/settings", "../../../"],
  ])("%s is its document, which finds its files at %s", async (path, up) => {
    const { headers, status, text } = await visitor.get(path)
    expect(status).toBe(200)
    expect(policyOf(headers)).toMatchObject({
      "default-src": "'none'",
      "frame-ancestors": "'none'",
      "frame-src": "'self'",
    })
    expect(text).toContain(`<meta name="parley-root" content="${up}">`)
    for (const address of loads(text)) expect(address).toStartWith(`${up}assets/`)
  })

  test("may embed a preview, which no other page may", async () => {
    const { headers, text } = await visitor.get("/widget/preview")
    expect(policyOf(headers)["frame-ancestors"]).toBe("'self'")
    expect(text).not.toContain("parley-config")
  })
})

test.each([
  ["the console", "/console"],
  ["a screen of the console", "/console/a/b"],
  ["a chatbot", `/chat/${slug}`],
])("the page of %s brings an icon of its own", async (_, page) => {
  const [, address = ""] =
    /<link rel="icon" type="image\/svg\+xml" href="([^"]+)">/.exec((await visitor.get(page)).text) ?? []
  const { headers, status, text } = await visitor.get(new URL(address, url + page).pathname)
  expect([status, headers.get("content-type")]).toEqual([200, "image/svg+xml"])
  expect(text).toContain("<svg")
})

describe("a file", () => {
  test("is kept for ever by browsers, and sent in the form that they accept", async () => {
    const plain = await visitor.get(asset ?? "", { headers: { "accept-encoding": "identity" } })
    const head = (accepted: string) => visitor.send("HEAD", asset ?? "", { headers: { "accept-encoding": accepted } })
    expect(plain.headers.get("cache-control")).toBe("public, max-age=31536000, immutable")
    expect(plain.headers.get("content-type")).toBe("text/javascript; charset=utf-8")
    expect(plain.headers.get("x-content-type-options")).toBe("nosniff")
    expect(plain.headers.get("vary")).toBe("accept-encoding")
    expect(plain.headers.get("content-encoding")).toBeNull()
    const [br, gzip] = [await head("gzip, br"), await head("gzip")]
    expect([br.headers.get("content-encoding"), gzip.headers.get("content-encoding")]).toEqual(["br", "gzip"])
    expect(Number(br.headers.get("content-length"))).toBeLessThan(Number(gzip.headers.get("content-length")))
    expect(new Set([plain, br, gzip].map(({ headers }) => headers.get("etag"))).size).toBe(3)
    const bytes = await fetch(url + asset, { headers: { "accept-encoding": "gzip" }, decompress: false })
    expect(gunzipSync(await bytes.arrayBuffer()).toString()).toBe(plain.text)
  })

  test("is not sent again to whoever has this form of it", async () => {
    const headers = { "accept-encoding": "br" }
    const etag = (await visitor.get(asset ?? "", { headers })).headers.get("etag") ?? ""
    const again = await visitor.get(asset ?? "", { headers: { ...headers, "if-none-match": etag } })
    expect([again.status, again.text]).toEqual([304, ""])
    const other = await visitor.send("HEAD", asset ?? "", {
      headers: { "accept-encoding": "gzip", "if-none-match": etag },
    })
    expect(other.status).toBe(200)
  })

  test.each([
    "/assets/0000000000000000/frame.js",
    "/assets/../../../package.json/x",
    "HASH/manifest.json",
    "HASH/frame.js.br",
    "HASH/..%2f..%2f..%2fdatabase%2fPG_VERSION",
    "HASH/%2e%2e/manifest.json",
    "HASH/constructor",
    "HASH/__proto__",
    "HASH/",
    "/assets/..%2F..%2Fweb/frame.js",
  ])("that is none of a build is not found: %s", async (path) => {
    const hash = asset?.replace(/\/[^/]+$/, "") ?? ""
    const request = rawRequest(url, `GET ${path.replace("HASH", hash)}`, { connection: "close" })
    expect(await request.answer).toStartWith("HTTP/1.1 404 ")
  })
})

describe("the loader", () => {
  test("may be included by any page, and is asked for again after some minutes", async () => {
    // It comes without a look at a cookie of the console.
    const { headers, status } = await visitor.get("/widget.js", {
      headers: { "sec-fetch-site": "same-origin", cookie: "parley_console=AAAA" },
    })
    expect(status).toBe(200)
    expect(headers.get("content-type")).toBe("text/javascript; charset=utf-8")
    expect(headers.get("cache-control")).toContain("max-age=300")
    expect(headers.get("cross-origin-resource-policy")).toBe("cross-origin")
    expect(headers.get("access-control-allow-origin")).toBe("*")
    const etag = headers.get("etag") ?? ""
    expect((await visitor.get("/widget.js", { headers: { "if-none-match": `W/${etag}` } })).status).toBe(304)
  })

  test("has the look of the launcher in front of it, in the reader's language, where its address names a key", async () => {
    const dressed = await client.newChatbot({ is_public: true })
    await client.patch(`/api/external/chatbot/${dressed.id}/chat-widget`, {
      json: {
        primaryColor: "#0b5c8a",
        launcher: { icon: "headset", size: "large", side: "left", text: "Ask us" },
        translations: { de: { launcher: "Frag uns" } },
      },
    })
    const loaderOf = (key: string, headers: Record<string, string> = {}) =>
      visitor.get(`/widget.js?key=${key}`, { headers })
    const lookIn = (text: string) => JSON.parse(/^\{const parleyLook=(.*);\n/.exec(text)?.[1] ?? "{}")
    const { headers, text } = await loaderOf(dressed.id)
    expect(lookIn(text)).toMatchObject({ color: "#0b5c8a", size: 68, isLeft: true, text: "Ask us" })
    expect(text).toContain((await visitor.get("/widget.js")).text)
    expect(headers.get("vary")).toContain("accept-language")
    expect(headers.get("cache-control")).toContain("max-age=300")
    expect((await loaderOf(dressed.id, { "if-none-match": headers.get("etag") ?? "" })).status).toBe(304)
    expect(lookIn((await loaderOf(published.key)).text)).toEqual({})
    expect(lookIn((await loaderOf(dressed.id, { "accept-language": "de-AT,de;q=0.9" })).text).text).toBe("Frag uns")
    const plain = await client.newChatbot({ is_public: true })
    expect(lookIn((await loaderOf(plain.id)).text)).toEqual({})
    expect(lookIn((await loaderOf(plain.id, { "accept-language": "ja" })).text)).toEqual({ label: "チャット" })
    // A page never lacks its launcher.
    const unknown = await loaderOf("pub_unknown")
    expect([unknown.status, unknown.headers.get("cache-control")]).toEqual([200, "no-store"])
    expect(unknown.text).toBe((await visitor.get("/widget.js")).text)
    for (const encoding of ["gzip", "br"]) {
      const compressed = await visitor.get(`/widget.js?key=${dressed.id}`, { headers: { "accept-encoding": encoding } })
      expect(compressed.headers.get("content-encoding")).toBe(encoding)
      expect(lookIn(compressed.text).color).toBe("#0b5c8a")
    }
  })

  test.each(["POST", "PUT", "DELETE"])("is not there for %s", async (method) => {
    expect((await visitor.send(method, "/widget.js")).status).toBe(404)
  })
})
