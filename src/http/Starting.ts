import { apiVersion } from "../api/Api.ts"
import * as OpenAiError from "../api/OpenAiError.ts"
import { problemMediaType } from "../api/Problem.ts"
import { Unavailable } from "../domain/Errors.ts"
import { isOpenAi, keptId } from "./Edge.ts"

/*
 * What a server answers before it has a database. Then nothing is there yet that could encode an answer, but it looks
 * like any other.
 */

const notYet = new Unavailable({ detail: "The server is starting.", retry_after_seconds: 1 })

/** The process lives, however long its database takes: whoever killed it for that would have it begin anew. */
export const whileStarting = (request: Request): Response => {
  const { pathname } = new URL(request.url)
  const id = keptId(request.headers.get("x-request-id") ?? undefined) ?? Bun.randomUUIDv7()
  const headers = { "x-request-id": id, "x-api-version": apiVersion }
  if (pathname === "/healthz") return Response.json({ status: "ok" }, { headers })
  const later = { ...headers, "retry-after": String(notYet.retry_after_seconds) }
  if (isOpenAi(pathname)) {
    const { body, status } = OpenAiError.rendered(notYet)
    return Response.json(body, { status, headers: later })
  }
  return Response.json(
    {
      type: "urn:parley:problem:unavailable",
      title: "Not available right now",
      status: 503,
      detail: notYet.detail,
      code: "unavailable",
      request_id: id,
      retry_after_seconds: notYet.retry_after_seconds,
    },
    { status: 503, headers: { ...later, "content-type": problemMediaType } },
  )
}
