import type { CrawledKind, SourceConfig } from "../domain/knowledge/Source.ts"
import { hostOf } from "./Address.ts"

/*
 * Which addresses belong to a source: by its globs, or by the directories of its addresses.
 */

/** More stars than people need, and few enough that no address takes long to match. */
const STARS_MAX = 12

interface Piece {
  readonly star: "" | "*" | "**"
  readonly literal: string
}

/** Why an address does not belong to a source. */
export interface Refusal {
  readonly detail: string
  /** Whether the address is of a host of the source, so that somebody may miss it. */
  readonly isNear: boolean
}

export interface Scope {
  readonly roots: ReadonlyArray<string>
  readonly hosts: ReadonlyArray<string>
  /** The globs of pages to read, with their hosts; empty where everything that a list names is read. */
  readonly include: ReadonlyArray<string>
  readonly refusal: (address: string) => Refusal | undefined
}

const piecesOf = (glob: string): ReadonlyArray<Piece> => {
  const parts = glob.split(/(\*+)/)
  return Array.from({ length: Math.ceil(parts.length / 2) }, (_, index) => ({
    star: index === 0 ? "" : (parts[2 * index - 1] ?? "").length > 1 ? "**" : "*",
    literal: parts[2 * index] ?? "",
  }))
}

/** Where a star that begins at one of these places may end. */
const reach = (text: string, from: ReadonlyArray<number>, star: Piece["star"]): ReadonlyArray<number> => {
  if (star === "") return from
  const reached = new Set<number>()
  for (const start of from) {
    for (let at = start; at <= text.length && !reached.has(at); at++) {
      reached.add(at)
      if (star === "*" && text[at] === "/") break
    }
  }
  return [...reached]
}

const fits = (pieces: ReadonlyArray<Piece>, text: string): boolean => {
  let places: ReadonlyArray<number> = [0]
  for (const { literal, star } of pieces) {
    places = reach(text, places, star)
      .filter((at) => text.startsWith(literal, at))
      .map((at) => at + literal.length)
    if (places.length === 0) return false
  }
  return places.includes(text.length)
}

/** Makes a test of addresses by a glob. One that begins with a slash is for all hosts that `isHost` accepts. */
export const globMatcher = (glob: string, isHost: (host: string) => boolean): ((address: string) => boolean) => {
  const bare = glob.trim().replace(/^https?:\/\//i, "")
  const slash = bare.indexOf("/")
  const host = slash === -1 ? bare : bare.slice(0, slash)
  const path = slash === -1 ? "/**" : bare.slice(slash)
  const pieces = piecesOf(host.toLowerCase() + path)
  if (pieces.length > STARS_MAX + 1) return () => false
  // The directory itself belongs to everything below it.
  const directory = path.endsWith("/**") ? piecesOf(host.toLowerCase() + path.slice(0, -3)) : undefined
  const hasQuery = path.includes("?")
  return (address) => {
    const url = new URL(address)
    if (host === "" && !isHost(url.host)) return false
    const text = (host === "" ? "" : url.host) + url.pathname + (hasQuery ? url.search : "")
    return fits(pieces, text) || (directory !== undefined && fits(directory, text))
  }
}

/** The glob of everything in the directory of an address. */
const directoryGlob = (address: string): string =>
  `${hostOf(address)}${new URL(address).pathname.replace(/[^/]*$/, "")}**`

/**
 * The scope of a source. `roots` are its addresses and, of a website, those that they redirect to. What a list names is
 * within the scope, whichever its host, unless globs say otherwise.
 */
export const makeScope = (
  kind: CrawledKind,
  { exclude, include }: Pick<SourceConfig, "exclude" | "include">,
  roots: ReadonlyArray<string>,
): Scope => {
  const isWebsite = kind === "website"
  const hosts = new Set(roots.map(hostOf))
  const withHosts = (glob: string) =>
    glob.startsWith("/") && isWebsite ? [...hosts].map((host) => host + glob) : [glob]
  const inferred = isWebsite ? [...new Set(roots.map(directoryGlob))] : []
  const globs = include.length === 0 ? inferred : include.flatMap(withHosts)
  const included = globs.map((glob) => globMatcher(glob, () => true))
  const excluded = exclude.map((glob) => ({ glob, matches: globMatcher(glob, () => true) }))
  return {
    roots,
    hosts: [...hosts],
    include: globs,
    refusal: (address) => {
      const isNear = hosts.has(hostOf(address)) || !isWebsite
      if (globs.length > 0 && !included.some((matches) => matches(address))) {
        const detail =
          include.length > 0
            ? "It is outside the scope: no pattern to include matches it."
            : `It is outside the scope ${globs.slice(0, 3).join(", ")}.`
        return { detail, isNear }
      }
      const pattern = excluded.find(({ matches }) => matches(address))
      return pattern && { detail: `The pattern ${pattern.glob} excludes it.`, isNear: true }
    },
  }
}
