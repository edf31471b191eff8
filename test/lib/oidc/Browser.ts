/** Page that a browser has arrived at. */
export interface Page {
  readonly url: URL
  readonly status: number
  readonly text: string
}

const REDIRECTS_MAX = 15

const attribute = (tag: string, name: string): string | undefined =>
  new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1]?.replaceAll("&amp;", "&")

/** A browser without scripts: it keeps cookies by host and port, follows redirects and submits forms. */
export class Browser {
  readonly cookies = new Map<string, Map<string, string>>()

  /** Sends one request, and keeps the cookies of its response. */
  async fetch(url: URL | string, init: RequestInit = {}): Promise<Response> {
    const { host } = new URL(url)
    const jar = this.cookies.get(host) ?? new Map<string, string>()
    this.cookies.set(host, jar)
    const response = await fetch(url, {
      ...init,
      redirect: "manual",
      headers: { cookie: Array.from(jar, ([name, value]) => `${name}=${value}`).join("; "), ...init.headers },
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      const isGone = /;\s*max-age=0\b/i.test(line) || /expires=Thu, 01 Jan 1970/i.test(line)
      if (isGone) jar.delete(name)
      else jar.set(name, value)
    }
    return response
  }

  /** Opens an address, and follows redirects until `isEnd` holds for one or there is a page. */
  async open(url: URL | string, init: RequestInit = {}, isEnd = (_: URL): boolean => false): Promise<Page> {
    let at = new URL(url)
    let response = await this.fetch(at, init)
    for (let count = 0; count < REDIRECTS_MAX; count++) {
      const location = response.headers.get("location")
      if (location === null) return { url: at, status: response.status, text: await response.text() }
      at = new URL(location, at)
      if (isEnd(at)) return { url: at, status: response.status, text: "" }
      response = await this.fetch(at)
    }
    throw new Error(`Redirected too often, last to ${at.href}`)
  }

  /** Submits the form of a page with its hidden fields and these. */
  submit({ text, url }: Page, fields: Record<string, string>, isEnd?: (url: URL) => boolean): Promise<Page> {
    const [form = ""] = /<form[^>]*>/.exec(text) ?? []
    const hidden = Array.from(text.matchAll(/<input[^>]*type="hidden"[^>]*>/g), ([tag]) => [
      attribute(tag, "name") ?? "",
      attribute(tag, "value") ?? "",
    ])
    const body = new URLSearchParams({ ...Object.fromEntries(hidden), ...fields })
    return this.open(new URL(attribute(form, "action") ?? "", url), { method: "POST", body }, isEnd)
  }
}
