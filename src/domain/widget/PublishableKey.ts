import { Schema } from "effect"
import { getDomain } from "tldts"
import { keyForm } from "../KeyForm.ts"
import { boundedList } from "../schema/Bounded.ts"
import { textUpTo } from "../schema/Text.ts"
import { unexpressed } from "../schema/Unexpressed.ts"

/*
 * Publishable keys stand in the pages of websites, where everybody reads them. So they are good for the chat widget of one
 * chatbot only, and browsers embed that widget only where the key allows it.
 */

/** 62^22 > 2^128. */
const form = keyForm("pub_", 22)

/** A new publishable key: `pub_`, 22 characters of [0-9A-Za-z], and a checksum of 6. */
export const makePublishableKey = form.make

/** Whether a text is written as a publishable key, with a valid checksum. */
export const isPublishableKey = (text: string): boolean => form.fits(text) && form.isSound(text)

/** Stands for every origin. */
export const ANY_ORIGIN = "*"
const ORIGINS_MAX = 50
/** A host name has at most 253 characters; a scheme, an asterisk and a port are added. */
const ORIGIN_MAX_LENGTH = 280

const label = "[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
/** Names and IPv4 addresses. Content Security Policy cannot express an address of IPv6. */
const host = new RegExp(`^(?:${label}\\.)*${label}$`)
const wildcard = "://*."

const EXPECTED = "Expected an origin such as https://example.com, https://*.example.com or *"

/**
 * Whether all names below a name are those of one owner, as far as the list of public suffixes knows: not so below `com`,
 * `co.uk` and `github.io`, where everybody can have one. Addresses have no names below.
 */
const isOneOwners = (hostname: string): boolean =>
  getDomain(hostname, { allowPrivateDomains: true, extractHostname: false, validateHostname: false }) !== null

/** Fault in the text of an origin; undefined if there is none. */
const faultOf = (text: string): string | undefined => {
  if (text === ANY_ORIGIN) return undefined
  const isWild = text.includes(wildcard)
  const plain = isWild ? text.replace(wildcard, "://") : text
  const url = URL.parse(plain)
  if (url === null || !/^https?:$/.test(url.protocol) || !host.test(url.hostname)) return EXPECTED
  if (isWild && !isOneOwners(url.hostname)) return `${EXPECTED}; the asterisk needs a domain below which all is yours`
  const canonical = isWild ? url.origin.replace("://", wildcard) : url.origin
  return canonical === text ? undefined : `Expected an origin as browsers write it: ${canonical}`
}

/** An origin as browsers write it: lower case, international names as `xn--…`, no default port, no path. */
const AllowedOrigin = textUpTo(ORIGIN_MAX_LENGTH).check(
  Schema.makeFilter((text: string) => faultOf(text) ?? true, unexpressed),
)

/** Whether pages of an origin, as browsers write it, may use the widget. A page without an origin of its own has `null`. */
export const isAllowedOrigin = (allowed: ReadonlyArray<string>, origin: string): boolean =>
  allowed.some((one) => {
    if (one === ANY_ORIGIN || one === origin) return true
    const [scheme, host] = one.split(wildcard)
    return host !== undefined && origin.startsWith(`${scheme}://`) && origin.endsWith(`.${host}`)
  })

/** Origins that may embed the widget of a publishable key: 1 to 50. `*` stands for every one, and alone. */
export const AllowedOrigins = boundedList(
  AllowedOrigin,
  { minimum: 1, maximum: ORIGINS_MAX },
  {
    description:
      "The origins of the pages that may embed the widget, or use its key themselves, as browsers write them: `https://example.com`, `https://*.example.com` for all its subdomains, `*` alone for every page. Below a public suffix, such as `github.io`, an asterisk is refused.",
    examples: [["https://example.com", "https://*.example.com"]],
  },
).check(
  Schema.makeFilter(
    (origins: ReadonlyArray<string>) =>
      origins.length < 2 || !origins.includes(ANY_ORIGIN) || "Expected `*` alone, since it allows every origin",
    unexpressed,
  ),
)

/** The sources of the directive `frame-ancestors` for a widget, which also pages of its own server may embed. */
export const frameAncestors = (origins: ReadonlyArray<string>): string =>
  origins.includes(ANY_ORIGIN) ? ANY_ORIGIN : ["'self'", ...origins].join(" ")
