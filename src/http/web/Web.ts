import { createHash } from "node:crypto"
import { Effect, Option } from "effect"
import { HttpRouter, HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import * as Web from "../../api/Web.ts"
import { ChatbotId } from "../../domain/Ids.ts"
import type { WidgetConfig } from "../../domain/widget/Widget.ts"
import { pathOf } from "../edge/PathOf.ts"
import {
  chatHeaders,
  consoleDocument,
  consoleHeaders,
  frameHeaders,
  previewHeaders,
  sentenceDocument,
  sentenceHeaders,
  widgetDocument,
} from "./Documents.ts"
import { encodingFor, isKnown } from "./Negotiation.ts"
import { type Build, type NotBuilt, WebFiles } from "./WebFiles.ts"

type Headers = Readonly<Record<string, string>>

const notFound = (request: HttpServerRequest.HttpServerRequest) =>
  new HttpServerError.HttpServerError({ reason: new HttpServerError.RouteNotFound({ request }) })

const sentence = (status: number, text: ReadonlyArray<readonly [language: string, text: string]>, more: Headers = {}) =>
  HttpServerResponse.text(sentenceDocument(text), { status, contentType: "text/html; charset=utf-8" }).pipe(
    HttpServerResponse.setHeaders({ ...sentenceHeaders, ...more }),
  )

/** What is said where there is no chat: calmly, and not why, which concerns the page's owner alone. */
export const noChat = sentence(404, [
  ["en", "This chat is not available."],
  ["de", "Dieser Chat ist nicht verfügbar."],
  ["fr", "Ce chat n’est pas disponible."],
  ["es", "Este chat no está disponible."],
])

/** What is said while the web pages cannot be built. */
const notBuilt = (_: NotBuilt) =>
  Effect.succeed(
    sentence(503, [["en", "This page cannot be shown at the moment. The log of the server says why."]], {
      "retry-after": "10",
    }),
  )

const document = (request: HttpServerRequest.HttpServerRequest, html: string, headers: Headers) => {
  const etag = `"${createHash("sha256").update(html).digest("base64url").slice(0, 22)}"`
  const all = { ...headers, etag }
  return isKnown(request.headers["if-none-match"], etag)
    ? HttpServerResponse.empty({ status: 304, headers: all })
    : HttpServerResponse.text(html, { contentType: "text/html; charset=utf-8" }).pipe(
        HttpServerResponse.setHeaders(all),
      )
}

/** Answers with a file of a build, in the form that the client prefers, or with 304 when it has it. */
const file = Effect.fnUntraced(function* (
  request: HttpServerRequest.HttpServerRequest,
  build: Build,
  name: string,
  headers: Headers,
) {
  const found = Object.hasOwn(build.files, name) ? build.files[name] : undefined
  if (found === undefined) return yield* notFound(request)
  const encoding = encodingFor(request.headers["accept-encoding"])
  const etag = `"${found.etag}-${encoding}"`
  const all = { ...headers, etag, vary: "accept-encoding", "x-content-type-options": "nosniff" }
  if (isKnown(request.headers["if-none-match"], etag)) return HttpServerResponse.empty({ status: 304, headers: all })
  return HttpServerResponse.uint8Array(yield* (yield* WebFiles).read(build, name, encoding), {
    contentType: found.type,
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

const assetHeaders = {
  "cache-control": "public, max-age=31536000, immutable",
  "cross-origin-resource-policy": "same-origin",
}

/** Stands in for every chatbot until keys are looked up. */
const placeholder = (key: string): WidgetConfig => ({
  key,
  chatbot_id: ChatbotId.make("019b4c4c-7a3e-7d39-8f0e-3c1f5a2b6d70"),
  header: "Parley",
  name: "Parley",
  slogan: "",
  logo: "",
  avatar: "",
  primary_color: "",
  secondary_color: "",
  language: "auto",
  greeting: "Hello! How can I help?",
  is_email_requested: false,
  is_active: true,
})

/** Serves the loader, the widget, the console, and the files that they load. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const web = yield* WebFiles

    const get = (
      path: `/${string}`,
      answer: (
        request: HttpServerRequest.HttpServerRequest,
        params: Readonly<Record<string, string | undefined>>,
      ) => Effect.Effect<HttpServerResponse.HttpServerResponse, HttpServerError.HttpServerError | NotBuilt, WebFiles>,
    ) =>
      router.add(
        "GET",
        path,
        Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
          Effect.flatMap(HttpRouter.params, (params) => answer(request, params)),
        ).pipe(Effect.catchTag("NotBuilt", notBuilt), Effect.provideService(WebFiles, web)),
      )

    yield* get(Web.loader.path, (request) =>
      Effect.flatMap(web.current, (build) => file(request, build, build.loader, loaderHeaders)),
    )

    yield* get(Web.asset.path, (request, { hash = "", name = "" }) =>
      /^[0-9a-f]{16}$/.test(hash)
        ? Effect.flatMap(web.byHash(hash), (build) =>
            Option.isSome(build) ? file(request, build.value, name, assetHeaders) : notFound(request),
          )
        : notFound(request),
    )

    yield* get(Web.preview.path, (request) =>
      Effect.map(web.current, (build) =>
        document(request, widgetDocument(build, undefined, pathOf(request.url), "preview"), previewHeaders),
      ),
    )

    yield* get(Web.widget.path, (request, { name = "" }) =>
      Effect.map(web.current, (build) =>
        document(
          request,
          widgetDocument(build, placeholder(name), pathOf(request.url), "frame"),
          frameHeaders(placeholder(name), ["*"]),
        ),
      ),
    )

    yield* get(Web.chatPage.path, (request, { name = "" }) =>
      Effect.map(web.current, (build) =>
        document(
          request,
          widgetDocument(build, placeholder(name), pathOf(request.url), "page"),
          chatHeaders(placeholder(name)),
        ),
      ),
    )

    // The pattern includes the console's own path.
    yield* get(Web.consoleScreen.path, (request) =>
      Effect.map(web.current, (build) =>
        document(request, consoleDocument(build, pathOf(request.url)), consoleHeaders),
      ),
    )
  }),
)
