import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { apiVersion } from "../../api/Api.ts"
import { RequestId } from "../../domain/RequestId.ts"
import { healthz } from "../../api/system/System.ts"
import { Unavailable } from "../../domain/Errors.ts"
import { wellFormedRequestId } from "../edge/Edge.ts"
import { pathOf } from "../edge/PathOf.ts"
import { respondWith } from "../edge/Respond.ts"
import { areaOf } from "../edge/Routes.ts"

/*
 * The responses of a server that does not have its database yet, in the same forms as all others.
 */

const notYet = new Unavailable({ detail: "The server is starting.", retry_after_seconds: 1 })

/** Liveness is up while the database starts, since restarting the process would only prolong the start. */
const alive = Effect.succeed(HttpServerResponse.jsonUnsafe({ status: "ok" }))

/** Answers a request while the server starts. */
export const whileStarting = (request: Request): Response => {
  const path = pathOf(request.url)
  const id = wellFormedRequestId(request.headers.get("x-request-id") ?? undefined) ?? Bun.randomUUIDv7()
  const answer = path === healthz.path ? alive : respondWith(areaOf(path).dialect, notYet)
  const response = Effect.runSync(Effect.provideService(answer, RequestId, id))
  return HttpServerResponse.toWeb(
    HttpServerResponse.setHeaders(response, {
      "x-request-id": id,
      "x-api-version": apiVersion,
      "x-content-type-options": "nosniff",
    }),
  )
}
