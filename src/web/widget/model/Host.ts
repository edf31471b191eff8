import { signal, type ReadonlySignal } from "@preact/signals"
import type { WidgetChatRequest, WidgetConfig } from "../../../domain/widget/Widget.ts"
import { makeStore } from "../loader/Store.ts"
import type { EventName, Hello, Loaded, Mode, Page, StoredState, ToFrame, ToPage } from "../../shared/Bridge.ts"

/** Surroundings of the widget: the page that embeds it, a page of its own, or the console's preview. */
export interface Host {
  readonly mode: Mode | "preview"
  readonly language: string | undefined
  readonly theme: "light" | "dark" | undefined
  /** The page that embeds the widget, as far as requests may name it. */
  readonly page: () => WidgetChatRequest["page"]
  /** State of the visitor; `undefined` before the first message. */
  readonly state: ReadonlySignal<StoredState | undefined>
  readonly keep: (state: StoredState | undefined) => void
  readonly tell: (message: ToPage) => void
  /** Calls back with everything that the page tells, also with what it told before. */
  readonly listen: (listener: (message: ToFrame) => void) => void
}

/** Time that the widget waits for the page that embeds it, before it shows itself without. */
const PATIENCE_MILLIS = 1_500

/** Reports an event to the page, for those who listen with `Parley.on`. */
export const report = (host: Host, name: EventName, detail?: unknown): void =>
  host.tell(detail === undefined ? { type: "event", name } : { type: "event", name, detail })

const isText = (value: unknown): value is string => typeof value === "string"

/** Returns what a page has kept, as far as it is what the widget once kept there; `undefined` for anything else. */
export const keptState = (value: unknown): StoredState | undefined => {
  const { conversation, draft, people, secret, unsent }: Partial<StoredState> = Object(value)
  if (!isText(secret) || !/^[\w-]{22}$/u.test(secret)) return undefined
  return {
    secret,
    ...(isText(conversation) ? { conversation } : {}),
    ...(isText(draft) ? { draft } : {}),
    ...(people === true ? { people } : {}),
    ...(isText(unsent?.id) && isText(unsent.text) ? { unsent } : {}),
  }
}

/** Longest address and title of a page that the server takes. */
const PAGE_URL_MAX_LENGTH = 2_000
const PAGE_TITLE_MAX_LENGTH = 200

/** The page that a loader names, which an older one does not. */
const namedPage = ({ title, url }: Page = { title: "", url: "" }): WidgetChatRequest["page"] =>
  /^https?:/u.test(url) && url.length <= PAGE_URL_MAX_LENGTH
    ? { url, title: title.replaceAll("\0", "").slice(0, PAGE_TITLE_MAX_LENGTH).toWellFormed() }
    : undefined

/** A page that embeds the widget, behind the port that its loader has sent. */
const pageBehind = (hello: Hello, port: MessagePort): Host => {
  const state = signal(keptState(hello.state))
  const waiting: Array<ToFrame> = []
  let listener = (message: ToFrame): void => void waiting.push(message)
  let page: WidgetChatRequest["page"]
  port.onmessage = ({ data }: MessageEvent<ToFrame & { readonly page?: Page }>) => {
    page = namedPage(data.page)
    if (data.type === "state") state.value = keptState(data.state)
    listener(data)
  }
  const tell = (message: ToPage): void => port.postMessage(message)
  return {
    mode: hello.mode,
    language: hello.language,
    theme: hello.theme,
    page: () => page,
    state,
    keep: (kept) => {
      state.value = kept
      tell({ type: "keep", state: kept })
    },
    tell,
    listen: (listening) => {
      listener = listening
      for (const message of waiting.splice(0)) listening(message)
    },
  }
}

/** A page of its own, which has a storage of its own; where the browser forbids it, nothing outlives the page. */
const ownPage = (chatbot: string): Host => {
  const name = `parley:${chatbot}`
  const store = makeStore(name)
  const state = signal(keptState(store.read()))
  return {
    ...alone("page"),
    state,
    keep: (kept) => {
      state.value = kept
      store.write(kept)
    },
    listen: (listener) =>
      window.addEventListener("storage", ({ key }) => {
        if (key !== null && key !== name) return
        state.value = keptState(store.read())
        listener({ type: "state", state: state.value })
      }),
  }
}

/** Nobody to talk with: everything is forgotten with the document. */
const alone = (mode: Mode | "preview"): Host => {
  const state = signal<StoredState | undefined>(undefined)
  return {
    mode,
    language: undefined,
    theme: undefined,
    page: () => undefined,
    state,
    keep: (kept) => void (state.value = kept),
    tell: () => undefined,
    listen: () => undefined,
  }
}

const outerPage = (): Promise<Host> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => resolve(alone("inline")), PATIENCE_MILLIS)
    addEventListener("message", function listener({ data, ports: [port], source }: MessageEvent<Hello | null>) {
      if (source !== parent || port === undefined || data?.type !== "parley:hello") return
      removeEventListener("message", listener)
      clearTimeout(timer)
      resolve(pageBehind(data, port))
    })
    const loaded: Loaded = { type: "parley:loaded" }
    parent.postMessage(loaded, "*")
  })

/** Message of the console to the frame in which it shows a widget that is being configured. */
export interface Preview {
  readonly type: "parley:preview"
  readonly config: WidgetConfig
  /** The question of the conversation that is shown as an example. */
  readonly question: string
  readonly theme?: "light" | "dark"
}

/** Calls back with each configuration that the console sends. */
export const onPreview = (listener: (preview: Preview) => void): void => {
  addEventListener("message", ({ data, origin, source }: MessageEvent<Preview | null>) => {
    if (source === parent && origin === location.origin && data?.type === "parley:preview") listener(data)
  })
  parent.postMessage({ type: "parley:preview-ready" }, location.origin)
}

export const findHost = (mode: string, config: WidgetConfig): Promise<Host> => {
  if (mode === "preview") return Promise.resolve(alone("preview"))
  if (mode === "page" || parent === window) return Promise.resolve(ownPage(config.chatbot_id))
  return outerPage()
}
