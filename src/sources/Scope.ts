import { RE2JS } from "re2js"
import type { CrawledKind, SourceConfig } from "../domain/knowledge/Source.ts"
import { hostOf } from "./Address.ts"

/*
 * Which addresses belong to a source: by its globs, or by the directories of its addresses.
 */

/** More stars than people need. Beyond it, a glob matches nothing: a hundred such globs would take seconds to begin with. */
const STARS_MAX = 12

/** Why an address does not belong to a source. */
export interface Refusal {
  readonly detail: string
  /** Whether the address is of a host of the source, so that somebody may miss it. */
  readonly isNear: boolean
}

export interface Scope {
  readonly roots: ReadonlyArray<string>
  /** The globs of pages to read, with their hosts; empty where everything that a list names is read. */
  readonly include: ReadonlyArray<string>
  readonly refusal: (address: string) => Refusal | undefined
}

/** The pattern of a glob, in which a star ends at a slash and two stars do not. It is matched in linear time. */
const patternOf = (glob: string): string =>
  glob
    .split(/(\*+)/)
    .map((part, index) => (index % 2 === 0 ? RE2JS.quote(part) : part === "*" ? "[^/]*" : "(?s:.*)"))
    .join("")

/** Makes a test of addresses by a glob. One that begins with a slash is for all hosts. */
export const globMatcher = (glob: string): ((address: string) => boolean) => {
  if ((glob.match(/\*+/g) ?? []).length > STARS_MAX) return () => false
  const bare = glob.trim().replace(/^https?:\/\//i, "")
  const slash = bare.indexOf("/")
  const host = (slash === -1 ? bare : bare.slice(0, slash)).toLowerCase()
  const path = slash === -1 ? "/**" : bare.slice(slash)
  // The directory itself belongs to everything below it.
  const directory = path.endsWith("/**") ? path.slice(0, -3) : undefined
  const pattern = directory === undefined ? patternOf(host + path) : `${patternOf(host + directory)}(?:/(?s:.*))?`
  const program = RE2JS.compile(pattern)
  return (address) => {
    const url = new URL(address)
    return program.matches((host === "" ? "" : url.host) + url.pathname + (path.includes("?") ? url.search : ""))
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
  const included = globs.map(globMatcher)
  const excluded = exclude.map((glob) => ({ glob, matches: globMatcher(glob) }))
  return {
    roots,
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
