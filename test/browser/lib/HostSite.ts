/*
 * A web site of another origin and another site (`localhost` beside `127.0.0.1`), on which a customer embeds the widget
 * under a content security policy that allows the server's origin for scripts and frames, and nothing else.
 */

export interface HostSite {
  /** Its origin, such as `http://localhost:40321`. */
  readonly url: string
  /**
   * Serves a page with this in its body, and returns its address. The attributes are those of the widget's script; `key`
   * stands in its address, as snippets have it.
   */
  readonly page: (attributes?: Readonly<Record<string, string>>, body?: string) => string
  readonly stop: () => void
}

const ARTICLE = `<main><h1>The harbour</h1>${"<p>The ferry to the islands sails at noon, and at six in summer. Bring your own bread.</p>".repeat(30)}</main>`

const STYLE = "body { margin: 2rem auto; max-inline-size: 40rem; font: 16px/1.5 serif } .room { block-size: 30rem }"

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;")

/** Starts a site that embeds the widget of a server. */
export const startHostSite = (serverUrl: string): HostSite => {
  const pages = new Map<string, string>()
  const policy = [
    "default-src 'none'",
    "img-src 'self'",
    "style-src 'self'",
    `script-src ${serverUrl}`,
    `frame-src ${serverUrl}`,
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
  ].join("; ")
  const site = Bun.serve({
    hostname: "localhost",
    port: 0,
    fetch: (request) => {
      const { pathname } = new URL(request.url)
      if (pathname === "/style.css") return new Response(STYLE, { headers: { "content-type": "text/css" } })
      const html = pages.get(pathname)
      if (html === undefined)
        return new Response("There is no such page.", { status: pathname === "/favicon.ico" ? 204 : 404 })
      return new Response(html, {
        headers: { "content-type": "text/html; charset=utf-8", "content-security-policy": policy },
      })
    },
  })
  const url = `http://localhost:${site.port}`
  return {
    url,
    stop: () => void site.stop(true),
    page: ({ key, ...attributes } = {}, body = ARTICLE) => {
      const path = `/${pages.size}`
      const script =
        key === undefined && attributes["data-key"] === undefined
          ? ""
          : `<script async src="${serverUrl}/widget.js${key === undefined ? "" : `?key=${key}`}"${Object.entries(
              attributes,
            )
              .map(([name, value]) => ` ${name}="${escaped(value)}"`)
              .join("")}></script>`
      pages.set(
        path,
        `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>The harbour</title><link rel="stylesheet" href="/style.css"><meta name="viewport" content="width=device-width, initial-scale=1, interactive-widget=resizes-visual">${script}</head><body>${body}</body></html>`,
      )
      return url + path
    },
  }
}
