import type { LauncherLook } from "../../domain/widget/Widget.ts"
import type { EventName, Hello, Loaded, Page, StoredState, ToFrame, ToPage } from "../shared/Bridge.ts"
import { drawLauncher, fullScreen } from "./loader/Launcher.ts"
import type { Call, Parley } from "./loader/Parley.ts"
import { makeStore } from "./loader/Store.ts"

/*
 * The script that a page includes: it draws the launcher, opens the frame on the first click, keeps the visitor's state in the page's
 * storage when the frame says so, and is `window.Parley`.
 */

/** The look that the server puts in front of the script; undefined where the script's address names no key. */
declare const parleyLook: LauncherLook | undefined

const warn = (sentence: string): void => {
  // oxlint-disable-next-line no-console
  console.warn(`Parley: ${sentence}`)
}

/** Carries out queued calls. A page may have queued anything, so that unknown names are warned of. */
const carryOut = (parley: Parley, calls: ReadonlyArray<Call>): void => {
  for (const [name, ...values] of calls) {
    const method: unknown = parley[name]
    if (typeof method === "function") method(...values)
    else warn(`There is no Parley.${name}.`)
  }
}

const start = (key: string, script: HTMLScriptElement, queue: ReadonlyArray<Call>): void => {
  const { color, label, language: tag, open: opensAtStart, position, target, theme: scheme } = script.dataset
  const look: LauncherLook = typeof parleyLook === "undefined" ? { hasVoice: true } : parleyLook
  const frameAddress = new URL(`widget/${encodeURIComponent(key)}`, new URL(".", script.src))
  const language = tag === "auto" ? undefined : tag
  const theme = scheme === "light" || scheme === "dark" ? scheme : undefined
  const isInline = target !== undefined
  const ends = new AbortController()
  const { signal } = ends
  const storeName = `parley:${key}`
  const store = makeStore(storeName)
  const {
    button,
    close: closing,
    host,
    label: title,
    paint,
    panel,
    showUnread,
  } = drawLauncher({
    ...look,
    ...(color && { color }),
    isInline,
    isLeft: position ? position === "left" : look.isLeft,
    theme,
    ...(label && { label }),
  })
  const listeners = new Map<EventName, Set<(detail?: unknown) => void>>()
  const questions: Array<ToFrame> = []
  let identity: string | undefined
  let frame: HTMLIFrameElement | undefined
  let port: MessagePort | undefined
  let isReady = false
  let isOpen = isInline
  /** Whether the chat was opened on purpose, rather than because the page has come. */
  let takesFocus = false

  /** Uses the storage of this tab, unless the browser blocks it. */
  const inTab = <A>(use: (storage: Storage) => A): A | undefined => {
    try {
      return use(sessionStorage)
    } catch {
      return undefined
    }
  }

  /** Remembers, once the visitor has written, whether the chat is open: so that it is after a reload. */
  const remember = () =>
    inTab((storage) =>
      isOpen && !isInline && store.read() ? storage.setItem(storeName, "open") : storage.removeItem(storeName),
    )

  const emit = (name: EventName, detail?: unknown): void => {
    // Each in a turn of its own, so that a listener that throws keeps neither the others nor the widget from going on.
    for (const listener of listeners.get(name) ?? []) queueMicrotask(() => listener(detail))
  }

  const keep = (state: StoredState | undefined): void => {
    store.write(state)
    remember()
  }

  const send = (message: ToFrame): void => {
    const page: Page = { url: location.origin + location.pathname, title: document.title }
    if (isReady) port?.postMessage({ ...message, page })
  }

  const whenReady = (): void => {
    isReady = true
    closing.hidden = true
    if (identity !== undefined) send({ type: "identify", jwt: identity })
    if (isOpen) send({ type: "opened", takesFocus })
    questions.splice(0).forEach(send)
    emit("ready")
  }

  const hear = (message: ToPage): void => {
    if (message.type === "ready") whenReady()
    else if (message.type === "close") parley.close()
    else if (message.type === "keep") keep(message.state)
    else if (message.type === "unread") showUnread(isOpen ? 0 : message.count)
    else emit(message.name, message.detail)
  }

  /** Hands a port to a frame that has just loaded, and what the page keeps. */
  const greet = (window: Window): void => {
    const channel = new MessageChannel()
    const hello: Hello = {
      type: "parley:hello",
      mode: isInline ? "inline" : "popup",
      language,
      theme,
      state: store.read(),
    }
    isReady = false
    port = channel.port1
    port.onmessage = ({ data }: MessageEvent<ToPage>) => hear(data)
    window.postMessage(hello, frameAddress.origin, [channel.port2])
  }

  const load = (): HTMLIFrameElement => {
    if (frame !== undefined) return frame
    frame = document.createElement("iframe")
    frame.title = title
    // What the page does not know here, the frame's own document forbids.
    frame.allow = `clipboard-write${look.hasVoice ? "; microphone" : ""}`
    if (isInline) frame.loading = "lazy"
    frame.src = frameAddress.href
    panel.prepend(frame)
    return frame
  }

  /** Keeps a panel that fills the screen above the keyboard, of which the frame itself cannot know everywhere. */
  const fit = (): void => {
    const viewport = visualViewport
    const fills = viewport !== null && !isInline && isOpen && matchMedia(fullScreen).matches
    panel.style.height = fills ? `${viewport.height}px` : ""
    panel.style.top = fills ? `${viewport.offsetTop}px` : ""
  }

  const show = (onPurpose: boolean): void => {
    const loaded = load()
    const wasOpen = isOpen
    isOpen = true
    takesFocus = onPurpose
    panel.hidden = false
    button.ariaExpanded = "true"
    showUnread(0)
    fit()
    remember()
    if (onPurpose) loaded.focus()
    send({ type: "opened", takesFocus })
    if (!wasOpen) emit("open")
  }

  const attach = (): void => {
    if (signal.aborted || host.isConnected) return
    const place = isInline ? document.querySelector(target) : document.body
    if (!place) return warn(`There is no element ${target} for the chat.`)
    place.append(host)
    if (isInline) return void load()
    paint()
    // The observer also notices when the content of this body is replaced.
    replacements.observe(place, { childList: true })
  }

  /**
   * Puts the launcher back where a single-page application has replaced the body or what is in it: not at once, or a page
   * that will not have it would be busy with nothing else.
   */
  const replacements = new MutationObserver(() => {
    if (!host.isConnected) setTimeout(attach, 100)
  })

  const parley: Parley = {
    key,
    open: () => show(true),
    close: () => {
      if (isInline || !isOpen) return
      const hadFocus = host.shadowRoot?.activeElement !== null
      isOpen = false
      panel.hidden = true
      button.ariaExpanded = "false"
      remember()
      if (hadFocus) button.focus()
      send({ type: "closed" })
      emit("close")
    },
    toggle: () => (isOpen && !isInline ? parley.close() : parley.open()),
    ask: (text) => {
      show(true)
      const question: ToFrame = { type: "ask", text: String(text) }
      if (isReady) send(question)
      else questions.push(question)
    },
    identify: (jwt) => {
      identity = String(jwt)
      send({ type: "identify", jwt: identity })
    },
    reset: () => {
      identity = undefined
      questions.length = 0
      keep(undefined)
      send({ type: "reset" })
    },
    on: (event, listener) => {
      const all = listeners.get(event) ?? new Set()
      listeners.set(event, all.add(listener))
      if (event === "ready" && isReady) queueMicrotask(listener)
      return () => void all.delete(listener)
    },
    remove: () => {
      ends.abort()
      replacements.disconnect()
      port?.close()
      host.remove()
      delete window.Parley
    },
    push: (...calls) => carryOut(parley, calls),
    attach,
  }
  window.Parley = parley

  button.onclick = parley.toggle
  // The frame comes while the finger or the button of the mouse is still down, a tenth of a second before the click.
  button.onpointerdown = load
  closing.onclick = parley.close
  host.addEventListener("keydown", ({ key: pressed }) => {
    if (pressed === "Escape") parley.close()
  })
  addEventListener(
    "message",
    ({ data, origin, source }: MessageEvent<Partial<Loaded> | null>) => {
      const loaded = frame?.contentWindow
      if (loaded && source === loaded && origin === frameAddress.origin && data?.type === "parley:loaded") greet(loaded)
    },
    { signal },
  )
  addEventListener(
    "storage",
    // A null says that everything was cleared.
    ({ key: changed }: StorageEvent) => {
      if (changed === storeName || changed === null) send({ type: "state", state: store.read() })
    },
    { signal },
  )
  visualViewport?.addEventListener("resize", fit, { signal })
  visualViewport?.addEventListener("scroll", fit, { signal })
  if (!isInline) replacements.observe(document.documentElement, { childList: true })

  attach()
  carryOut(parley, queue)
  if (inTab((storage) => storage.getItem(storeName)) && !isInline) show(false)
  else if (opensAtStart !== undefined && opensAtStart !== "false" && !isInline && !matchMedia(fullScreen).matches) {
    if (document.readyState === "complete") show(false)
    else addEventListener("load", () => show(false), { signal })
  } else if (store.read()?.people) load()
}

const script = document.currentScript ?? document.querySelector('script[src*="widget.js"]')

const begin = (): void => {
  if (!(script instanceof HTMLScriptElement)) return
  const key = script.dataset["key"] ?? new URL(script.src).searchParams.get("key")
  const present = window.Parley
  if (!key) warn("The script has no key.")
  else if (present === undefined || "length" in present) start(key, script, present ?? [])
  else if (present.key === key) present.attach()
  else warn(`This page has a chat already; ${key} is left out.`)
}

// A script in the head may come before the body.
if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", begin)
else begin()
