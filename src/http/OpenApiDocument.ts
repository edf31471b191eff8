import { Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { OpenApi } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { openApiDocument } from "../api/OpenApiDocument.ts"

/** Answers with the OpenAPI document, which is made for its first reader and kept. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const document = yield* Effect.cached(Effect.sync(() => HttpServerResponse.jsonUnsafe(OpenApi.fromApi(Api))))
    yield* router.add("GET", openApiDocument.path, document)
  }),
)
