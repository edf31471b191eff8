import { computed, signal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { addressOf, atRoot } from "./server/Root.ts"
import { keysOf } from "./server/Unknown.ts"

const BASE = atRoot("console")

/** The address of each screen below the console's own. */
export const paths = {
  home: "/",
  chatbots: "/chatbots",
  inbox: "/inbox",
  inboxConversation: "/inbox/:chatbotId/:sessionId",
  overview: "/chatbots/:chatbotId/overview",
  settings: "/chatbots/:chatbotId",
  knowledge: "/chatbots/:chatbotId/knowledge",
  source: "/chatbots/:chatbotId/knowledge/:sourceId",
  topics: "/chatbots/:chatbotId/topics",
  playground: "/chatbots/:chatbotId/playground",
  compare: "/chatbots/:chatbotId/playground/compare",
  tests: "/chatbots/:chatbotId/tests",
  testRun: "/chatbots/:chatbotId/tests/runs/:runId",
  improve: "/chatbots/:chatbotId/replies/:messageId",
  tools: "/chatbots/:chatbotId/tools",
  widget: "/chatbots/:chatbotId/widget",
  voice: "/chatbots/:chatbotId/voice",
  conversations: "/conversations",
  conversation: "/conversations/:chatbotId/:sessionId",
  usage: "/usage",
  models: "/models",
  people: "/people",
  keys: "/keys",
  webhooks: "/webhooks",
  auditLog: "/audit-log",
  organizations: "/organizations",
  system: "/system",
} as const

export type ScreenName = keyof typeof paths

type Names<P extends string> = P extends `${string}:${infer Name}/${infer Rest}`
  ? Name | Names<`/${Rest}`>
  : P extends `${string}:${infer Name}`
    ? Name
    : never

export type ScreenParams<N extends ScreenName> = { readonly [K in Names<(typeof paths)[N]>]: string }

/** The screens that list conversations, each with the screen of one beside the list. */
export const mailboxes = { conversations: "conversation", inbox: "inboxConversation" } as const
export type Mailbox = keyof typeof mailboxes

/** The list of conversations that a screen shows, be it beside one of them; undefined for other screens. */
export const mailboxOf = (screen: ScreenName | undefined): Mailbox | undefined =>
  keysOf(mailboxes).find((mailbox) => screen === mailbox || screen === mailboxes[mailbox])

export const screenNames = keysOf(paths)

export const parametersOf = (screen: ScreenName): ReadonlyArray<string> =>
  Array.from(paths[screen].matchAll(/:(\w+)/g), ([, name = ""]) => name)

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

export const placeOf = (pathname: string, search = ""): Place => {
  const own = pathname.startsWith(BASE) ? pathname.slice(BASE.length) || "/" : pathname
  const query = new URLSearchParams(search)
  for (const { pattern, screen } of patterns) {
    const match = pattern.exec(own)
    if (match !== null) return { screen, params: { ...match.groups }, query }
  }
  return { screen: undefined, params: {}, query }
}

type Query = Readonly<Record<string, string | undefined>>

export const screenAddress = (screen: ScreenName, params: Place["params"], query?: Query): string =>
  addressOf(`console${paths[screen].replace(/\/$/, "")}`, params, query)

/** The address of a screen, for `href` and `navigate`. */
export const href = <N extends ScreenName>(screen: N, params: ScreenParams<N>, query?: Query): string =>
  screenAddress(screen, { ...params }, query)

const here = (): Place => placeOf(location.pathname, location.search)

const current = signal<Place>({ screen: undefined, params: {}, query: new URLSearchParams() })

export const place = computed(() => current.value)

/** Asks whether what is not saved may be given up; resolves to true to leave. */
type Guard = () => Promise<boolean>

let guard: Guard | undefined

/** Has the person asked before this screen is left, until the returned function is called. */
export const guardLeaving = (ask: Guard): (() => void) => {
  guard = ask
  return () => {
    if (guard === ask) guard = undefined
  }
}

/** Shows another screen. Its address is one of `href`. */
export const navigate = async (address: string): Promise<void> => {
  const { committed, finished } = navigation.navigate(address)
  // It is given up when the person stays.
  await Promise.allSettled([committed, finished])
}

/** Changes the query of the address without another entry in the history, as filters do. */
export const setQuery = (changes: Query): void => {
  const { params, query, screen } = place.peek()
  if (screen === undefined) return
  history.replaceState(undefined, "", screenAddress(screen, params, { ...Object.fromEntries(query), ...changes }))
  current.value = here()
}

/** The text of a parameter in the query of the address; empty without one. */
export const queryText = (name: string): string => place.value.query.get(name) ?? ""

/** Does once what a link to the screen asks for by the parameter `do` of its query. */
export const useAsked = (action: string, run: () => void): void => {
  const isAsked = queryText("do") === action
  useEffect(() => {
    if (!isAsked) return
    setQuery({ do: undefined })
    run()
  }, [isAsked])
}

/** The value of a control that is a parameter in the query of the address. */
export const bindQuery = (name: string) => ({
  value: queryText(name),
  onValue: (value: string): void => setQuery({ [name]: value }),
})

/** The value of a control that is one of a few in the query of the address, which leaves out the usual one. */
export const bindOption = <A extends string>(
  name: string,
  options: Readonly<Partial<Record<A, unknown>>>,
  usual: NoInfer<A>,
) => {
  const text = queryText(name)
  return {
    value: keysOf(options).find((key) => key === text) ?? usual,
    onValue: (value: A): void => setQuery({ [name]: value === usual ? undefined : value }),
  }
}

/** Goes on to where the person was going, once the person has agreed to lose what is not saved. */
const goOn = async ({ destination, navigationType }: NavigateEvent): Promise<void> => {
  if (guard === undefined || !(await guard())) return
  guard = undefined
  if (navigationType === "traverse") navigation.traverseTo(destination.key)
  else await navigate(destination.url)
}

/** Follows links to screens and the buttons of the browser from now on. Called once. */
export const startRouter = (): void => {
  current.value = here()
  navigation.addEventListener("navigate", (event) => {
    const { pathname } = new URL(event.destination.url)
    const isScreen = pathname === BASE || pathname.startsWith(`${BASE}/`)
    if (!isScreen || !event.canIntercept || event.hashChange || event.navigationType === "replace") return
    if (guard !== undefined && event.cancelable) {
      event.preventDefault()
      void goOn(event)
    } else event.intercept({ focusReset: "manual", handler: async () => void (current.value = here()) })
  })
  addEventListener("beforeunload", (event) => {
    if (guard !== undefined) event.preventDefault()
  })
}
