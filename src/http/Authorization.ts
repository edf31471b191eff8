import { Context, Effect, Layer, Redacted } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { Authorization, RequiredScope } from "../api/Middleware.ts"
import { Caller } from "../domain/Caller.ts"
import { Forbidden } from "../domain/Errors.ts"
import { CurrentOrganization } from "../domain/Tenancy.ts"
import { ApiKeys } from "../services/ApiKeys.ts"

const bearer = /^bearer +(.+)$/i

/** The key that a request shows, in either place. */
const keyOf = ({ headers }: HttpServerRequest.HttpServerRequest) =>
  Redacted.make(headers["x-api-key"] ?? bearer.exec(headers["authorization"] ?? "")?.[1] ?? "")

const boundElsewhere = new Forbidden({ detail: "This API key is bound to a chatbot, and serves nothing else." })

export const layer = Layer.effect(
  Authorization,
  Effect.gen(function* () {
    const keys = yield* ApiKeys

    const authorize = <A, E, R>(
      respond: Effect.Effect<A, E, R>,
      { endpoint }: { readonly endpoint: HttpApiEndpoint.Top },
    ) =>
      Effect.gen(function* () {
        const caller = yield* keys.authenticate(keyOf(yield* HttpServerRequest.HttpServerRequest))
        const scope = Context.getOrUndefined(endpoint.annotations, RequiredScope)
        if (scope !== undefined && !caller.scopes.includes(scope)) {
          return yield* new Forbidden({ detail: `This API key lacks the scope ${scope}.` })
        }
        if (caller.chatbotId !== null) {
          const { chatbotId = caller.chatbotId } = (yield* HttpRouter.RouteContext).params
          if (chatbotId !== caller.chatbotId || scope === "admin") return yield* boundElsewhere
        }
        // One by one: providing a context would copy all services of the server for each request.
        return yield* respond.pipe(
          Effect.provideService(Caller, caller),
          Effect.provideService(CurrentOrganization, caller.organizationId),
        )
      })

    // The framework tries one scheme after the other, and tells the failure of the last. Each looks in both places, so
    // that a good key without the scope is told so.
    return { apiKey: authorize, bearer: authorize }
  }),
)
