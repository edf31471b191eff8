import { Context } from "effect"
import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "effect/http-api"
import type { Scope } from "../domain/keys/ApiKey.ts"
import type { Caller } from "../domain/Caller.ts"
import type { CurrentOrganization } from "../domain/Tenancy.ts"
import type { Visitor } from "../domain/widget/Visitor.ts"
import type { Dialect } from "./parts/Dialect.ts"
import { OpenAiError } from "./failures/OpenAiError.ts"
import { Problem } from "./failures/Problem.ts"

/**
 * How a request with an idempotency key has its effect once, although the server may die at any moment of it.
 *
 * - `inTransaction` and `inSystemTransaction`: the handler waits for nothing but the database, and runs in one transaction
 *   of the tenant's or the system's client, together with the statement that keeps its answer.
 * - `prepared`: the handler waits for anything else, such as a file that it stores, in `prepared`; after that it runs
 *   like `inTransaction`.
 * - `repeatable`: cut off and run again, it changes nothing, or nothing more than once. Its answer is kept afterwards.
 */
export type Once = "inTransaction" | "inSystemTransaction" | "prepared" | "repeatable"

/** The scope that an API key needs for an endpoint. Endpoints are annotated with it. */
export class RequiredScope extends Context.Service<RequiredScope, Scope>()("parley/api/RequiredScope") {}

const keyDescription = "An API key of Parley, sent as `x-api-key: <key>` or, equally, as `Authorization: Bearer <key>`."

const security = {
  apiKey: HttpApiSecurity.apiKey({ key: "x-api-key", in: "header" }).pipe(
    HttpApiSecurity.annotate(OpenApi.Description, keyDescription),
  ),
  bearer: HttpApiSecurity.bearer.pipe(HttpApiSecurity.annotate(OpenApi.Description, keyDescription)),
}

/** Declares the middleware for the endpoints of one dialect, with failures in the form of that dialect. */
const middlewareFor = <const D extends Dialect>(dialect: D, forms: typeof Problem) => {
  /**
   * Resolves the API key to its organization. It refuses a missing or invalid key (401), a key, an organization or an
   * address beyond its rate limit (429), a key without the required scope (403), and a key that is bound to another
   * chatbot (403).
   *
   * @effect-expect-leaking HttpServerRequest | ParsedSearchParams | RouteContext
   */
  class Authorization extends HttpApiMiddleware.Service<
    Authorization,
    { provides: Caller | CurrentOrganization; requires: never }
  >()(`parley/api/Authorization/${dialect}`, {
    security,
    error: [forms.Unauthorized, forms.Forbidden, forms.RateLimited, forms.Unavailable],
  }) {}

  /**
   * Answers the failures that no endpoint declares itself: input that does not decode (400), an unreachable database
   * (503), and defects (500), whose cause is logged and never shown to the client.
   */
  class Problems extends HttpApiMiddleware.Service<Problems>()(`parley/api/Problems/${dialect}`, {
    error: [forms.InvalidRequest, forms.UnsupportedVersion, forms.InternalError, forms.Unavailable],
  }) {}

  /**
   * Refuses a request body with another media type than the endpoint accepts, or one that is too large, too slow,
   * incomplete or, as JSON, nested too deep.
   */
  class RequestBody extends HttpApiMiddleware.Service<RequestBody>()(`parley/api/RequestBody/${dialect}`, {
    error: [forms.InvalidRequest, forms.RequestTimeout, forms.TooLarge, forms.UnsupportedMediaType],
  }) {}

  /**
   * Declares the middleware that answers a request with the header `Idempotency-Key` once, and sends that answer again
   * to anyone who repeats the request. Every endpoint that changes anything has one, before `RequestBody`: what that
   * refuses is not kept.
   */
  const once = <const O extends Once>(how: O) => {
    class Idempotent extends HttpApiMiddleware.Service<
      Idempotent,
      { provides: never; requires: Caller | CurrentOrganization }
    >()(`parley/api/once/${how}/Idempotent/${dialect}`, {
      error: [
        forms.InvalidRequest,
        forms.Conflict,
        forms.IdempotencyInProgress,
        forms.IdempotencyKeyReused,
        forms.Unavailable,
      ],
    }) {}
    return Idempotent
  }
  const Idempotent = {
    inTransaction: once("inTransaction"),
    inSystemTransaction: once("inSystemTransaction"),
    prepared: once("prepared"),
    repeatable: once("repeatable"),
  }

  return { Authorization, Idempotent, Problems, RequestBody }
}

/** The middleware for the endpoints of one dialect. */
export type Middleware<D extends Dialect> = ReturnType<typeof middlewareFor<D>>

/** The middleware by dialect. MCP has none: the protocol's own server answers its endpoints. */
export const middleware = {
  parley: middlewareFor("parley", Problem),
  openai: middlewareFor("openai", OpenAiError),
}

/** The middleware of Parley's own dialect. */
export const { Authorization, Idempotent, Problems, RequestBody } = middleware.parley

/**
 * Admits callers that may read the metrics: with the token of the settings, or with an API key that has the scope `operator`. It
 * refuses a missing or wrong one (401), other keys (403), and a key or an address beyond its rate limit (429).
 *
 * @effect-expect-leaking HttpServerRequest | ParsedSearchParams | RouteContext
 */
export class MetricsAuthorization extends HttpApiMiddleware.Service<MetricsAuthorization>()(
  "parley/api/MetricsAuthorization/parley",
  { security, error: [Problem.Unauthorized, Problem.Forbidden, Problem.RateLimited, Problem.Unavailable] },
) {}

/**
 * Resolves the token of a visitor of the chat widget to the visitor, and to the caller on whose behalf it chats. It
 * refuses a missing, forged or expired token, and one whose key is revoked or whose chatbot is no longer public (401), a
 * page of an origin that the key does not allow (403), and a visitor, an address, a key or an organization beyond its rate limit (429).
 *
 * @effect-expect-leaking HttpServerRequest | ParsedSearchParams | RouteContext
 */
export class VisitorAuthorization extends HttpApiMiddleware.Service<
  VisitorAuthorization,
  { provides: Caller | CurrentOrganization | Visitor; requires: never }
>()("parley/api/VisitorAuthorization/parley", {
  security: {
    visitor: HttpApiSecurity.bearer.pipe(
      HttpApiSecurity.annotate(
        OpenApi.Description,
        "The token of a visitor, which `POST /api/widget/sessions` gives, sent as `Authorization: Bearer <token>`.",
      ),
    ),
  },
  error: [Problem.Unauthorized, Problem.Forbidden, Problem.RateLimited, Problem.Unavailable],
}) {}
