/*
 * The headers in which proxies report the addresses of their clients. Each proxy adds one entry at the end, and what
 * stands before it is whatever it has received. So entries are read from the end.
 */

/** The most proxies on the way of a request that are looked at. */
const HOPS_MAX = 32
/** The most commas within the quoted texts of one entry. */
const QUOTED_COMMAS_MAX = 8

/** One entry of `Forwarded`: pairs `name=value`, with semicolons between. */
const name = "[\\w!#$%&'*+.^`|~-]+"
const pair = `${name}=(?:"(?:[^"\\\\]|\\\\.)*"|${name})`
const wellFormed = new RegExp(`^[ \\t]*${pair}(?:[ \\t]*;[ \\t]*${pair})*[ \\t]*$`)
const forPair = new RegExp(`(?:^|;)[ \\t]*for=(?:"((?:[^"\\\\]|\\\\.)*)"|(${name}))`, "i")

/** An IPv4 address, or an IPv6 address in brackets, with or without a port. */
const node = /^(?:(\d{1,3}(?:\.\d{1,3}){3})|\[([0-9a-fA-F:.]+)\])(?::(?:\d{1,5}|_[\w.-]+))?$/

/** The address of a node; empty for one that is hidden or unknown. */
const addressOf = (text: string): string => {
  const [, v4, v6] = node.exec(text) ?? []
  return v4 ?? v6 ?? ""
}

const addressIn = (entry: string): string => {
  const [, quoted, token] = forPair.exec(entry) ?? []
  return addressOf(token ?? quoted ?? "")
}

/** Where the last entry of a text begins; undefined when the text does not end with a well-formed entry. */
const lastEntry = (text: string): number | undefined => {
  let comma = text.length
  for (let commas = 0; commas <= QUOTED_COMMAS_MAX && comma >= 0; commas++) {
    comma = text.lastIndexOf(",", comma - 1)
    if (wellFormed.test(text.slice(comma + 1))) return comma + 1
    if (comma <= 0) return undefined
  }
  return undefined
}

/**
 * The addresses of `for=` in the header `Forwarded` (RFC 7239), the last one first. An entry without an address is empty;
 * at an entry that is malformed the list ends.
 */
export const forwardedFor = (header: string): ReadonlyArray<string> => {
  const addresses: Array<string> = []
  let rest = header
  while (rest !== "" && addresses.length < HOPS_MAX) {
    const start = lastEntry(rest)
    if (start === undefined) break
    addresses.push(addressIn(rest.slice(start)))
    rest = rest.slice(0, Math.max(0, start - 1))
  }
  return addresses
}

/**
 * The addresses of the header `X-Forwarded-For`, the last one first. Some proxies add ports to them, and most write IPv6
 * addresses without brackets. An entry that names no address is left as it is.
 */
export const forwardedForX = (header: string): ReadonlyArray<string> =>
  header
    .split(",")
    .slice(-HOPS_MAX)
    .toReversed()
    .map((entry) => addressOf(entry.trim()) || entry.trim())
