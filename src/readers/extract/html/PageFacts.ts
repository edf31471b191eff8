import type { Document, Element } from "domhandler"
import { findAll, textContent } from "domutils"
import type { PageFacts } from "../Extraction.ts"

/** Most links of a page that are kept, and most characters (UTF-16 code units) of one and of all together. */
const MAX_LINKS = 20_000
const MAX_LINK_CHARACTERS = 2_000
const MAX_CHARACTERS_OF_LINKS = 2_000_000
/** Most addresses behind a “#” that are named as unreadable. */
const MAX_ROUTES = 100

/** A page that is replaced later than this, in seconds, is meant to be read. */
const MAX_REFRESH_SECONDS = 10

/** The name under which pages address this program alone, as others say `googlebot`. */
const OWN_NAME = "parleybot"

const interesting = new Set(["html", "base", "meta", "link", "a", "area", "script", "time"])

const ofKind = (elements: ReadonlyArray<Element>, ...names: ReadonlyArray<string>) =>
  elements.filter(({ name }) => names.includes(name))

const tokensOf = (value = ""): ReadonlyArray<string> => value.toLowerCase().split(/[\s,]+/)

/** The address that a page names, with `http` or `https` and without a fragment. */
export const absoluteAddress = (address: string | undefined, base: string): string | undefined => {
  const url = address === undefined || address.length > MAX_LINK_CHARACTERS ? null : URL.parse(address.trim(), base)
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined
  url.hash = ""
  return url.href.length > MAX_LINK_CHARACTERS ? undefined : url.href
}

/**
 * The addresses to which a page links, without what stands behind their “#”. Where scripts choose by it alone what a page
 * shows, as by `#/guide`, these addresses are there, too: the page links to nothing else of its site but its first page.
 */
const linksOf = (elements: ReadonlyArray<Element>, base: string, url: string): ReadonlyArray<string> => {
  const links = new Set<string>()
  const routes = new Set<string>()
  let room = MAX_CHARACTERS_OF_LINKS
  for (const { attribs } of ofKind(elements, "a", "area")) {
    const link = tokensOf(attribs["rel"]).includes("nofollow") ? undefined : absoluteAddress(attribs["href"], base)
    const [, route] = /(#!?\/.+)/.exec(attribs["href"] ?? "") ?? []
    if (link !== undefined && route !== undefined && routes.size < MAX_ROUTES) routes.add(link + route)
    if (link === undefined || links.has(link)) continue
    room -= link.length
    if (room < 0 || links.size === MAX_LINKS) break
    links.add(link)
  }
  const { origin } = new URL(url)
  const first = new Set([absoluteAddress("", url), absoluteAddress("/", url), ...Array.from(routes, withoutRoute)])
  const isRouted = [...links].every((link) => first.has(link) || new URL(link).origin !== origin)
  return isRouted ? [...links, ...routes] : [...links]
}

const withoutRoute = (address: string): string => address.replace(/#.*/, "")

/** A date or a date with time as ISO 8601 writes it; undefined for everything else, such as the date of an era. */
const isoDate = (text: string | undefined): string | undefined => {
  const written = text?.trim() ?? ""
  if (!/^\d{4}-\d\d-\d\d/.test(written) || written.length > 40) return undefined
  const time = Date.parse(written)
  if (Number.isNaN(time)) return undefined
  return written.length === 10 ? written : new Date(time).toISOString()
}

type Metas = ReadonlyArray<readonly [name: string, content: string]>

const PUBLISHED =
  /^(?:(?:article|og):published_time|datepublished|dcterms\.(?:created|issued|date)|dc\.date(?:\.issued)?|date|pubdate)$/
const MODIFIED = /^(?:article:modified_time|og:updated_time|datemodified|dcterms\.modified|last-modified)$/

const publishedOf = (elements: ReadonlyArray<Element>, metas: Metas): string | undefined => {
  const data = ofKind(elements, "script")
    .filter(({ attribs }) => /ld\+json/i.test(attribs["type"] ?? ""))
    .map((element) => textContent(element))
  const inData = (name: string) =>
    data.map((text) => new RegExp(`"${name}"\\s{0,9}:\\s{0,9}"([^"]{1,40})"`).exec(text)?.[1])
  const inMetas = (names: RegExp) => metas.flatMap(([name, content]) => (names.test(name) ? content : []))
  const times = ofKind(elements, "time").map(({ attribs }) => attribs["datetime"])
  return [inMetas(PUBLISHED), inData("datePublished"), inMetas(MODIFIED), inData("dateModified"), times]
    .flat()
    .map(isoDate)
    .find((date) => date !== undefined)
}

const REFRESH = /^\s{0,9}(\d{1,6})[\d.]{0,9}\s{0,9}[;,]\s{0,9}(?:url\s{0,9}=\s{0,9})?["']?([^"']+)/i

const refreshOf = (metas: Metas, base: string, url: string): string | undefined => {
  const [, seconds, address] = REFRESH.exec(metas.find(([name]) => name === "refresh")?.[1] ?? "") ?? []
  const target = absoluteAddress(address, base)
  return Number(seconds) <= MAX_REFRESH_SECONDS && target !== absoluteAddress(url, url) ? target : undefined
}

/** What a page says about itself and where it leads, besides its text. */
export interface Declarations extends Omit<PageFacts, "title" | "needsBrowser" | "needsLogin"> {
  readonly links: ReadonlyArray<string>
  /** The address against which the page's links are resolved. */
  readonly base: string
  /** The name of the site; empty when the page does not say it. */
  readonly siteName: string
}

/** Reads what a page declares, in its head and elsewhere. */
export const declarationsOf = (document: Document, url: string): Declarations => {
  const elements = findAll(({ name }) => interesting.has(name), document.children)
  const base =
    absoluteAddress(ofKind(elements, "base").find(({ attribs }) => "href" in attribs)?.attribs["href"], url) ?? url
  const metas = ofKind(elements, "meta").map(({ attribs }) => {
    const name = attribs["name"] ?? attribs["property"] ?? attribs["http-equiv"] ?? attribs["itemprop"] ?? ""
    return [name.trim().toLowerCase(), attribs["content"] ?? ""] as const
  })
  const robots = new Set(
    metas.flatMap(([name, content]) => (name === "robots" || name === OWN_NAME ? tokensOf(content) : [])),
  )
  const nofollow = robots.has("nofollow") || robots.has("none")
  const html = ofKind(elements, "html")[0]?.attribs
  const canonical = ofKind(elements, "link").find(({ attribs }) => tokensOf(attribs["rel"]).includes("canonical"))
  return {
    base,
    links: nofollow ? [] : linksOf(elements, base, url),
    canonical: absoluteAddress(canonical?.attribs["href"], base),
    noindex: robots.has("noindex") || robots.has("none"),
    nofollow,
    refresh: refreshOf(metas, base, url),
    language: /^\s*([a-z]{2,3})(?![a-z])/i.exec(html?.["lang"] ?? html?.["xml:lang"] ?? "")?.[1]?.toLowerCase(),
    published: publishedOf(elements, metas),
    siteName: metas.find(([name]) => name === "og:site_name")?.[1] ?? "",
  }
}
