/*
 * Address of the server. A proxy may serve Parley below a path of its own, which the document says by `parley-root`,
 * relative to its address when it was loaded.
 */

const meta = (): string =>
  globalThis.document?.querySelector<HTMLMetaElement>('meta[name="parley-root"]')?.content ?? "/"

const pathname = globalThis.document === undefined ? "/" : new URL(meta(), document.baseURI).pathname

/** The path below which the server answers, with a slash at its end. */
export const root = pathname.endsWith("/") ? pathname : `${pathname}/`

/** The path of something at the server, such as `/api/external/chatbots`, below its root. */
export const atRoot = (path: string): string => root + path.replace(/^\//, "")

/** The address of a path such as `/chatbots/:chatbotId`: its parameters are filled in, and what is empty is left out of the query. */
export const addressOf = (
  path: string,
  params: Readonly<Record<string, string>> = {},
  query: Readonly<Record<string, string | undefined>> = {},
): string => {
  const pathname = atRoot(path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? "")))
  const search = new URLSearchParams(Object.entries(query).flatMap(([name, value]) => (value ? [[name, value]] : [])))
  return search.size === 0 ? pathname : `${pathname}?${search}`
}

/** The address of the server as other pages and programs write it, without a slash at its end. */
export const serverAddress = (): string => (location.origin + root).replace(/\/$/, "")
