import ipaddr from "ipaddr.js"
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { type AddressRange, type IpAddress, isWithin } from "../../system/AddressRanges.ts"
import { TRUSTED_PROXIES } from "../../system/Variables.ts"
import { forwardedFor, forwardedForX } from "./Forwarded.ts"

type Request = HttpServerRequest.HttpServerRequest

/** An address as text in one form only: an IPv4 address that is mapped into IPv6 as IPv4. */
const parse = (text: string): IpAddress | undefined => {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text)
  return ipaddr.IPv6.isValid(text) ? ipaddr.process(text) : undefined
}

/**
 * The address of the client among those that the proxies report, the last one first: the first that is not itself a
 * trusted proxy. The search ends at what is no address, since whoever wrote that may have written everything before it.
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
 * proxies report in `Forwarded` (RFC 7239) or `X-Forwarded-For`. Proxies set one of the two and pass the other one on as
 * the client has sent it, so that nothing is believed when they differ.
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
        const { forwarded, "x-forwarded-for": forwardedX } = request.headers
        if (forwarded === undefined && forwardedX === undefined) return plain
        const peer = parse(plain)
        if (peer === undefined || !isTrusted(peer)) {
          warnOnce(plain)
          return plain
        }
        const found = [
          ...(forwarded === undefined ? [] : [clientIn(peer, forwardedFor(forwarded), isTrusted)]),
          ...(forwardedX === undefined ? [] : [clientIn(peer, forwardedForX(forwardedX), isTrusted)]),
        ]
        const [first = plain, second = first] = found
        return first === second ? first : plain
      }
    }),
  )
