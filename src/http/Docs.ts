import { createHash } from "node:crypto"
import { Effect, FileSystem, Layer, Scope } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiScalar } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { docs } from "../api/Docs.ts"
import { contentSecurityPolicy, entries, htmlOf, pagePath } from "./DocsPage.ts"

/** Serves the reference of the API. Its script takes 10 MB of memory, so it is loaded for the first request. */
const reference = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const scope = yield* Effect.scope
    const page = yield* Effect.cached(
      Scope.provide(HttpRouter.toHttpEffect(HttpApiScalar.layer(Api, { path: docs.path })), scope),
    )
    yield* router.add("GET", docs.path, Effect.flatten(page))
  }),
)

/** Serves the pages of the documentation. Each is rendered for its first request and kept until the server ends. */
const pages = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const files = yield* FileSystem.FileSystem
    for (const entry of entries) {
      const rendered = Effect.provideService(htmlOf(entry), FileSystem.FileSystem, files)
      const page = yield* Effect.cached(
        Effect.map(rendered, (html) => ({
          html,
          headers: {
            etag: `"${createHash("sha256").update(html).digest("base64url")}"`,
            "cache-control": "no-cache",
            "content-security-policy": contentSecurityPolicy,
            "x-content-type-options": "nosniff",
          },
        })),
      )
      const answer = Effect.gen(function* () {
        const { html, headers } = yield* page
        const known = (yield* HttpServerRequest.HttpServerRequest).headers["if-none-match"]
        return isKnown(known, headers.etag)
          ? HttpServerResponse.empty({ status: 304, headers })
          : HttpServerResponse.html(html).pipe(HttpServerResponse.setHeaders(headers))
      })
      yield* router.add("GET", pagePath(entry.name), answer)
    }
  }),
)

/** Whether `If-None-Match` names this version. A weak tag counts as well: a proxy that compresses makes tags weak. */
const isKnown = (header: string | undefined, etag: string): boolean =>
  header !== undefined && header.split(",").some((tag) => ["*", etag, `W/${etag}`].includes(tag.trim()))

/** Serves the documentation: the reference of the API and the pages beside it. */
export const layer = Layer.merge(reference, pages)
