import { Context } from "effect"
import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "effect/http-api"
import type { Scope } from "../domain/ApiKey.ts"
import type { Caller } from "../domain/Caller.ts"
import type { CurrentOrganization } from "../domain/Tenancy.ts"
import type { Dialect } from "./Dialect.ts"
import { OpenAiError } from "./OpenAiError.ts"
import { Problem } from "./Problem.ts"

/** The scope that an endpoint asks of the API key. */
export class RequiredScope extends Context.Service<RequiredScope, Scope>()("parley/api/RequiredScope") {}

const keyDescription = "An API key of Parley, sent as `x-api-key: <key>` or, equally, as `Authorization: Bearer <key>`."

const security = {
  apiKey: HttpApiSecurity.apiKey({ key: "x-api-key", in: "header" }).pipe(
    HttpApiSecurity.annotate(OpenApi.Description, keyDescription),
  ),
  bearer: HttpApiSecurity.bearer.pipe(HttpApiSecurity.annotate(OpenApi.Description, keyDescription)),
}

/** The middleware of endpoints of one dialect. Its failures have the forms that clients of the dialect know. */
const middlewareFor = <const D extends Dialect>(dialect: D, forms: typeof Problem) => {
  /**
   * Resolves the API key to its organization, and refuses it (401), its scope (403), or a chatbot that it is not bound
   * to (403).
   *
   * @effect-expect-leaking HttpServerRequest | ParsedSearchParams | RouteContext
   */
  class Authorization extends HttpApiMiddleware.Service<
    Authorization,
    { provides: Caller | CurrentOrganization; requires: never }
  >()(`parley/api/Authorization/${dialect}`, {
    security,
    error: [forms.Unauthorized, forms.Forbidden, forms.Unavailable],
  }) {}

  /**
   * Turns what an endpoint does not declare into failures: input that does not decode (400), a database out of reach
   * (503), and defects (500, logged, told to nobody).
   */
  class Problems extends HttpApiMiddleware.Service<Problems>()(`parley/api/Problems/${dialect}`, {
    error: [forms.InvalidRequest, forms.UnsupportedVersion, forms.InternalError, forms.Unavailable],
  }) {}

  /**
   * Refuses bodies that are of another media type than the endpoint takes, too large, too slow, incomplete, or that nest
   * too deep as JSON.
   */
  class RequestBody extends HttpApiMiddleware.Service<RequestBody>()(`parley/api/RequestBody/${dialect}`, {
    error: [forms.InvalidRequest, forms.RequestTimeout, forms.TooLarge, forms.UnsupportedMediaType],
  }) {}

  return { Authorization, Problems, RequestBody }
}

/** The middleware of one dialect. */
export type Middleware<D extends Dialect> = ReturnType<typeof middlewareFor<D>>

/** The middleware of every dialect that has endpoints of its own here. */
export const middleware = {
  parley: middlewareFor("parley", Problem),
  openai: middlewareFor("openai", OpenAiError),
}

/** The middleware of Parley's own dialect. */
export const { Authorization, Problems, RequestBody } = middleware.parley
