import { createHash } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { gzipSync } from "node:zlib"
import { Effect } from "effect"
import type { PageOutcome } from "../../src/domain/knowledge/SourcePage.ts"
import type { Resolve } from "../../src/outbound/SafeFetch.ts"

/*
 * Websites on this machine for tests of crawls, with everything in them on which crawlers get stuck. One server has all
 * hosts; `resolve` leads their names to it.
 */

/** A request that the server has got. */
export interface SiteRequest {
  readonly host: string
  readonly path: string
  readonly headers: IncomingMessage["headers"]
  /** Times in milliseconds. */
  readonly from: number
  to: number
}

export type Answer = (request: IncomingMessage, response: ServerResponse) => void

export interface TrapSite {
  readonly port: number
  readonly requests: Array<SiteRequest>
  /** Answers by host and path, such as `docs.example/guide/?page=2`, with or without the query. */
  readonly pages: Map<string, Answer>
  /** The address of a path of a host. */
  readonly at: (host: string, path: string) => string
}

/** Leads all names to this machine, but those below `inside.example` to a private network. */
export const toThisMachine: Resolve = (host) =>
  Effect.succeed([{ address: host.endsWith("inside.example") ? "10.0.0.1" : "127.0.0.1", family: 4 }])

/** Starts the server, which ends with the scope. */
export const trapSite = Effect.acquireRelease(
  Effect.callback<TrapSite & { readonly close: () => void }>((resume) => {
    const requests: Array<SiteRequest> = []
    const pages = new Map<string, Answer>()
    const server = createServer((request, response) => {
      const host = (request.headers.host ?? "").replace(/:\d+$/, "")
      const path = request.url ?? "/"
      const one = { host, path, headers: request.headers, from: performance.now(), to: Number.POSITIVE_INFINITY }
      requests.push(one)
      response.on("close", () => (one.to = performance.now()))
      const answer = pages.get(host + path) ?? pages.get(host + path.replace(/\?.*/, "")) ?? pages.get(host) ?? notFound
      answer(request, response)
    })
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      const close = () => {
        server.closeAllConnections()
        server.close()
      }
      resume(Effect.succeed({ port, requests, pages, at: (host, path) => `http://${host}:${port}${path}`, close }))
    })
  }),
  ({ close }) => Effect.sync(close),
)

/** Answers with a body, and with 304 to those who have it. */
export const sends =
  (body: string | Uint8Array, headers: Record<string, string> = {}): Answer =>
  (request, response) => {
    const etag = `"${createHash("sha256").update(body).digest("hex").slice(0, 16)}"`
    if (request.headers["if-none-match"] === etag) return void response.writeHead(304, { etag }).end()
    response.writeHead(200, { "content-type": "text/html; charset=utf-8", etag, ...headers }).end(body)
  }

export const answers =
  (status: number, headers: Record<string, string> = {}, body = ""): Answer =>
  (_, response) =>
    void response.writeHead(status, headers).end(body)

const notFound = answers(404, { "content-type": "text/html" }, "<h1>Not found</h1>")

/** Never answers. */
export const silent: Answer = () => {}

/**
 * Whether an address is one of which tests expect that it has no whole answer in time. All others have as much time as
 * a busy machine may need.
 */
export const isTooSlow = ({ hostname, pathname }: URL): boolean =>
  hostname.startsWith("silent.") || pathname.endsWith("/slow")

/** A page with a text of its own, and links. */
export const html = (title: string, links: ReadonlyArray<string> = [], more = ""): string =>
  `<!doctype html><html lang="en"><head><title>${title}</title></head><body><main><h1>${title}</h1>
  <p>This is what the page ${title} says: it is about ${title}, and about nothing else, in one long sentence of its own.</p>
  ${more}</main><nav>${links.map((link) => `<a href="${link}">${link}</a>`).join(" ")}</nav></body></html>`

export const page = (title: string, links: ReadonlyArray<string> = [], more = ""): Answer =>
  sends(html(title, links, more))

