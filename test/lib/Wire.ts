import type { IncomingHttpHeaders } from "node:http"

/*
 * What a fake provider is told to answer, and what a protocol makes of it.
 */

export type Block =
  | { readonly type: "text"; readonly text: string; readonly citations?: ReadonlyArray<object> }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: unknown }
  | { readonly type: "thinking"; readonly thinking: string; readonly signature: string }

export interface Usage {
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cache_creation_input_tokens: number | null
  readonly cache_read_input_tokens: number | null
}

export interface MessageAnswer {
  readonly kind: "message"
  readonly content: ReadonlyArray<Block>
  readonly stop: string
  readonly usage: Usage
}

/** How the server answers one request. */
export type Answer =
  | MessageAnswer
  | {
      readonly kind: "status"
      readonly status: number
      readonly type: string
      readonly headers: Record<string, string>
    }
  /** A body as it is, with status 200. */
  | { readonly kind: "raw"; readonly body: string; readonly contentType: string }
  /** Events as they are, then the end of the body, a dropped socket, or silence. */
  | { readonly kind: "events"; readonly events: ReadonlyArray<object>; readonly ending: "end" | "reset" | "hang" }
  /** Where a stream is asked for, a word after the other for as long as somebody listens; else half an answer. */
  | { readonly kind: "endless"; readonly wordLength?: number }
  /** What may go wrong, see `Faults.ts`; a stream that goes wrong in its body has said "Hello" before. */
  | { readonly kind: FaultKind }

/** In a body that is a stream, these come after its first words. */
export type BodyFault =
  | "hang in body"
  | "drip"
  | "reset in body"
  | "truncated body"
  | "early end"
  | "malformed body"
  | "error in body"
  | "oversized body"

export type FaultKind = BodyFault | "hang" | "reset" | "wrong type"

export interface Recorded {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** The body as it came over the wire. */
  readonly body: string
}

/** One of the protocols. */
export interface Wire {
  /** What the real API refuses. */
  readonly problem: (request: Recorded) => Answer | undefined
  readonly whole: (answer: MessageAnswer, request: Recorded, count: number) => object
  /** The same as a stream of server-sent events. */
  readonly frames: (answer: MessageAnswer, request: Recorded, count: number) => ReadonlyArray<string>
  readonly frame: (event: object) => string
  /** One more piece of the text that has begun. */
  readonly word: (text: string, request: Recorded, count: number) => string
  /** After so many frames the first words of a text have been said. */
  readonly begun: number
  readonly error: (type: string, message: string) => object
  /** An error where an answer should be: that the provider is overloaded. */
  readonly overloaded: (message: string) => object
  readonly headers: (count: number) => Record<string, string>
}
