import { brotliCompressSync, constants, gzipSync } from "node:zlib"
import { Effect, Option } from "effect"
import { HttpRouter, type HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { docs, docsPage, pagePath } from "../../api/Docs.ts"
import { openApiDocument } from "../../api/OpenApiDocument.ts"
import * as Web from "../../api/Web.ts"
import type { NotFound, RateLimited, Unavailable } from "../../domain/Errors.ts"
import { PublicUrl } from "../../services/PublicUrl.ts"
import { Placements } from "../../services/widget/Placements.ts"
import { pathOf } from "../edge/PathOf.ts"
import {
  chatHeaders,
  consoleDocument,
  consoleHeaders,
  docsHeaders,
  frameHeaders,
  homeDocument,
  previewHeaders,
  widgetDocument,
} from "./Documents.ts"
import { document, notFound, versioned } from "./Html.ts"
import { launcherLook, withLook } from "./Loader.ts"
import { LOADER } from "./Manifest.ts"
import { type Encoding, encodingFor, isKnown } from "./Negotiation.ts"
import { sayNoChat, sayNotNow } from "./Sentences.ts"
import { type Build, type NotBuilt, WebFiles } from "./WebFiles.ts"

type Headers = Readonly<Record<string, string>>

/** Answers with a file of a build, in the form that the client prefers, or with 304 when it has it. */
const file = Effect.fnUntraced(function* (
  request: HttpServerRequest.HttpServerRequest,
  web: WebFiles["Service"],
  build: Build,
  name: string,
  headers: Headers,
) {
  const contentType = Object.hasOwn(build.files, name) ? build.files[name] : undefined
  if (contentType === undefined) return yield* notFound(request)
  const encoding = encodingFor(request.headers["accept-encoding"])
  const etag = `"${build.hash}-${encoding}"`
  const all = { ...headers, etag, vary: "accept-encoding" }
  if (isKnown(request.headers["if-none-match"], etag)) return HttpServerResponse.empty({ status: 304, headers: all })
  return HttpServerResponse.uint8Array(yield* web.read(build, name, encoding), {
    contentType,
    headers: encoding === "identity" ? all : { ...all, "content-encoding": encoding },
  })
})

/** The loader is small and asked for by every page view, so that browsers keep it for a while without asking. */
const loaderHeaders = {
  "cache-control": "public, max-age=300, stale-while-revalidate=86400",
  // For pages that isolate themselves, and for those that include it with `crossorigin`.
  "cross-origin-resource-policy": "cross-origin",
  "access-control-allow-origin": "*",
}

/** Compresses as far as takes no longer than a millisecond. */
const compressed = (content: string, encoding: Encoding): Uint8Array => {
  if (encoding === "identity") return Buffer.from(content)
  const params = { [constants.BROTLI_PARAM_QUALITY]: 5 }
  return encoding === "br" ? brotliCompressSync(content, { params }) : gzipSync(content, { level: 9 })
}

/** Answers with a script that is made for the request, compressed where the client accepts it. */
const script = (
  request: HttpServerRequest.HttpServerRequest,
  content: string,
): HttpServerResponse.HttpServerResponse => {
  const encoding = encodingFor(request.headers["accept-encoding"])
  const headers = { ...loaderHeaders, vary: "accept-encoding, accept-language" }
  return versioned(request, compressed(content, encoding), {
    contentType: "text/javascript; charset=utf-8",
    headers: encoding === "identity" ? headers : { ...headers, "content-encoding": encoding },
  })
}

/** The sections of the documentation, which its search reads. */
const searchIndex = pagePath("search.json")

const assetHeaders = {
  "cache-control": "public, max-age=31536000, immutable",
  "cross-origin-resource-policy": "same-origin",
}

/** Serves the beginning, the loader, the widget, the console, the documentation, and the files that they load. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const web = yield* WebFiles
    const placements = yield* Placements
    const address = yield* PublicUrl
    const places = {
      name: "Parley",
      console: address + Web.console.path,
      documentation: address + pagePath("readme"),
      reference: address + docs.path,
      openapi: address + openApiDocument.path,
    }

    const get = (
      path: `/${string}`,
      answer: (
        request: HttpServerRequest.HttpServerRequest,
        params: Readonly<Record<string, string | undefined>>,
      ) => Effect.Effect<
        HttpServerResponse.HttpServerResponse,
        HttpServerError.HttpServerError | NotBuilt | NotFound | RateLimited | Unavailable
      >,
    ) =>
      router.add(
        "GET",
        path,
        Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
          const language = request.headers["accept-language"]
          const notNow = (status: 429 | 503) => (failure: { readonly retry_after_seconds: number }) =>
            Effect.succeed(sayNotNow(language, status, failure.retry_after_seconds))
          return Effect.flatMap(HttpRouter.params, (params) => answer(request, params)).pipe(
            Effect.catchTags({
              NotFound: () => Effect.succeed(sayNoChat(language)),
              NotBuilt: notNow(503),
              RateLimited: notNow(429),
              Unavailable: notNow(503),
            }),
          )
        }),
      )

    const show = (
      request: HttpServerRequest.HttpServerRequest,
      make: (build: Build, path: string) => string,
      headers: Headers,
    ) => Effect.map(web.current, (build) => document(request, make(build, pathOf(request.url)), headers))

    yield* get(Web.home.path, (request) =>
      Effect.map(
        (request.headers["accept"] ?? "").includes("text/html")
          ? show(request, homeDocument, docsHeaders)
          : Effect.succeed(HttpServerResponse.jsonUnsafe(places)),
        HttpServerResponse.setHeaders({ vary: "accept", "x-content-type-options": "nosniff" }),
      ),
    )

    yield* get(Web.loader.path, (request) =>
      Effect.gen(function* () {
        const build = yield* web.current
        const key = new URL(request.url, "http://server").searchParams.get("key")
        if (key === null) return yield* file(request, web, build, LOADER, loaderHeaders)
        // A page never lacks its launcher: the frame says what is wrong with the key.
        const look = yield* placements.visit(key).pipe(
          Effect.map(({ config }) => launcherLook(config, request.headers["accept-language"])),
          Effect.orElseSucceed(() => undefined),
        )
        if (look === undefined)
          return yield* file(request, web, build, LOADER, { ...loaderHeaders, "cache-control": "no-store" })
        const loader = new TextDecoder().decode(yield* web.read(build, LOADER, "identity"))
        return script(request, withLook(loader, look))
      }),
    )

    yield* get(Web.asset.path, (request, { hash = "", name = "" }) =>
      // A page belongs to its own address, and to the headers there.
      /^[0-9a-f]{16}$/.test(hash) && !name.endsWith(".html")
        ? Effect.flatMap(web.byHash(hash), (build) =>
            Option.isSome(build) ? file(request, web, build.value, name, assetHeaders) : notFound(request),
          )
        : notFound(request),
    )

    yield* get(Web.preview.path, (request) =>
      show(request, (build, path) => widgetDocument(build, undefined, path, "preview"), previewHeaders),
    )

    yield* get(Web.widget.path, (request, { name = "" }) =>
      Effect.flatMap(placements.visit(name), (placement) =>
        show(request, (build, path) => widgetDocument(build, placement.config, path, "frame"), frameHeaders(placement)),
      ),
    )

    yield* get(Web.chatPage.path, (request, { name = "" }) =>
      Effect.flatMap(placements.findPublic(name), (placement) =>
        show(request, (build, path) => widgetDocument(build, placement.config, path, "page"), chatHeaders(placement)),
      ),
    )

    const built = (request: HttpServerRequest.HttpServerRequest, path: string, headers: Headers) =>
      Effect.flatMap(web.current, (build) => file(request, web, build, path.slice(1), headers))
    yield* get(docs.path, (request) => built(request, `${docs.path}.html`, docsHeaders))
    yield* get(docsPage.path, (request, { page = "" }) => built(request, `${pagePath(page)}.html`, docsHeaders))
    yield* get(searchIndex, (request) => built(request, searchIndex, { "cache-control": "max-age=300" }))

    // The pattern includes the console's own path.
    yield* get(Web.consoleScreen.path, (request) => show(request, consoleDocument, consoleHeaders))
  }),
)
