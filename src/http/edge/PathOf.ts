/** The path and the query of a URL, percent-encoded as the client has sent them. The URL may be absolute. */
export const targetOf = (url: string): string => (url.startsWith("/") ? url : url.slice(startOf(url)))

/** The path of a URL, percent-encoded as the client has sent it and without the query. The URL may be absolute. */
export const pathOf = (url: string): string => {
  const start = startOf(url)
  const end = url.indexOf("?", start)
  return url.slice(start, end === -1 ? undefined : end)
}

const startOf = (url: string): number => (url.startsWith("/") ? 0 : url.indexOf("/", url.indexOf("//") + 2))
