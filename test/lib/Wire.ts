import type { IncomingHttpHeaders } from "node:http"

/*
 * The answers of a fake provider, and the protocols in which they are sent.
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
      /** What the provider says; absent: words that may appear to those who run the chatbot alone. */
      readonly message?: string | undefined
    }
  /** This body with status 200. */
  | { readonly kind: "raw"; readonly body: string; readonly contentType: string }
  /** These events, followed by the end of the body, a dropped socket, or silence. */
  | { readonly kind: "events"; readonly events: ReadonlyArray<object>; readonly ending: "end" | "reset" | "hang" }
  /** This text as a stream, a word every millisecond; or in one piece when no stream is requested. */
  | { readonly kind: "paced"; readonly text: string }
  /** A stream of words until the client hangs up; or half an answer when no stream is requested. */
  | { readonly kind: "endless"; readonly wordLength?: number }
  /** A fault, see `Faults.ts`. A stream with a fault in its body begins with "Hello". */
  | { readonly kind: FaultKind }

/** Faults in the body of an answer; in a stream, after its first words. */
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

/** A request that a fake provider received. */
export interface Recorded {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** The body as it was received. */
  readonly body: string
}

/** The form of answers in the protocol of a provider. */
export interface Wire {
  /** The refusal of a request that the real API would refuse; undefined for any other. */
  readonly problem: (request: Recorded) => Answer | undefined
  /** The body of an answer in one piece. */
  readonly whole: (answer: MessageAnswer, request: Recorded, count: number) => object
  /** The server-sent events of a streamed answer. */
  readonly frames: (answer: MessageAnswer, request: Recorded, count: number) => ReadonlyArray<string>
  readonly frame: (event: object) => string
  /** An event with one more piece of the text that has begun. */
  readonly word: (text: string, request: Recorded, count: number) => string
  /** The number of frames up to the first words of a text. */
  readonly begun: number
  readonly error: (type: string, message: string) => object
  /** The error, in place of an answer, that the provider is overloaded. */
  readonly overloaded: (message: string) => object
  readonly headers: (count: number) => Record<string, string>
}
