import ipaddr from "ipaddr.js"

export type IpAddress = ipaddr.IPv4 | ipaddr.IPv6

/** A range of IP addresses: its first address, and how many bits all of its addresses share with it. */
export type AddressRange = readonly [network: IpAddress, bits: number]

/** Reads a CIDR, or one address as a range of its own; undefined for any other text. */
export const parseRange = (text: string): AddressRange | undefined => {
  if (ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text)
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return [ipaddr.parse(text), 32]
  return ipaddr.IPv6.isValid(text) ? [ipaddr.parse(text), 128] : undefined
}

/** Whether an address lies in a range. */
export const isWithin = (address: IpAddress, [network, bits]: AddressRange): boolean =>
  address.kind() === network.kind() && address.match(network, bits)

/** The words for ranges that proxies commonly stand in. */
const rangesByName: Readonly<Record<string, ReadonlyArray<string>>> = {
  loopback: ["127.0.0.0/8", "::1/128"],
  private: ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"],
}

/**
 * Reads addresses, CIDRs and the words `loopback` and `private`, separated by commas; undefined when a part is none of
 * these.
 */
export const parseProxies = (text: string): ReadonlyArray<AddressRange> | undefined => {
  const ranges = text
    .split(",")
    .map((one) => one.trim().toLowerCase())
    .flatMap((part) => rangesByName[part] ?? [part])
    .map(parseRange)
  return ranges.every((range) => range !== undefined) ? ranges : undefined
}
