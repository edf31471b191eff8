/*
 * Messages between the loader on the host's page and the widget in its frame, through a MessagePort that the loader
 * hands to the frame's exact origin. Storage belongs to the page, so that nothing is blocked as a third party's.
 */

/** State of a visitor that the page keeps, from the first message on. */
export interface StoredState {
  /** 128 random bits in base64url: proves that this browser is the same visitor. */
  readonly secret: string
  readonly conversation?: string
  /** The message that was being sent, until the server has it. */
  readonly unsent?: {
    readonly id: string
    readonly text: string
    readonly conversation?: string
    readonly files?: ReadonlyArray<{ readonly id?: string; readonly name: string; readonly url: string }>
  }
  readonly draft?: string
  /** Whether people answer in the conversation: then what they write is looked for also while the chat is closed. */
  readonly people?: true
}

/** Place of the widget: over the page with a launcher, inside of an element of the page, or as a page of its own. */
export type Mode = "popup" | "inline" | "page"

/**
 * The frame's message to its parent, to any origin, as soon as it listens: it holds nothing, and the answer to it is a
 * `Hello`. A frame that loads again says it again, and gets a new port.
 */
export interface Loaded {
  readonly type: "parley:loaded"
}

/** The answer of the page to `Loaded`, to the frame's exact origin, which carries the port. */
export interface Hello {
  readonly type: "parley:hello"
  readonly mode: Mode
  /** A language tag that the page asks for; absent: as the chatbot's configuration says. */
  readonly language?: string | undefined
  /** Absent: as the visitor's system prefers. */
  readonly theme?: "light" | "dark" | undefined
  readonly state?: StoredState | undefined
}

/** A message of the page to the frame afterwards. */
export type ToFrame =
  /** The chat is seen. It takes the focus only if the visitor, or the page, has opened it just now. */
  | { readonly type: "opened"; readonly takesFocus: boolean }
  | { readonly type: "closed" }
  | { readonly type: "ask"; readonly text: string }
  | { readonly type: "identify"; readonly jwt: string }
  | { readonly type: "reset" }
  /** Another tab of the same site has changed what is kept. */
  | { readonly type: "state"; readonly state: StoredState | undefined }

/** The page that embeds the frame, without its query and fragment. Every message of the page to the frame has it. */
export interface Page {
  readonly url: string
  readonly title: string
}

export type EventName = "ready" | "open" | "close" | "message" | "reply" | "identified" | "error"

/** A message of the frame to the page. */
export type ToPage =
  | { readonly type: "ready" }
  | { readonly type: "close" }
  | { readonly type: "keep"; readonly state: StoredState | undefined }
  | { readonly type: "unread"; readonly count: number }
  | { readonly type: "event"; readonly name: EventName; readonly detail?: unknown }
