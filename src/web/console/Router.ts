import { computed, signal } from "@preact/signals"
import { atRoot } from "./server/Root.ts"

/** Base path of the console. */
const BASE = atRoot("console")

/** The address of each screen below the console's own. */
export const paths = {
  chatbots: "/",
  settings: "/chatbots/:chatbotId",
  knowledge: "/chatbots/:chatbotId/knowledge",
  playground: "/chatbots/:chatbotId/playground",
  tools: "/chatbots/:chatbotId/tools",
  widget: "/chatbots/:chatbotId/widget",
  conversations: "/conversations",
  conversation: "/conversations/:chatbotId/:sessionId",
  usage: "/usage",
  keys: "/keys",
  webhooks: "/webhooks",
  organizations: "/organizations",
  system: "/system",
} as const

export type ScreenName = keyof typeof paths

type Names<P extends string> = P extends `${string}:${infer Name}/${infer Rest}`
  ? Name | Names<`/${Rest}`>
  : P extends `${string}:${infer Name}`
    ? Name
    : never

/** The parameters in the address of a screen. */
export type ScreenParams<N extends ScreenName> = { readonly [K in Names<(typeof paths)[N]>]: string }

export const screenNames = Object.keys(paths) as ReadonlyArray<ScreenName>

/** The names of the parameters in the address of a screen. */
export const parametersOf = (screen: ScreenName): ReadonlyArray<string> =>
  Array.from(paths[screen].matchAll(/:(\w+)/g), ([, name = ""]) => name)

/** Whether all parameters in the address of a screen are there. */
export const isComplete = <N extends ScreenName>(
  screen: N,
  params: Readonly<Record<string, string>>,
): params is ScreenParams<N> & Readonly<Record<string, string>> => parametersOf(screen).every((name) => name in params)

export interface Place {
  readonly screen: ScreenName | undefined
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
}

const patterns = screenNames.map((screen) => ({
  screen,
  pattern: new RegExp(`^${paths[screen].replaceAll(/:(\w+)/g, "(?<$1>[^/]+)")}/?$`),
}))

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The screen at an address, with its parameters. */
export const placeOf = (pathname: string, search = ""): Place => {
  const below = pathname.startsWith(BASE) ? pathname.slice(BASE.length) || "/" : pathname
  const query = new URLSearchParams(search)
  for (const { pattern, screen } of patterns) {
    const match = pattern.exec(below)
    if (match === null) continue
    const params = Object.fromEntries(Object.entries(match.groups ?? {}).map(([name, value]) => [name, decode(value)]))
    return { screen, params, query }
  }
  return { screen: undefined, params: {}, query }
}

type HrefArguments<N extends ScreenName> = [Names<(typeof paths)[N]>] extends [never]
  ? [params?: undefined, query?: Query]
  : [params: ScreenParams<N>, query?: Query]

type Query = Readonly<Record<string, string | undefined>>

/** The address of a screen with parameters that its path has. */
export const addressOf = (
  screen: ScreenName,
  params: Readonly<Record<string, string>> = {},
  query: Query = {},
): string => {
  const path = paths[screen].replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ""))
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) => (value === undefined || value === "" ? [] : [[name, value]])),
  ).toString()
  return `${BASE}${path === "/" ? "" : path}${search === "" ? "" : `?${search}`}`
}

/** The address of a screen, for `href` and `navigate`. */
export const href = <N extends ScreenName>(screen: N, ...[params, query]: HrefArguments<N>): string =>
  addressOf(screen, { ...params }, query)

const here = (): Place => placeOf(location.pathname, location.search)

const current = signal<Place>({ screen: undefined, params: {}, query: new URLSearchParams() })

/** The screen that is shown. */
export const place = computed(() => current.value)

/** Asks whether what is not saved may be given up; resolves to true to leave. */
export type Guard = () => Promise<boolean>

let guard: Guard | undefined

/** Has the person asked before this screen is left, until the returned function is called. */
export const guardLeaving = (ask: Guard): (() => void) => {
  guard = ask
  return () => {
    if (guard === ask) guard = undefined
  }
}

const mayLeave = async (): Promise<boolean> => {
  if (guard === undefined) return true
  const left = await guard()
  if (left) guard = undefined
  return left
}

/** Number of steps that this page has made in the history, to undo a step back that the person did not want. */
let position = 0

const isIndex = (state: unknown): state is { readonly index: number } =>
  typeof state === "object" && state !== null && "index" in state && typeof state.index === "number"

/** Shows another screen. Its address is one of `href`. */
export const navigate = async (address: string, { replaces = false } = {}): Promise<void> => {
  if (!replaces && !(await mayLeave())) return
  if (replaces) history.replaceState({ index: position }, "", address)
  else history.pushState({ index: ++position }, "", address)
  current.value = here()
  if (!replaces) scrollTo(0, 0)
}

/** Changes the query of the address without another entry in the history, as filters do. */
export const setQuery = (changes: Readonly<Record<string, string | undefined>>): void => {
  const query = new URLSearchParams(location.search)
  for (const [name, value] of Object.entries(changes))
    if (value === undefined || value === "") query.delete(name)
    else query.set(name, value)
  const search = query.toString()
  history.replaceState({ index: position }, "", `${location.pathname}${search === "" ? "" : `?${search}`}`)
  current.value = here()
}

const linkOf = (event: MouseEvent): HTMLAnchorElement | undefined => {
  if (event.defaultPrevented || event.button !== 0) return undefined
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return undefined
  const link = event.target instanceof Element ? event.target.closest("a") : null
  if (link === null || link.target !== "" || link.hasAttribute("download") || link.origin !== location.origin)
    return undefined
  return link.pathname === BASE || link.pathname.startsWith(`${BASE}/`) ? link : undefined
}

let undoing = false

/** Follows links to screens and the buttons of the browser from now on. Called once. */
export const startRouter = (): void => {
  history.replaceState({ index: position }, "", location.pathname + location.search)
  current.value = here()
  document.addEventListener("click", (event) => {
    const link = linkOf(event)
    if (link === undefined) return
    event.preventDefault()
    void navigate(link.pathname + link.search)
  })
  addEventListener("popstate", async () => {
    const index = isIndex(history.state) ? history.state.index : 0
    if (undoing) {
      undoing = false
      return
    }
    if (guard !== undefined) {
      // The address has changed already: it is put back while the person is asked.
      const steps = position - index
      undoing = true
      history.go(steps)
      if (await mayLeave()) history.go(-steps)
      return
    }
    position = index
    current.value = here()
  })
  addEventListener("beforeunload", (event) => {
    if (guard !== undefined) event.preventDefault()
  })
}
