import type { HttpServerRequest } from "effect/http"
import { isOfOurPages } from "./ConsoleCookie.ts"

/**
 * The origin of the page that sends a request, as browsers report it; undefined for pages of this server, and for programs,
 * which send none. A page in a sandboxed frame has the origin `null`.
 *
 * Browsers mark requests of our own pages where they reach us by https or on the same machine, also behind a proxy that
 * gives us another address. Elsewhere, and in old browsers, the origin is compared with the addresses that we know.
 */
export const foreignOriginOf = (
  request: HttpServerRequest.HttpServerRequest,
  publicUrl: string,
): string | undefined => {
  const { host, origin, "sec-fetch-site": mark } = request.headers
  if (origin === undefined || isOfOurPages(request) || origin === URL.parse(publicUrl)?.origin) return undefined
  return mark === undefined && URL.parse(origin)?.host === host ? undefined : origin
}
