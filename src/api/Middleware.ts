import { Context } from "effect"
import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "effect/http-api"
import type { Scope } from "../domain/ApiKey.ts"
import type { Caller } from "../domain/Caller.ts"
import type { CurrentOrganization } from "../domain/Tenancy.ts"
import * as OpenAiError from "./OpenAiError.ts"
import * as Problem from "./Problem.ts"

/** The scope that an endpoint asks of the API key. */
export class RequiredScope extends Context.Service<RequiredScope, Scope>()("parley/api/RequiredScope") {}

const keyDescription = "An API key of Parley, sent as `x-api-key: <key>` or, equally, as `Authorization: Bearer <key>`."

const security = {
  apiKey: HttpApiSecurity.apiKey({ key: "x-api-key", in: "header" }).pipe(
    HttpApiSecurity.annotate(OpenApi.Description, keyDescription),
  ),
  bearer: HttpApiSecurity.bearer.pipe(HttpApiSecurity.annotate(OpenApi.Description, keyDescription)),
}

/**
 * Resolves the API key to its organization, and refuses it (401), its scope (403), or a chatbot that it is not bound
 * to (403).
 *
 * @effect-expect-leaking HttpServerRequest | ParsedSearchParams | RouteContext
 */
export class Authorization extends HttpApiMiddleware.Service<
  Authorization,
  { provides: Caller | CurrentOrganization; requires: never }
>()("parley/api/Authorization", {
  security,
  error: [Problem.Unauthorized, Problem.Forbidden, Problem.Unavailable],
}) {}

/**
 * Turns what an endpoint does not declare into problems: input that does not decode (400), a database out of reach
 * (503), and defects (500, logged, told to nobody).
 */
export class Problems extends HttpApiMiddleware.Service<Problems>()("parley/api/Problems", {
  error: [Problem.InvalidRequest, Problem.UnsupportedVersion, Problem.InternalError, Problem.Unavailable],
}) {}

/**
 * Refuses bodies that are of another media type than the endpoint takes, too large, too slow, incomplete, or that nest
 * too deep as JSON.
 */
export class RequestBody extends HttpApiMiddleware.Service<RequestBody>()("parley/api/RequestBody", {
  error: [Problem.InvalidRequest, Problem.RequestTimeout, Problem.TooLarge, Problem.UnsupportedMediaType],
}) {}

/*
 * The same for clients of OpenAI.
 */

/** @effect-expect-leaking HttpServerRequest | ParsedSearchParams | RouteContext */
export class OpenAiAuthorization extends HttpApiMiddleware.Service<
  OpenAiAuthorization,
  { provides: Caller | CurrentOrganization; requires: never }
>()("parley/api/OpenAiAuthorization", {
  security,
  error: [OpenAiError.Unauthorized, OpenAiError.Forbidden, OpenAiError.Unavailable],
}) {}

export class OpenAiProblems extends HttpApiMiddleware.Service<OpenAiProblems>()("parley/api/OpenAiProblems", {
  error: [
    OpenAiError.InvalidRequest,
    OpenAiError.UnsupportedVersion,
    OpenAiError.InternalError,
    OpenAiError.Unavailable,
  ],
}) {}

export class OpenAiRequestBody extends HttpApiMiddleware.Service<OpenAiRequestBody>()("parley/api/OpenAiRequestBody", {
  error: [
    OpenAiError.InvalidRequest,
    OpenAiError.RequestTimeout,
    OpenAiError.TooLarge,
    OpenAiError.UnsupportedMediaType,
  ],
}) {}
