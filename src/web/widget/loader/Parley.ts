import type { EventName } from "../../shared/Bridge.ts"

type Listener = (detail?: unknown) => void

/** The widget's interface for its page: `window.Parley`, once the loader runs. */
export interface Parley {
  /** Key by which the page names its chatbot. */
  readonly key: string
  /** Opens the chat, and moves the focus there. */
  readonly open: () => void
  /** Closes the chat; the focus goes back to the launcher if it was in the chat. */
  readonly close: () => void
  readonly toggle: () => void
  /** Opens the chat and asks as if the visitor had typed it. */
  readonly ask: (text: string) => void
  /** Says who the visitor is: a token that the page's own server has signed. */
  readonly identify: (jwt: string) => void
  /** Forgets the visitor in this browser, as when somebody signs out. */
  readonly reset: () => void
  /** Calls a listener at every such event; returns what ends that. */
  readonly on: (event: EventName, listener: Listener) => () => void
  /** Takes the widget off the page; the script brings it back when it is loaded again. */
  readonly remove: () => void
  /** Carries out calls, as in `Parley.push(["ask", "Hello"])`, which works before the loader runs as well. */
  readonly push: (...calls: ReadonlyArray<Call>) => void
  /** Puts the widget back into a page whose content was replaced. */
  readonly attach: () => void
}

/** A call by name, for the array that `window.Parley` is before the loader runs. */
export type Call =
  | readonly ["open" | "close" | "toggle" | "reset" | "remove"]
  | readonly ["ask" | "identify", string]
  | readonly ["on", EventName, Listener]

declare global {
  interface Window {
    Parley?: Parley | ReadonlyArray<Call>
  }
}
