/** What becomes of a file: refused with its upload, failed for one of some reasons, or searchable. */
export type Fate =
  | { readonly status: 415 }
  | { readonly status: "failed"; readonly codes: ReadonlyArray<string> }
  | { readonly status: "ready" }

export interface HostileFile {
  readonly name: string
  readonly make: () => Uint8Array<ArrayBuffer>
  readonly fate: Fate
}

export const refused: Fate = { status: 415 }
export const ready: Fate = { status: "ready" }
export const failed = (...codes: ReadonlyArray<string>): Fate => ({ status: "failed", codes })

export const text = (content: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(content)
