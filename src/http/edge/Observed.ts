import { Effect } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import { annotateSpan, secondsSince } from "../../observability/Border.ts"
import { http } from "../../observability/Metrics.ts"
import { attributes } from "../../observability/Attributes.ts"
import { type BeginTrace, ERROR_TYPE } from "../../observability/Traces.ts"
import { notesOn } from "../access/Notes.ts"
import type { Match, Route } from "./Routes.ts"

/*
 * What the log, the metrics and the traces tell of a request.
 */

type Request = HttpServerRequest.HttpServerRequest

/** Stands for the route of a request to a path or with a method that has none. */
const NO_ROUTE = "none"

/** Counts a request. `begin` is its time in milliseconds by the clock of the process. */
export const measure = (method: string, route: Route | undefined, status: number, begin: number): void => {
  // Clients may invent methods.
  const labels = [route !== undefined || method === "OPTIONS" ? method : NO_ROUTE, route?.path ?? NO_ROUTE] as const
  http.seconds(...labels).observe(secondsSince(begin))
  http.requests(...labels, String(status)).add()
}

/** The organization, the chatbot and the conversation of a request, as far as they are known at its end. */
export const subjectsOf = (
  request: Request,
  { headers }: HttpServerResponse.HttpServerResponse,
  match: Match | undefined,
) => ({
  organization_id: notesOn(request).organization,
  chatbot_id: match?.params["chatbotId"],
  conversation_id: headers["x-session-id"],
})

const SERVER_ERROR = 500

/** Makes a trace of the work that answers a request. */
export const traced = <E, R>(
  respond: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>,
  request: Request,
  match: Match | undefined,
  requestId: string,
  beginTrace: BeginTrace,
): Effect.Effect<HttpServerResponse.HttpServerResponse, E, R> => {
  const route = match?.route
  const annotated = Effect.tap(respond, (response) =>
    annotateSpan(() => {
      const { chatbot_id, conversation_id, organization_id } = subjectsOf(request, response, match)
      return {
        [attributes.status]: response.status,
        ...(response.status >= SERVER_ERROR && { [ERROR_TYPE]: String(response.status) }),
        ...(organization_id !== undefined && { [attributes.organization]: organization_id }),
        ...(chatbot_id !== undefined && { [attributes.chatbot]: chatbot_id }),
        ...(conversation_id !== undefined && { [attributes.conversation]: conversation_id }),
      }
    }),
  )
  return beginTrace(annotated, {
    name: route === undefined ? request.method : `${request.method} ${route.path}`,
    kind: "server",
    headers: request.headers,
    attributes: {
      [attributes.method]: request.method,
      [attributes.requestId]: requestId,
      ...(route !== undefined && { [attributes.route]: route.path }),
    },
  })
}
