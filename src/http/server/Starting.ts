import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { apiVersion } from "../../api/Api.ts"
import { RequestId } from "../../api/RequestId.ts"
import { areaOf } from "../../api/Routes.ts"
import { healthz } from "../../api/System.ts"
import { Unavailable } from "../../domain/Errors.ts"
import { keptId } from "../edge/Edge.ts"
import { pathOf } from "../edge/PathOf.ts"
import { respondWith } from "../edge/Respond.ts"

/*
 * What a server answers before it has a database. It looks like any other answer.
 */

const notYet = new Unavailable({ detail: "The server is starting.", retry_after_seconds: 1 })

/** The process lives, however long its database takes: whoever killed it for that would have it begin anew. */
const lives = Effect.succeed(HttpServerResponse.jsonUnsafe({ status: "ok" }))

export const whileStarting = (request: Request): Response => {
  const path = pathOf(request.url)
  const id = keptId(request.headers.get("x-request-id") ?? undefined) ?? Bun.randomUUIDv7()
  const answer = path === healthz.path ? lives : respondWith(areaOf(path).dialect, notYet)
  const response = Effect.runSync(Effect.provideService(answer, RequestId, id))
  return HttpServerResponse.toWeb(
    HttpServerResponse.setHeaders(response, { "x-request-id": id, "x-api-version": apiVersion }),
  )
}
