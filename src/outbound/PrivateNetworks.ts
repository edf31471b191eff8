import ipaddr from "ipaddr.js"
import { type AddressRange, type IpAddress, isWithin, parseRange } from "../system/AddressRanges.ts"

/*
 * The addresses that tools may call. The server stands in a network to which its tenants have no access: without this
 * check a tool could call a database, a router or the cloud's metadata service in the server's name.
 */

/** Private addresses that may be called nevertheless: ranges, and hosts with any address that they resolve to. */
export interface PrivateNetworks {
  readonly ranges: ReadonlyArray<AddressRange>
  readonly hosts: ReadonlySet<string>
}

export const noPrivateNetworks: PrivateNetworks = { ranges: [], hosts: new Set() }

const hostForm = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/

/** Reads CIDRs, addresses and host names that are separated by commas; undefined when a part is none of these. */
export const parsePrivateNetworks = (text: string): PrivateNetworks | undefined => {
  const ranges: Array<AddressRange> = []
  const hosts = new Set<string>()
  for (const part of text.split(",").map((one) => one.trim().toLowerCase())) {
    const range = parseRange(part)
    if (range !== undefined) ranges.push(range)
    // The last label of a host name is never a number: such a text is an address with a mistake.
    else if (hostForm.test(part) && !/(?:^|\.)\d+$/.test(part)) hosts.add(part)
    else return undefined
  }
  return { ranges, hosts }
}

/** The metadata service of Azure, which is internal although its address is public. */
const azureMetadata = ipaddr.parse("168.63.129.16")
/** The addresses that are assigned for the public Internet. */
const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3")

/** The IPv4 address that an IPv6 address carries, mapped or translated by NAT64; any other address as it is. */
const unwrap = (address: IpAddress): IpAddress => {
  if (!(address instanceof ipaddr.IPv6)) return address
  const range = address.range()
  if (range !== "ipv4Mapped" && range !== "rfc6052") return address
  return new ipaddr.IPv4(address.toByteArray().slice(-4))
}

const isPublic = (address: IpAddress): boolean => {
  if (address.range() !== "unicast") return false
  return address instanceof ipaddr.IPv6 ? address.match(globalUnicast) : address.toString() !== azureMetadata.toString()
}

/** Matches the names that only a machine or its own network resolves, such as those of Docker and of Kubernetes. */
const LOCAL_NAME = /^[^.]+$|\.(?:localhost|local|internal|lan|home\.arpa)$/

/** Whether the host of a URL is this machine, or one of its network, as its name or its address says. */
export const isLocalHost = (host: string): boolean => {
  const address = host.replace(/^\[|\]$/g, "")
  return ipaddr.isValid(address) ? !isPublic(unwrap(ipaddr.parse(address))) : LOCAL_NAME.test(host)
}

/** Whether an address may be called to which a host resolved. */
export const mayCall = (host: string, address: string, { hosts, ranges }: PrivateNetworks): boolean => {
  if (!ipaddr.isValid(address)) return false
  const behind = unwrap(ipaddr.parse(address))
  return isPublic(behind) || hosts.has(host) || ranges.some((range) => isWithin(behind, range))
}
