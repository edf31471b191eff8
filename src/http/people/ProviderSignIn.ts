import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpApiSchema } from "effect/http-api"
import { type Onward, ProviderSignIn } from "../../services/people/ProviderSignIn.ts"
import { PublicUrl } from "../../services/PublicUrl.ts"
import { attemptCookie, attemptOf, sessionCookie } from "../access/ConsoleCookie.ts"
import { group } from "../Group.ts"

export const layer = group("providerSignIn", function* (handlers) {
  const signIns = yield* ProviderSignIn
  const publicUrl = yield* PublicUrl

  const redirect = (request: HttpServerRequest.HttpServerRequest, { location, secret, session }: Onward) =>
    HttpApiSchema.withHeaders({
      body: undefined,
      headers: {
        location,
        "set-cookie":
          session === undefined
            ? attemptCookie(request, publicUrl, secret)
            : sessionCookie(request, publicUrl, session),
        "cache-control": "no-store" as const,
      },
    })

  return handlers.handleAll({
    begin: ({ params, query, request }) =>
      Effect.map(signIns.begin(params.providerId, query), (onward) => redirect(request, onward)),

    end: ({ params, request }) =>
      Effect.map(
        signIns.end(
          params.providerId,
          new URL(request.url, publicUrl).search.slice(1),
          attemptOf(request, publicUrl),
          request.headers["user-agent"],
        ),
        (onward) => redirect(request, onward),
      ),
  })
})
