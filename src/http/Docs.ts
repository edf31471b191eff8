import { Effect, FileSystem, Layer, Option, Scope } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiScalar } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { docs } from "../api/Docs.ts"
import { entries, htmlOf, pagePath, style } from "./DocsPage.ts"
import { document, inline, notFound, policy } from "./web/Html.ts"

/** The headers of a page that no other site may frame, and that may load nothing but what `sources` allow. */
const pageHeaders = (...sources: ReadonlyArray<string>) => ({
  "content-security-policy": policy(...sources, "frame-ancestors 'none'"),
  // For browsers without frame-ancestors.
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
})

/**
 * Serves the reference of the API. Its script takes 10 MB of memory, so it is loaded for the first request. The page may
 * run this script, which adds styles of its own and sends the requests that a reader tries, and loads nothing from
 * other servers.
 */
const reference = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const scope = yield* Effect.scope
    const scalar = HttpApiScalar.layer(Api, { path: docs.path, scalar: { withDefaultFonts: false } })
    const page = yield* Effect.cached(
      Effect.gen(function* () {
        const response = yield* Effect.flatten(Scope.provide(HttpRouter.toHttpEffect(scalar), scope))
        const html = response.body._tag === "Uint8Array" ? new TextDecoder().decode(response.body.body) : ""
        const scripts = Array.from(html.matchAll(/<script>([^]*?)<\/script>/g), ([, script = ""]) => inline(script))
        return HttpServerResponse.setHeaders(
          response,
          pageHeaders(
            `script-src ${scripts.join(" ")}`,
            "style-src 'unsafe-inline'",
            "img-src 'self' data:",
            "connect-src 'self'",
          ),
        )
      }),
    )
    yield* router.add("GET", docs.path, page)
  }),
)

const headersOfPages = { "cache-control": "no-cache", ...pageHeaders(`style-src ${inline(style)}`) }

/**
 * Serves the pages of the documentation. Each is rendered for its first request and kept until the server ends. A page
 * whose Markdown file is not in the checkout does not exist.
 */
const pages = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const files = yield* FileSystem.FileSystem
    for (const entry of entries) {
      const page = yield* Effect.cached(Effect.provideService(htmlOf(entry), FileSystem.FileSystem, files))
      const answer = Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const html = yield* page
        return Option.isSome(html) ? document(request, html.value, headersOfPages) : yield* notFound(request)
      })
      yield* router.add("GET", pagePath(entry.name), answer)
    }
  }),
)

/** Serves the documentation: the reference of the API and the pages beside it. */
export const layer = Layer.merge(reference, pages)
