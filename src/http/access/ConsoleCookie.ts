import { Duration } from "effect"
import type { HttpServerRequest } from "effect/http"

/**
 * The name of the cookie. Behind https it has the prefix of cookies that browsers take from this very host alone, so that
 * another host of the same domain cannot sign anybody in.
 */
const NAME = "parley_console"
const SECURE_NAME = `__Host-${NAME}`
const contentIn = (name: string) => new RegExp(`(?:^|;)\\s*${name}=([\\w-]+)\\s*(?:;|$)`)
const content = contentIn(NAME)
const secureContent = contentIn(SECURE_NAME)

/**
 * Whether a browser marks the request as one of a page of this server. Browsers set this header themselves, and no page
 * can change it: it says of a request of another site, or of another host of the same site, that it is one.
 */
export const isOfOurPages = ({ headers }: HttpServerRequest.HttpServerRequest): boolean =>
  headers["sec-fetch-site"] === "same-origin"

/** Whether a browser marks the request as one of somebody else's page. */
export const isOfForeignPage = (request: HttpServerRequest.HttpServerRequest): boolean =>
  request.headers["sec-fetch-site"] !== undefined && !isOfOurPages(request)

/** Whether the client reaches the server by https, as the public address or a proxy says. */
const isSecure = ({ headers }: HttpServerRequest.HttpServerRequest, publicUrl: string): boolean =>
  publicUrl.startsWith("https:") || headers["x-forwarded-proto"] === "https"

/**
 * The console's cookie of a request; undefined where it does not count: only requests of our own pages may act by it, so
 * that no other page can act in the name of who is signed in.
 */
export const consoleCookieOf = (request: HttpServerRequest.HttpServerRequest, publicUrl: string): string | undefined =>
  isOfOurPages(request)
    ? (isSecure(request, publicUrl) ? secureContent : content).exec(request.headers["cookie"] ?? "")?.[1]
    : undefined

const setCookie = (
  request: HttpServerRequest.HttpServerRequest,
  publicUrl: string,
  value: string,
  seconds: number,
): string => {
  const [name, more] = isSecure(request, publicUrl) ? [SECURE_NAME, "; Secure"] : [NAME, ""]
  return `${name}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${seconds}${more}`
}

/** The header `Set-Cookie` that begins a session. */
export const beginning = (
  request: HttpServerRequest.HttpServerRequest,
  publicUrl: string,
  value: string,
  lifetime: Duration.Duration,
): string => setCookie(request, publicUrl, value, Math.floor(Duration.toSeconds(lifetime)))

/** The header `Set-Cookie` that ends a session. */
export const ending = (request: HttpServerRequest.HttpServerRequest, publicUrl: string): string =>
  setCookie(request, publicUrl, "", 0)
