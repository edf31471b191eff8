import type { Language } from "../languages/Language.ts"
import type { Failure } from "../model/Failure.ts"

/** Says in words what went wrong. */
export const wordsOf = ({ kind, retryAfter }: Failure, { count, texts }: Language): string =>
  kind === "busy" && retryAfter !== undefined ? count(texts.busyFor, Math.max(1, Math.ceil(retryAfter))) : texts[kind]
