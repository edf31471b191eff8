import { Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { OpenApi } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { openApiDocument } from "../api/OpenApiDocument.ts"

/** Serves the OpenAPI document. It is made for the first request and kept. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const document = yield* Effect.cached(Effect.sync(() => HttpServerResponse.jsonUnsafe(OpenApi.fromApi(Api))))
    yield* router.add("GET", openApiDocument.path, document)
  }),
)
