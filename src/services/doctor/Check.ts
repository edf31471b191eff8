import type { Finding } from "../../domain/console/SystemState.ts"

type MakeFinding = (part: Finding["part"], text: string) => Finding

/** All is well. */
export const ok: MakeFinding = (part, text) => ({ state: "ok", part, text })
/** No fault, but worth a look. */
export const note: MakeFinding = (part, text) => ({ state: "note", part, text })
/** A fault that somebody has to mend. */
export const wrong: MakeFinding = (part, text) => ({ state: "wrong", part, text })

/** A number with its noun, in the plural where it has to be. */
export const count = (number: number, what: string): string =>
  `${number.toLocaleString("en")} ${what}${number === 1 ? "" : "s"}`
