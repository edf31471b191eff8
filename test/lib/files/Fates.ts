/** The outcome of an upload: refused, failed with one of some codes, or ready for searches. */
export type Fate =
  | { readonly status: 415 }
  | { readonly status: "failed"; readonly codes: ReadonlyArray<string> }
  | { readonly status: "ready" }

/** A file that is made to harm the server, and the outcome that its upload must have. */
export interface HostileFile {
  readonly name: string
  readonly make: () => Uint8Array<ArrayBuffer>
  readonly fate: Fate
}

/** The upload is refused as no document of its type. */
export const refused: Fate = { status: 415 }
export const ready: Fate = { status: "ready" }
/** The document fails with one of these codes. */
export const failed = (...codes: ReadonlyArray<string>): Fate => ({ status: "failed", codes })

/** Files of one fate: how each is made, by its name. */
export const allOf = (fate: Fate, makes: Readonly<Record<string, HostileFile["make"]>>): ReadonlyArray<HostileFile> =>
  Object.entries(makes).map(([name, make]) => ({ name, make, fate }))

/** Encodes a text as UTF-8. */
export const text = (content: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(content)
