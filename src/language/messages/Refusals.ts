import { bounded, type BoundedText } from "../../text/BoundedText.ts"
import { tokensOf } from "../words/PhraseBook.ts"
import { functionBook, talkBook } from "./Books.ts"

/** A longer text says more than a refusal, in UTF-16 code units. */
const MAX_LENGTH = 120

/**
 * Form in which a text declines to give the e-mail address: `only`, when it says nothing else; `first`, when something
 * else follows; undefined, when it does not decline.
 */
export const refusalIn = (text: BoundedText): "only" | "first" | undefined => {
  const start = text.slice(0, MAX_LENGTH)
  if (start.length === text.length && isRefusal(start)) return "only"
  return isRefusal(start.split(/[\n,.;:!?،。，！？；…–—]/u).find((clause) => clause.trim() !== "") ?? "")
    ? "first"
    : undefined
}

/** Whether a text consists of known phrases, and words that say nothing, with a refusal among them. */
const isRefusal = (text: string): boolean => {
  const tokens = tokensOf(bounded(text))
  let refuses = false
  for (let at = 0; at < tokens.length;) {
    const phrase = talkBook.at(tokens, at, (kind) => kind === "refusal" || kind === "thanks" || kind === "courtesy")
    const word = functionBook.at(tokens, at, ({ role }) => role === "others")
    if (phrase === undefined && word === undefined) return false
    refuses ||= phrase?.meanings.includes("refusal") === true
    at += phrase?.length ?? word?.length ?? 1
  }
  return refuses
}
