import { Duration } from "effect"
import type { HttpServerRequest } from "effect/http"

/**
 * The name of the cookie. Behind https it has the prefix of cookies that browsers take from this very host alone, so that
 * another host of the same domain cannot sign anybody in.
 */
const NAME = "parley_console"
/** Seconds for which a sign-in may be under way: as long as the database keeps what is expected of it. */
const ATTEMPT_SECONDS = 600
/** The name of the cookie with the secret of a sign-in that is under way. */
const ATTEMPT_NAME = "parley_sign_in"

const contentIn = (name: string) => new RegExp(`(?:^|;)\\s*${name}=([\\w-]+)\\s*(?:;|$)`)
const contents = new Map(
  [NAME, ATTEMPT_NAME].flatMap((name) => [name, `__Host-${name}`]).map((name) => [name, contentIn(name)]),
)

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
  isOfOurPages(request) ? valueOf(request, publicUrl, NAME) : undefined

/**
 * The secret of the sign-in that the browser has begun; undefined where there is none. A provider sends the browser back
 * from its own pages, so that it counts in requests of those as well.
 */
export const attemptOf = (request: HttpServerRequest.HttpServerRequest, publicUrl: string): string | undefined =>
  valueOf(request, publicUrl, ATTEMPT_NAME)

const valueOf = (request: HttpServerRequest.HttpServerRequest, publicUrl: string, name: string) =>
  contents.get(nameOf(request, publicUrl, name))?.exec(request.headers["cookie"] ?? "")?.[1]

const nameOf = (request: HttpServerRequest.HttpServerRequest, publicUrl: string, name: string) =>
  isSecure(request, publicUrl) ? `__Host-${name}` : name

const setCookie = (
  request: HttpServerRequest.HttpServerRequest,
  publicUrl: string,
  [name, sameSite]: readonly [name: string, sameSite: "Lax" | "Strict"],
  value: string,
  seconds: number,
): string =>
  `${nameOf(request, publicUrl, name)}=${value}; Path=/; HttpOnly; SameSite=${sameSite}; Max-Age=${seconds}${isSecure(request, publicUrl) ? "; Secure" : ""}`

/** The header `Set-Cookie` that begins a session, or ends the one that there is. */
export const sessionCookie = (
  request: HttpServerRequest.HttpServerRequest,
  publicUrl: string,
  { cookie, lifetime }: { readonly cookie: string; readonly lifetime: Duration.Duration } = ended,
): string => setCookie(request, publicUrl, [NAME, "Strict"], cookie, Math.floor(Duration.toSeconds(lifetime)))

const ended = { cookie: "", lifetime: Duration.zero }

/** The header `Set-Cookie` with the secret of a sign-in that begins. Without a secret, it ends the sign-in. */
export const attemptCookie = (request: HttpServerRequest.HttpServerRequest, publicUrl: string, secret = ""): string =>
  setCookie(request, publicUrl, [ATTEMPT_NAME, "Lax"], secret, secret === "" ? 0 : ATTEMPT_SECONDS)
