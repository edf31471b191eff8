import robotsParser from "robots-parser"

/** The name of this program in robots.txt, and at the beginning of its user agent. */
export const BOT = "ParleyBot"

/** More than large sites have, and little enough that no robots.txt takes long to read or to apply. */
export const ROBOTS_MAX_BYTES = 512 * 1024
const LINE_MAX_LENGTH = 2_000
/** Rules with stars are matched in the time of their length multiplied by that of the address. */
const STARRED_MAX_LENGTH = 30_000

/** What a host allows. */
export interface Robots {
  /** Why it cannot be read, so that nothing is allowed. */
  readonly problem?: string
  readonly allows: (address: string) => boolean
  /** The time between requests that it asks for, in seconds. */
  readonly delay?: number | undefined
  readonly sitemaps: ReadonlyArray<string>
}

export const missingRobots: Robots = { allows: () => true, sitemaps: [] }

export const unreachableRobots = (problem: string): Robots => ({ problem, allows: () => false, sitemaps: [] })

/** Keeps what concerns this program, so that the parser cannot be made to work for long or to fill the memory. */
const trimmed = (text: string): string => {
  const lines: Array<string> = []
  const agents = new Set<string>()
  let starred = 0
  let isInAgents = false
  for (const line of text.split(/\r\n|\r|\n/)) {
    const [, name = "", value = ""] = /^\s*([a-z-]{1,20})\s*:(.*)$/i.exec(line.slice(0, LINE_MAX_LENGTH)) ?? []
    if (name === "") continue
    if (name.toLowerCase() === "user-agent") {
      if (!isInAgents) agents.clear()
      isInAgents = true
      const agent = value.split(/[#/]/, 1)[0]?.trim().toLowerCase() ?? ""
      const known = agent === "*" || agent === BOT.toLowerCase() ? agent : "another"
      if (!agents.has(known)) lines.push(`user-agent: ${known}`)
      agents.add(known)
      continue
    }
    isInAgents = false
    starred += value.includes("*") ? value.length : 0
    if (starred > STARRED_MAX_LENGTH && value.includes("*")) continue
    lines.push(`${name}: ${value.replaceAll(/\*{2,}/g, "*")}`)
  }
  return lines.join("\n")
}

/** Reads a robots.txt, of which it takes the first 512 KiB. */
export const parseRobots = (address: string, body: Uint8Array): Robots => {
  const text = new TextDecoder().decode(body.subarray(0, ROBOTS_MAX_BYTES))
  const rules = robotsParser(address, trimmed(text))
  return {
    allows: (page) => rules.isAllowed(page, BOT) ?? true,
    delay: rules.getCrawlDelay(BOT),
    sitemaps: rules.getSitemaps(),
  }
}
