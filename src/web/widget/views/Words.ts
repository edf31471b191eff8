import type { Language } from "../languages/Language.ts"
import type { Failure } from "../model/Failure.ts"

/** Says in words what went wrong. That the page has to identify the visitor anew is nothing that one could do oneself. */
export const wordsOf = ({ kind }: Failure, { texts }: Language): string => texts[kind === "identity" ? "failed" : kind]
