import { Duration } from "effect"
import type { HttpServerRequest } from "effect/http"

const NAME = "parley_console"
const cookie = new RegExp(`(?:^|;)\\s*${NAME}=([\\w-]+)\\s*(?:;|$)`)

/**
 * Whether a browser marks the request as one of a page of this server. Browsers set this header themselves, and no page
 * can change it: it says of a request of another site, or of another host of the same site, that it is one.
 */
const isOfOurPages = ({ headers }: HttpServerRequest.HttpServerRequest): boolean =>
  headers["sec-fetch-site"] === "same-origin"

/** Whether a browser marks the request as one of somebody else's page. */
export const isOfForeignPage = (request: HttpServerRequest.HttpServerRequest): boolean =>
  request.headers["sec-fetch-site"] !== undefined && !isOfOurPages(request)

/**
 * The console's cookie of a request; undefined where it does not count: only requests of our own pages may act by it, so
 * that no other page can act in the name of who is signed in.
 */
export const consoleCookieOf = (request: HttpServerRequest.HttpServerRequest): string | undefined =>
  isOfOurPages(request) ? cookie.exec(request.headers["cookie"] ?? "")?.[1] : undefined

const attributes = "Path=/; HttpOnly; SameSite=Strict"

/** Whether the client reaches the server by https, as the public address or a proxy says. */
const isSecure = ({ headers }: HttpServerRequest.HttpServerRequest, publicUrl: string): boolean =>
  publicUrl.startsWith("https:") || headers["x-forwarded-proto"] === "https"

/** The header `Set-Cookie` that begins a session. */
export const beginning = (
  request: HttpServerRequest.HttpServerRequest,
  publicUrl: string,
  content: string,
  lifetime: Duration.Duration,
): string =>
  `${NAME}=${content}; ${attributes}; Max-Age=${Math.floor(Duration.toSeconds(lifetime))}${isSecure(request, publicUrl) ? "; Secure" : ""}`

/** The header `Set-Cookie` that ends a session. */
export const ending = `${NAME}=; ${attributes}; Max-Age=0`
