import ipaddr from "ipaddr.js"
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { type AddressRange, type IpAddress, isWithin } from "../../system/AddressRanges.ts"
import { TRUSTED_PROXIES } from "../../system/Variables.ts"

type Request = HttpServerRequest.HttpServerRequest

/** The most proxies on the way of a request that are looked at. */
const HOPS_MAX = 32
/** An IPv4 address, or an IPv6 address in brackets, with or without a port: some proxies add one. */
const node = /^(?:(\d{1,3}(?:\.\d{1,3}){3})|\[([0-9a-fA-F:.]+)\])(?::(?:\d{1,5}|_[\w.-]+))?$/

/**
 * The entries of the header `X-Forwarded-For`, the last one first: each proxy adds one at the end, and what stands before
 * it is what it has received. An entry that names no address is left as it is.
 */
const reportedIn = (header: string): ReadonlyArray<string> =>
  header
    .split(",")
    .slice(-HOPS_MAX)
    .toReversed()
    .map((entry) => {
      const text = entry.trim()
      const [, v4, v6] = node.exec(text) ?? []
      return v4 ?? v6 ?? text
    })

/** An address as text in one form only: an IPv4 address that is mapped into IPv6 as IPv4. */
const parse = (text: string): IpAddress | undefined => {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text)
  return ipaddr.IPv6.isValid(text) ? ipaddr.process(text) : undefined
}

/**
 * The address of the client among those that the proxies report, the last one first: the first that is not itself a
 * trusted proxy. The search ends at what is no address, since the one who wrote that may have written everything before it.
 */
const clientIn = (
  peer: IpAddress,
  reported: ReadonlyArray<string>,
  isTrusted: (address: IpAddress) => boolean,
): string => {
  let client = peer
  for (const text of reported) {
    const address = isTrusted(client) ? parse(text) : undefined
    if (address === undefined) break
    client = address
  }
  return client.toString()
}

/**
 * Returns a function that finds the address of a request's client: that of its connection, or the one that trusted
 * proxies report in `X-Forwarded-For`. A proxy that sets `Forwarded` instead passes the other header on as the client has
 * sent it, so that nothing is believed beside `Forwarded`.
 *
 * The first time that a private address which is not trusted reports a client, a warning is logged.
 */
export const clientAddresses = (
  trusted: ReadonlyArray<AddressRange>,
  peerOf: (request: Request) => string | undefined,
): Effect.Effect<(request: Request) => string | undefined> =>
  Effect.contextWith((context) =>
    Effect.sync(() => {
      const isTrusted = (address: IpAddress): boolean => trusted.some((range) => isWithin(address, range))
      let hasWarned = false

      const warnOnce = (address: string): void => {
        const range = parse(address)?.range()
        if (hasWarned || range === undefined || range === "unicast") return
        hasWarned = true
        Effect.runForkWith(context)(
          Effect.logWarning(
            `A proxy at ${address} reports the addresses of clients, and ${TRUSTED_PROXIES} does not name it: all of its clients count as one.`,
          ),
        )
      }

      return (request) => {
        const address = peerOf(request)
        if (address === undefined) return undefined
        const plain = address.startsWith("::ffff:") ? address.slice("::ffff:".length) : address
        const { forwarded, "x-forwarded-for": reported } = request.headers
        if (forwarded === undefined && reported === undefined) return plain
        const peer = parse(plain)
        if (peer === undefined || !isTrusted(peer)) {
          warnOnce(plain)
          return plain
        }
        return forwarded !== undefined || reported === undefined
          ? plain
          : clientIn(peer, reportedIn(reported), isTrusted)
      }
    }),
  )
