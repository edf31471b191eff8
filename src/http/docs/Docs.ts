import { Effect, FileSystem, Layer, Option } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { docs, pagePath } from "../../api/Docs.ts"
import { docsHeaders } from "../web/Documents.ts"
import { document, notFound } from "../web/Html.ts"
import { sayNotNow } from "../web/Sentences.ts"
import { WebFiles } from "../web/WebFiles.ts"
import { contentOf, entries } from "./Pages.ts"
import { reference } from "./Reference.ts"
import { sectionsOf, shell } from "./Shell.ts"

/** The path and the title of the reference of the API among the pages. */
const API = { path: docs.path, title: "API reference" }

/**
 * Serves the documentation: the reference of the API, the pages beside it, and the index that their search reads. Each
 * page is rendered for its first request and kept until the server ends. A page whose Markdown file is not in the checkout
 * does not exist.
 */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const files = yield* FileSystem.FileSystem
    const web = yield* WebFiles
    const pages = yield* Effect.forEach(
      [
        { ...API, render: Effect.asSome(reference) },
        ...entries.map((entry) => ({ path: pagePath(entry.name), title: entry.title, render: contentOf(entry) })),
      ],
      ({ path, render, title }) =>
        Effect.map(Effect.cached(Effect.provideService(render, FileSystem.FileSystem, files)), (content) => ({
          path,
          title,
          content,
        })),
    )

    for (const { content, path, title } of pages) {
      const answer = Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const html = yield* content
        if (Option.isNone(html)) return yield* notFound(request)
        return yield* Effect.match(web.current, {
          onSuccess: (build) => document(request, shell(build, path, title, html.value), docsHeaders),
          onFailure: (failure) => sayNotNow(request.headers["accept-language"], 503, failure.retry_after_seconds),
        })
      })
      yield* router.add("GET", path, answer)
    }

    const index = yield* Effect.cached(
      Effect.map(
        Effect.forEach(pages, ({ content, path, title }) =>
          Effect.map(content, (html) =>
            sectionsOf(Option.getOrElse(html, () => "")).map(({ heading, id, text }) => ({
              page: path.slice(1),
              title,
              heading,
              id,
              text,
            })),
          ),
        ),
        (sections) => HttpServerResponse.jsonUnsafe(sections.flat(), { headers: { "cache-control": "max-age=300" } }),
      ),
    )
    yield* router.add("GET", pagePath("search.json"), index)
  }),
).pipe(Layer.orDie)