/** A page of the trap site, and what has to become of it. */
export interface Trap {
  readonly path: string
  readonly outcome: PageOutcome
  /** A part of the detail. */
  readonly detail: string | null
  readonly answer: Answer
}

const endless =
  (write: (response: ServerResponse) => void, type = "text/html"): Answer =>
  (_, response) => {
    response.writeHead(200, { "content-type": type })
    const timer = setInterval(() => write(response), 5)
    response.on("close", () => clearInterval(timer))
  }

/** Every page below `/docs/` that is a trap by itself, linked from the first page. */
export const traps = (site: TrapSite): ReadonlyArray<Trap> => [
  { path: "/docs/plain", outcome: "new", detail: null, answer: page("Plain") },
  {
    path: "/docs/text.md",
    outcome: "new",
    detail: null,
    answer: sends("# A file\n\nOf Markdown.", { "content-type": "text/markdown" }),
  },
  {
    path: "/docs/notes.txt",
    outcome: "new",
    detail: null,
    answer: sends("Some notes of plain text.", { "content-type": "text/plain" }),
  },
  {
    path: "/docs/zipped",
    outcome: "new",
    detail: null,
    answer: sends(gzipSync(html("Zipped")), { "content-encoding": "gzip" }),
  },
  {
    path: "/docs/latin",
    outcome: "new",
    detail: null,
    answer: sends(Buffer.from(html("Caf\u00e9 latin"), "latin1"), { "content-type": "text/html; charset=iso-8859-1" }),
  },
  {
    path: "/docs/no-encoding",
    outcome: "new",
    detail: null,
    answer: sends(html("No encoding"), { "content-type": "text/html; charset=nonsense" }),
  },
  { path: "/docs/missing", outcome: "gone", detail: "status 404", answer: notFound },
  { path: "/docs/over", outcome: "gone", detail: "status 410", answer: answers(410) },
  { path: "/docs/secret", outcome: "login", detail: "password", answer: answers(401) },
  {
    path: "/docs/to-login",
    outcome: "login",
    detail: "redirects to",
    answer: answers(302, { location: "/login?next=x" }),
  },
  { path: "/docs/refused", outcome: "failed", detail: "refuses it (status 403)", answer: answers(403) },
  { path: "/docs/broken", outcome: "failed", detail: "status 500", answer: answers(500) },
  {
    path: "/docs/picture.png",
    outcome: "not_text",
    detail: "image/png",
    answer: sends("PNG", { "content-type": "image/png" }),
  },
  {
    path: "/docs/film",
    outcome: "not_text",
    detail: "video/mp4",
    answer: endless((response) => response.write("x".repeat(1_000)), "video/mp4"),
  },
  { path: "/docs/blank", outcome: "not_text", detail: "empty", answer: sends("") },
  {
    path: "/docs/wrong-type",
    outcome: "not_text",
    detail: "",
    answer: sends(Buffer.from([0, 1, 2, 3, 0, 0, 7, 8]), { "content-type": "text/html" }),
  },
  {
    path: "/docs/wrong-pdf.pdf",
    outcome: "not_text",
    detail: "its content is another",
    answer: sends(html("No PDF"), { "content-type": "application/pdf" }),
  },
  {
    path: "/docs/hidden",
    outcome: "excluded",
    detail: "noindex",
    answer: sends('<meta name="robots" content="noindex"><p>Hidden text.</p>'),
  },
  {
    path: "/docs/hidden-by-header",
    outcome: "excluded",
    detail: "noindex",
    answer: sends(html("Hidden"), { "x-robots-tag": "noindex" }),
  },
  { path: "/docs/forbidden/page", outcome: "excluded", detail: "robots.txt forbids it", answer: page("Forbidden") },
  {
    path: "/docs/private/page",
    outcome: "excluded",
    detail: "The pattern /docs/private/** excludes it.",
    answer: page("Private"),
  },
  {
    path: "/docs/copy",
    outcome: "excluded",
    detail: "canonical",
    answer: sends(`<link rel="canonical" href="/docs/plain">${html("Copy")}`),
  },
  { path: "/docs/twin", outcome: "duplicate", detail: "Its text is that of", answer: page("Plain") },
  {
    path: "/docs/app",
    outcome: "needs_browser",
    detail: "scripts",
    answer: sends(
      '<html><head><title>App</title></head><body><div id="root"></div><script src="/app.js"></script></body></html>',
    ),
  },
  {
    path: "/docs/moved",
    outcome: "duplicate",
    detail: "redirects to",
    answer: answers(301, { location: "/docs/plain" }),
  },
  {
    path: "/docs/away",
    outcome: "excluded",
    detail: "outside the scope",
    answer: answers(302, { location: "http://elsewhere.example/" }),
  },
  {
    path: "/docs/inwards",
    outcome: "excluded",
    detail: "outside the scope",
    answer: answers(302, { location: "http://db.inside.example/" }),
  },
  {
    path: "/docs/circle",
    outcome: "failed",
    detail: "redirects to itself",
    answer: answers(302, { location: "/docs/circle" }),
  },
  {
    path: "/docs/large",
    outcome: "too_large",
    detail: "10 MiB",
    answer: (_, response) =>
      void response.writeHead(200, { "content-type": "text/html", "content-length": String(2 * 1024 ** 3) }).write("x"),
  },
  {
    path: "/docs/endless",
    outcome: "too_large",
    detail: "10 MiB",
    answer: (_, response) => {
      response.writeHead(200, { "content-type": "text/html" })
      const piece = "x".repeat(256 * 1024)
      const write = () => {
        while (!response.destroyed && response.write(piece));
      }
      response.on("drain", write)
      write()
    },
  },
  { path: "/docs/bomb", outcome: "too_large", detail: "10 MiB", answer: sends(bomb(), { "content-encoding": "gzip" }) },
  {
    path: "/docs/wrong-gzip",
    outcome: "failed",
    detail: "compresses",
    answer: sends("no gzip", { "content-encoding": "gzip" }),
  },
  {
    path: "/docs/slow",
    outcome: "failed",
    detail: "whole answer within",
    answer: endless((response) => response.write("x")),
  },
  {
    path: "/docs/cut",
    outcome: "failed",
    detail: "ends the connection",
    answer: (_, response) => {
      response.writeHead(200, { "content-type": "text/html", "content-length": "100" })
      response.write("x")
      setTimeout(() => response.destroy(), 5)
    },
  },
  { path: "/docs/aa/bb/aa/bb/aa/bb/aa", outcome: "excluded", detail: "repeats itself", answer: page("Loop") },
  {
    path: "/docs/many",
    outcome: "new",
    detail: null,
    answer: page(
      "Many",
      Array.from({ length: 10_000 }, (_, index) => `/elsewhere/${index}`),
    ),
  },
  {
    path: "/docs/odd",
    outcome: "new",
    detail: null,
    answer: page("Odd", [
      "mailto:a@b.example",
      "javascript:alert(1)",
      "http://[",
      "http://user:password@docs.example/docs/user",
      `http://DOCS.example.:${site.port}/docs/./x/../plain?utm_source=x#top`,
      "http://b\u00fccher.example/",
      `/docs/${"long".repeat(1_000)}`,
      "ftp://docs.example/docs/file",
      "/outside",
    ]),
  },
]

const bomb = () => gzipSync(Buffer.alloc(64 * 1024 * 1024))

/** Makes `docs.example` the site with all traps, and returns them. */
export const setTraps = (site: TrapSite): ReadonlyArray<Trap> => {
  const all = traps(site)
  site.pages.set(
    "docs.example/robots.txt",
    sends("User-agent: *\nDisallow: /docs/forbidden/\n", { "content-type": "text/plain" }),
  )
  site.pages.set("docs.example/docs/", page("Home", [...all.map(({ path }) => path), "/docs/hop/1"]))
  for (const { answer, path } of all) site.pages.set(`docs.example${path}`, answer)
  for (let hop = 1; hop <= 50; hop++)
    site.pages.set(`docs.example/docs/hop/${hop}`, answers(302, { location: `/docs/hop/${hop + 1}` }))
  return all
}
