import { Context, Effect, Redacted } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { RequiredScope } from "../../api/Middleware.ts"
import type { Scope } from "../../domain/ApiKey.ts"
import { boundElsewhere, Caller } from "../../domain/Caller.ts"
import { Forbidden } from "../../domain/Errors.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { ApiKeys } from "../../services/ApiKeys.ts"

const bearer = /^bearer +(.+)$/i

/** The API key of a request, from `x-api-key` or `Authorization: Bearer`; empty where there is none. */
export const keyOf = ({ headers }: HttpServerRequest.HttpServerRequest) =>
  Redacted.make(headers["x-api-key"] ?? bearer.exec(headers["authorization"] ?? "")?.[1] ?? "")

/** Fails unless the caller has the scope and may use the chatbot in the path, if there is one. */
const ensureAllowed = (caller: Caller["Service"], scope: Scope | undefined) => {
  if (scope !== undefined && !caller.scopes.includes(scope)) {
    return new Forbidden({ detail: `This API key lacks the scope ${scope}.` })
  }
  const bound = caller.chatbotId
  if (bound === null) return Effect.void
  return Effect.flatMap(HttpRouter.RouteContext, ({ params }) =>
    (params["chatbotId"]?.toLowerCase() ?? bound) !== bound || scope === "admin" || scope === "operator"
      ? boundElsewhere
      : Effect.void,
  )
}

/** Makes the middleware that authorizes every request to an endpoint that needs an API key. */
export const make = Effect.gen(function* () {
  const keys = yield* ApiKeys

  // Without generators: every request passes here, and JavaScriptCore compiled the generator again and again.
  const authorize = <A, E, R>(
    respond: Effect.Effect<A, E, R>,
    { endpoint }: { readonly endpoint: HttpApiEndpoint.Top },
  ) => {
    const scope = Context.getOrUndefined(endpoint.annotations, RequiredScope)
    return Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
      Effect.flatMap(keys.authenticate(keyOf(request)), (caller) =>
        // Provided one by one: providing a context would copy all services of the server for each request.
        Effect.andThen(ensureAllowed(caller, scope), respond).pipe(
          Effect.provideService(Caller, caller),
          Effect.provideService(CurrentOrganization, caller.organizationId),
        ),
      ),
    )
  }

  // The framework tries one scheme after the other, and reports the failure of the last. Each reads both headers, so
  // that the failure of a valid key without the scope is not replaced by that of a missing one.
  return { apiKey: authorize, bearer: authorize }
})
