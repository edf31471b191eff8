/** The address of a server on this host, which may be an IPv6 address, and port. */
export const urlOf = (host: string, port: number): string =>
  `http://${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}:${port}`
