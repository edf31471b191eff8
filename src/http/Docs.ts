import { Effect, Scope } from "effect"
import { HttpRouter } from "effect/http"
import { HttpApiScalar } from "effect/http-api"
import { Api } from "../api/Api.ts"

const path = "/docs"

/** The API's documentation, as a page. Its script takes 10 MB of memory, so it is loaded for the first reader. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const scope = yield* Effect.scope
    const page = yield* Effect.cached(Scope.provide(HttpRouter.toHttpEffect(HttpApiScalar.layer(Api, { path })), scope))
    yield* router.add("GET", path, Effect.flatten(page))
  }),
)
