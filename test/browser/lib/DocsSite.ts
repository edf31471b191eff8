/*
 * A small documentation site on this machine, with what sites have beside pages that can be read: a page behind a login,
 * one that fails, one that robots.txt forbids, and links that lead out of the guide.
 */

export interface DocsSite {
  /** The address of its guide, below which are its pages. */
  readonly guide: string
  /** Takes all pages but the first away, or brings them back. */
  readonly hide: (isHidden: boolean) => void
  readonly stop: () => void
}

const pages: Readonly<Record<string, readonly [title: string, body: string]>> = {
  "/guide/": ["Guide to the harbour", "This guide tells how to travel from the harbour to the islands and back again."],
  "/guide/ferry": ["The ferry", "The ferry to the islands sails at noon, and in summer at six in the evening as well."],
  "/guide/prices": ["Prices", "A crossing costs four crowns. Children below the age of six travel free of charge."],
  "/guide/luggage/bicycles": ["Bicycles", "Bicycles travel on the lower deck of the ferry and cost two crowns each."],
  "/guide/luggage/dogs": ["Dogs", "Dogs travel free of charge, and need a leash while they are on board the ferry."],
  "/guide/hebrew": ["מדריך לנמל", "המעבורת יוצאת לאיים בכל יום בצהריים, ובקיץ גם בשש בערב מן הרציף הצפוני."],
}

const links = [...Object.keys(pages), "/guide/staff", "/guide/broken", "/guide/secret", "/shop"]

const html = (title: string, body: string) =>
  `<!doctype html><html lang="en"><head><title>${title}</title></head><body><nav>${links
    .map((path) => `<a href="${path}">${path}</a>`)
    .join(" ")}</nav><main><h1>${title}</h1><p>${body}</p></main></body></html>`

export const startDocsSite = (): DocsSite => {
  let isHidden = false
  const site = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (request) => {
      const { pathname } = new URL(request.url)
      const type = { headers: { "content-type": "text/html; charset=utf-8" } }
      if (pathname === "/robots.txt") return new Response("User-agent: *\nDisallow: /guide/secret\n")
      if (pathname === "/guide/staff") return new Response("Sign in.", { status: 401 })
      if (pathname === "/guide/broken") return new Response("Broken.", { status: 500 })
      const page = pages[pathname]
      if (page === undefined || (isHidden && pathname !== "/guide/")) return new Response("No.", { status: 404 })
      return new Response(html(...page), type)
    },
  })
  return {
    guide: `http://127.0.0.1:${site.port}/guide/`,
    hide: (hidden) => {
      isHidden = hidden
    },
    stop: () => void site.stop(true),
  }
}
