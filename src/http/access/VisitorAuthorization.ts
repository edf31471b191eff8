import { Context, Effect, Redacted } from "effect"
import { HttpServerRequest } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { RequestCost } from "../../api/parts/Annotations.ts"
import { Caller } from "../../domain/Caller.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { Visitor } from "../../domain/widget/Visitor.ts"
import { PublicUrl } from "../../services/PublicUrl.ts"
import { VisitorTokens } from "../../services/widget/VisitorTokens.ts"
import { turn } from "../../system/LoopTurns.ts"
import { notesOn } from "./Notes.ts"
import { unitsOf } from "./Admission.ts"
import { foreignOriginOf } from "./PageOrigin.ts"

/** Makes the middleware that admits the requests of visitors of the chat widget. */
export const make = Effect.gen(function* () {
  const { admit } = yield* VisitorTokens
  const publicUrl = yield* PublicUrl
  return {
    visitor: <A, E, R>(
      respond: Effect.Effect<A, E, R>,
      { credential, endpoint }: { readonly credential: Redacted.Redacted; readonly endpoint: HttpApiEndpoint.Top },
    ) =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
        Effect.flatMap(
          admit(
            Redacted.value(credential),
            unitsOf(request, Context.get(endpoint.annotations, RequestCost)),
            foreignOriginOf(request, publicUrl),
          ),
          ({ caller, visitor }) => {
            notesOn(request).organization = caller.organizationId
            return Effect.andThen(turn, respond).pipe(
              Effect.provideService(Caller, caller),
              Effect.provideService(CurrentOrganization, caller.organizationId),
              Effect.provideService(Visitor, visitor),
            )
          },
        ),
      ),
  }
})
