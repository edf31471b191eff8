import { URL_MAX_LENGTH } from "../domain/schema/HttpUrl.ts"

/*
 * The address of a page in the one form in which it is stored, so that a page has one row however links write it.
 */

/** Matches names of parameters that follow people, and that change nothing of a page. */
const TRACKING =
  /^(?:utm_\w+|mtm_\w+|pk_(?:campaign|kwd|source|medium)|(?:g|fb|m|y|tw)clid|gclsrc|[gw]braid|dclid|msclkid|igshid|_g[al]|_hsenc|_hsmi|mc_[ce]id|mkt_tok|phpsessid|jsessionid|aspsessionid\w*|cfid|cftoken|zenid|oscsid)$/i

/** Matches names of parameters that hold a session where their values look like one: others name a page by them. */
const SESSION = /^(?:s|sid|sess|sessid|session|session[_-]?id)$/i

/** Least length of a session id, and least changes between letters and digits in it: words and years have few. */
const SESSION_MIN = 16
const CHANGES_MIN = 4

/** Matches a session id in a path, as Java and ASP.NET write it. */
const SESSION_IN_PATH = /;jsessionid=[^/?#;]*|\/\([A-Za-z]\([\w-]{8,}\)\)(?=\/|$)/gi

const isSessionId = (value: string): boolean => {
  const id = value.replaceAll(/[-_.,]/g, "")
  return id.length >= SESSION_MIN && (id.match(/[a-z]\d|\d(?=[a-z])/gi) ?? []).length >= CHANGES_MIN
}

/** Whether a parameter, as it stands in an address, changes nothing of the page. */
const isIdle = (part: string): boolean => {
  const [name = part, value = ""] = URL.parse(`x:?${part}`)?.searchParams.entries().next().value ?? []
  return TRACKING.test(name) || (SESSION.test(name) && isSessionId(value))
}

/** Writes escapes in one way: unreserved characters as themselves, and others with capital letters. */
const sameEscapes = (path: string): string =>
  path.replaceAll(/%[\da-f]{2}/gi, (escape) => {
    const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16))
    return /[\w.~-]/.test(character) ? character : escape.toUpperCase()
  })

/**
 * The address that `text` names, relative to `base`; undefined when it is none of a page, has a user name or is too long.
 * The host is in small letters and punycode, dot segments are resolved, and fragments, default ports, session ids and
 * parameters that follow people are dropped. The order of parameters stays: a server may care about it.
 */
export const addressOf = (text: string, base?: string): string | undefined => {
  if (text.length > 2 * URL_MAX_LENGTH) return undefined
  const url = URL.parse(text.trim(), base)
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") return undefined
  url.hash = ""
  url.hostname = url.hostname.replace(/\.$/, "")
  url.pathname = sameEscapes(url.pathname.replaceAll(SESSION_IN_PATH, ""))
  url.search = sameEscapes(
    url.search
      .slice(1)
      .split("&")
      .filter((part) => part !== "" && !isIdle(part))
      .join("&"),
  )
  return url.href.length > URL_MAX_LENGTH || url.hostname === "" ? undefined : url.href
}

/** The host of an address, with the port where it is not the usual one. */
export const hostOf = (address: string): string => new URL(address).host

/** The last part of the path, without escapes; empty for the address of a directory. */
export const lastSegment = (address: string): string => {
  const segment = new URL(address).pathname.split("/").at(-1) ?? ""
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** Whether two addresses differ by no more than `http` and `https`. */
export const isSamePage = (one: string, other: string): boolean =>
  one.replace(/^https?:/, "") === other.replace(/^https?:/, "")

/** The address of a page without what sites change about addresses while the page stays: scheme, `www.`, case, last slash. */
const plainAddress = (address: string): string => {
  const { host, pathname, search } = new URL(address)
  return (host.replace(/^www\./, "") + pathname.replace(/\/+$/, "") + search).toLowerCase()
}

/** Whether two addresses are of the same page, as far as they tell. */
export const isAlike = (one: string, other: string): boolean => plainAddress(one) === plainAddress(other)
