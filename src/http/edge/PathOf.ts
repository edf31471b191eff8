/** The path of a URL, percent-encoded as the client has sent it and without the query. The URL may be absolute. */
export const pathOf = (url: string): string => {
  const start = url.startsWith("/") ? 0 : url.indexOf("/", url.indexOf("//") + 2)
  const end = url.indexOf("?", start)
  return url.slice(start, end === -1 ? undefined : end)
}
