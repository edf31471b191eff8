/**
 * The first request to the engine's thread. `initialize` makes a new cluster at `directory`, which must not exist, and
 * leaves it closed; `open` opens an existing one. `module` is the engine's WebAssembly.
 */
export interface StartRequest {
  readonly kind: "initialize" | "open"
  readonly directory: string
  readonly module: WebAssembly.Module
}

/** A request of the server to the engine's thread. */
export type EngineRequest =
  | StartRequest
  /** Messages of Postgres's wire protocol, of which the last one makes the engine answer. */
  | { readonly kind: "batch"; readonly id: number; readonly bytes: Uint8Array }
  | { readonly kind: "close" }

/** A reply of the engine's thread. `failed` is its last one. */
export type EngineReply =
  | { readonly kind: "initialized" }
  | { readonly kind: "opened" }
  | { readonly kind: "answer"; readonly id: number; readonly bytes: Uint8Array }
  | { readonly kind: "closed" }
  | { readonly kind: "failed"; readonly message: string }
