/** The path of an address as it was sent, with its percent-encoding and without its query. The address may have a host. */
export const pathOf = (url: string): string => {
  const start = url.startsWith("/") ? 0 : url.indexOf("/", url.indexOf("//") + 2)
  const end = url.indexOf("?", start)
  return url.slice(start, end === -1 ? undefined : end)
}
