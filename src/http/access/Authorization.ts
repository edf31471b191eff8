import { Context, Effect } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { RequiredScope } from "../../api/Middleware.ts"
import { AlsoRequires, LimitsBoundKeys, RequestCost } from "../../api/parts/Annotations.ts"
import type { Dialect } from "../../api/parts/Dialect.ts"
import type { Scope } from "../../domain/keys/ApiKey.ts"
import { Caller, elsewhere, lacks } from "../../domain/Caller.ts"
import type { Forbidden, RateLimited, Unauthorized, Unavailable } from "../../domain/Errors.ts"
import { rightsFor } from "../../domain/people/Rights.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { turn } from "../../system/LoopTurns.ts"
import { makeAdmission } from "./Admission.ts"
import { notesOn } from "./Notes.ts"
import { makeRefusals } from "./Refusals.ts"

type Refusal = Forbidden | RateLimited | Unauthorized | Unavailable

const administers = (scope: Scope | undefined): boolean => scope === "admin" || scope === "operator"

/**
 * Returns the caller with what it may do in this request. Fails unless that has the scopes, and reaches the chatbot in the
 * path, if there is one.
 */
const allowed = (admitted: Caller["Service"], scope: Scope | undefined, endpoint: HttpApiEndpoint.Top) => {
  const isLimited = admitted.chatbots !== null || admitted.session?.roles.some(({ chatbot_id }) => chatbot_id !== null)
  if (isLimited !== true) return ensureScopes(admitted, scope, endpoint)
  return Effect.flatMap(HttpRouter.RouteContext, ({ params }) => {
    const named = params["chatbotId"]?.toLowerCase()
    const caller = { ...admitted, ...rightsFor(admitted, scope, named) }
    const isWithinBounds = () => !administers(scope) || Context.get(endpoint.annotations, LimitsBoundKeys)
    const isServed = caller.chatbots?.some((id) => id === named) ?? true
    return Effect.andThen(
      ensureScopes(caller, scope, endpoint),
      isServed || (named === undefined && isWithinBounds()) ? Effect.succeed(caller) : elsewhere(caller),
    )
  })
}

const ensureScopes = (caller: Caller["Service"], scope: Scope | undefined, endpoint: HttpApiEndpoint.Top) => {
  const has = (needed: Scope) => caller.scopes.includes(needed)
  const missing =
    scope === undefined || has(scope)
      ? Context.get(endpoint.annotations, AlsoRequires).find((needed) => !has(needed))
      : scope
  return missing === undefined ? Effect.succeed(caller) : lacks(caller, `the scope ${missing}`)
}

/** Makes the middleware that authorizes every request to an endpoint of one dialect that needs an API key. */
export const make = Effect.fn("Authorization.make")(function* (dialect: Dialect) {
  const admit = yield* makeAdmission
  const refusals = makeRefusals<Refusal>()

  // Without generators: every request passes here, and JavaScriptCore compiled the generator again and again.
  const authorize = <A, E, R>(
    respond: Effect.Effect<A, E, R>,
    { endpoint }: { readonly endpoint: HttpApiEndpoint.Top },
  ) => {
    const scope = Context.getOrUndefined(endpoint.annotations, RequiredScope)
    const cost = Context.get(endpoint.annotations, RequestCost)
    return Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
      Effect.flatMap(
        refusals.remember(
          request,
          Effect.flatMap(admit(request, cost, dialect), (caller) => allowed(caller, scope, endpoint)),
        ),
        (caller) => {
          notesOn(request).organization = caller.organizationId
          // Provided one by one: providing a context would copy all services of the server for each request.
          return Effect.andThen(turn, respond).pipe(
            Effect.provideService(Caller, caller),
            Effect.provideService(CurrentOrganization, caller.organizationId),
          )
        },
      ),
    )
  }

  return { apiKey: authorize, bearer: refusals.repeat }
})
