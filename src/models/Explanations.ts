import type { Explanation } from "../domain/Failure.ts"
import { saidIn } from "../outbound/ServerWords.ts"
import type { FailureKind, ProviderFailure } from "./calls/ProviderFailure.ts"

/*
 * Failures of providers as they are explained to those who run a chatbot. Visitors never see it, because it quotes the
 * provider.
 */

const chooseAnother = "Choose another model in the chatbot's settings."

/** What to do about failures of each kind. */
const adviceByKind: Readonly<Record<FailureKind, string>> = {
  credentials: "Replace the key of the model's connection.",
  refused: chooseAnother,
  failed: "Ask again later, or choose another model in the chatbot's settings.",
  malformed: "Check the address of the model's connection: what answers there is not understood.",
  empty: "Ask again, or choose another model in the chatbot's settings.",
  "too-long": "Choose a model with a larger context, or shorten the chatbot's prompt.",
  "tools-refused": "Choose a model that takes tools, or turn tools off in the chatbot's settings.",
  timeout: "Ask again, or choose a faster model in the chatbot's settings.",
  connection: "Check the address of the model's connection, and that its server runs.",
  "rate-limited": "Wait a moment, or ask the provider for a higher limit.",
  overloaded: "Wait a moment, or add a fallback model to the chatbot's settings.",
  "held-back": "Wait a moment, or add a fallback model to the chatbot's settings.",
}

/** What to do where the words of the provider, after its status, say more than the kind. */
const adviceByWords: ReadonlyArray<{ readonly words: RegExp; readonly advice: string }> = [
  {
    words: /^402\b|insufficient.{0,10}(?:quota|balance|credit|fund)|credit balance|billing|payment required/iu,
    advice: "The account has no credit left: top it up at the provider.",
  },
  {
    words: /content[ _-]?(?:policy|filter|management)|moderation|safety/iu,
    advice: "The provider's content filter refuses the question or the chatbot's prompt: word it otherwise.",
  },
  { words: /^404\b|model.{0,80}(?:not.?found|not exist|deprecated|decommissioned|retired)/iu, advice: chooseAnother },
  {
    // A key of the settings, and not of a connection.
    words: /^\d+ The provider [^:]*\b[A-Z]+_API_KEY\b/u,
    advice: "The server's operator has to replace this key.",
  },
]

/** The kinds of which the words of the provider say more. */
const spoken: ReadonlySet<FailureKind> = new Set(["credentials", "empty", "failed", "rate-limited", "refused"])

/** Matches an address, which is for operators where no provider has named it: it may be of the server's own network. */
const ADDRESSES = /https?:\/\/[^\s)]+/gu

/** What the provider has said, and what to do. */
export const explanationOf = ({ description, kind, status }: ProviderFailure): Explanation => {
  const words = `${status ?? ""} ${description}`.trim()
  const found = spoken.has(kind) ? adviceByWords.find((each) => each.words.test(words)) : undefined
  const reason = saidIn(kind === "connection" ? description.replaceAll(ADDRESSES, "its address") : description)
  return { reason, advice: found?.advice ?? adviceByKind[kind] }
}

/** An explanation as sentences. What providers say often ends without a full stop. */
export const sentencesOf = ({ advice, reason }: Explanation): string =>
  `${reason}${/[.!?…]$/u.test(reason) ? "" : "."} ${advice}`
