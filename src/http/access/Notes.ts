import type { HttpServerRequest } from "effect/http"
import type { OrganizationId } from "../../domain/Ids.ts"

/** Facts that come to light while a request is answered, for its response and its line in the log. */
interface Notes {
  /** The organization on whose behalf the request is answered. */
  organization?: OrganizationId
  /** The headers that say what remains of the rate limits, of a request that was counted. */
  rateHeaders?: Readonly<Record<string, string>>
  /** The API key or the session in the console's cookie, of a request that carries it in the place of a key; empty if it is not valid. */
  cookieKey?: string
}

const notes = new WeakMap<HttpServerRequest.HttpServerRequest, Notes>()

export const notesOn = (request: HttpServerRequest.HttpServerRequest): Notes => {
  const found = notes.get(request) ?? {}
  notes.set(request, found)
  return found
}
