import type { Language } from "../languages/Language.ts"
import type { Failure } from "../model/Failure.ts"

/** Says in words what went wrong. That the page has to identify the visitor anew is nothing that one could do oneself. */
export const wordsOf = ({ kind, retryAfter }: Failure, { count, texts }: Language): string =>
  kind === "busy" && retryAfter !== undefined
    ? count(texts.busyFor, Math.max(1, Math.ceil(retryAfter)))
    : texts[kind === "identity" ? "failed" : kind]
