import { HttpServerResponse } from "effect/http"
import { isSpoken, locales, type SpokenLanguage } from "../../language/Locales.ts"
import { noindex } from "./Documents.ts"
import { escape, head, inline, policy } from "./Html.ts"

/*
 * Documents that say a sentence in place of a chat, without a script. They do not say why: that concerns the owner of the
 * page alone, who finds it in the console.
 */

const style =
  "body{margin:0;min-height:100vh;display:grid;place-content:center;padding:1rem;box-sizing:border-box;text-align:center;font:1rem/1.5 system-ui,sans-serif}h1{font:inherit;margin:0}"

const headers = {
  "cache-control": "no-store",
  "content-security-policy": policy(`style-src ${inline(style)}`),
  "cross-origin-embedder-policy": "credentialless",
  "cross-origin-resource-policy": "cross-origin",
  "referrer-policy": "no-referrer",
  vary: "accept-language",
}

/** The first language of `Accept-Language`, in the order in which browsers send them, that the server speaks. */
const languageFor = (header = ""): SpokenLanguage =>
  header
    .slice(0, 1_000)
    .split(",")
    .map((part) => part.trim().slice(0, 2).toLowerCase())
    .find(isSpoken) ?? "en"

const say = (
  sentence: "noChat" | "notNow",
  acceptLanguage: string | undefined,
  status: number,
  more: Readonly<Record<string, string>>,
) => {
  const language = languageFor(acceptLanguage)
  const html = `${head("Parley", [noindex, `<style>${style}</style>`], language)}
<body><main><h1 dir="auto">${escape(locales[language][sentence])}</h1></main></body>
</html>
`
  return HttpServerResponse.text(html, { status, contentType: "text/html; charset=utf-8" }).pipe(
    HttpServerResponse.setHeaders({ ...headers, ...more }),
  )
}

/** Says that there is no chat, in a language of the reader. */
export const sayNoChat = (acceptLanguage: string | undefined): HttpServerResponse.HttpServerResponse =>
  say("noChat", acceptLanguage, 404, {})

/** Says that a page cannot be shown at the moment, in a language of the reader. */
export const sayNotNow = (
  acceptLanguage: string | undefined,
  status: 429 | 503,
  retryAfterSeconds: number,
): HttpServerResponse.HttpServerResponse =>
  say("notNow", acceptLanguage, status, { "retry-after": String(retryAfterSeconds) })
