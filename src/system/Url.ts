/** The address of a server on this host, which may be an IPv6 address, and port. */
export const urlOf = (host: string, port: number): string =>
  `http://${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}:${port}`

/** The addresses that mean all addresses of a machine, with the loopback address that reaches the same server. */
const unspecified: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1", "[::]": "::1" }

/** The address by which the machine itself reaches a server that listens on this host and port. */
export const localUrlOf = (host: string, port: number): string => urlOf(unspecified[host] ?? host, port)
