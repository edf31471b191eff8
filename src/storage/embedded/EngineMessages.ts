/**
 * The first request to the engine's thread: make a new cluster at `directory`, which must not exist, and leave it closed;
 * or open the one that is there. `module` is the engine's WebAssembly.
 */
export interface StartRequest {
  readonly kind: "initialize" | "open"
  readonly directory: string
  readonly module: WebAssembly.Module
}

/** What the server tells the engine's thread. */
export type EngineRequest =
  | StartRequest
  /** Messages of Postgres's wire protocol, up to one that is answered. */
  | { readonly kind: "batch"; readonly id: number; readonly bytes: Uint8Array }
  | { readonly kind: "close" }

/** What it answers. After `failed` it does nothing more. */
export type EngineReply =
  | { readonly kind: "initialized" }
  | { readonly kind: "opened" }
  | { readonly kind: "answer"; readonly id: number; readonly bytes: Uint8Array }
  | { readonly kind: "closed" }
  | { readonly kind: "failed"; readonly message: string }
