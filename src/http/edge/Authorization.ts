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

/** The key that a request shows, in either place. */
export const keyOf = ({ headers }: HttpServerRequest.HttpServerRequest) =>
  Redacted.make(headers["x-api-key"] ?? bearer.exec(headers["authorization"] ?? "")?.[1] ?? "")

/** Whether an endpoint of this scope, and of the chatbot in the path if one is there, is open to the caller. */
const mayUse = (caller: Caller["Service"], scope: Scope | undefined) => {
  if (scope !== undefined && !caller.scopes.includes(scope)) {
    return new Forbidden({ detail: `This API key lacks the scope ${scope}.` })
  }
  const bound = caller.chatbotId
  if (bound === null) return Effect.void
  return Effect.flatMap(HttpRouter.RouteContext, ({ params }) =>
    (params["chatbotId"]?.toLowerCase() ?? bound) !== bound || scope === "admin" ? boundElsewhere : Effect.void,
  )
}

export const make = Effect.gen(function* () {
  const keys = yield* ApiKeys

  // No generators: JavaScriptCore compiled this one's, which every request passes, over and over.
  const authorize = <A, E, R>(
    respond: Effect.Effect<A, E, R>,
    { endpoint }: { readonly endpoint: HttpApiEndpoint.Top },
  ) => {
    const scope = Context.getOrUndefined(endpoint.annotations, RequiredScope)
    return Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
      Effect.flatMap(keys.authenticate(keyOf(request)), (caller) =>
        // One by one: providing a context would copy all services of the server for each request.
        Effect.andThen(mayUse(caller, scope), respond).pipe(
          Effect.provideService(Caller, caller),
          Effect.provideService(CurrentOrganization, caller.organizationId),
        ),
      ),
    )
  }

  // The framework tries one scheme after the other, and tells the failure of the last. Each looks in both places, so
  // that a good key without the scope is told so.
  return { apiKey: authorize, bearer: authorize }
})
