import type { BoundedText } from "../../text/BoundedText.ts"
import { PhraseBook, tokensOf } from "../words/PhraseBook.ts"
import { locales, spokenLanguages } from "../Locales.ts"
import { functionBook, talkBook } from "./Books.ts"

/** A longer message says more than that somebody wants a person, in UTF-16 code units. */
const MAX_LENGTH = 200

const humanBook = new PhraseBook<true>(() =>
  spokenLanguages.map((language) => [locales[language].human, true] as const),
)

/** Whether a message asks to talk to a person, in any of the languages that chatbots speak by themselves. */
export const asksForHuman = (message: BoundedText): boolean => {
  if (message.length > MAX_LENGTH) return false
  const tokens = tokensOf(message)
  let asks = false
  let says = false
  for (let at = 0; at < tokens.length;) {
    const phrase = humanBook.at(tokens, at)?.length ?? 0
    if (phrase > 1) return true
    asks ||= phrase === 1
    const length = phrase || functionBook.at(tokens, at)?.length || talkBook.at(tokens, at)?.length
    says ||= length === undefined
    at += length ?? 1
  }
  return asks && !says
}

const nothingFound: ReadonlyArray<string> = spokenLanguages.flatMap((language) => {
  const { noDocuments, nothingFound } = locales[language].replies
  return [noDocuments, nothingFound]
})

/** Whether a reply begins by saying that nothing was found. */
export const saysNothingFound = (reply: string): boolean => nothingFound.some((text) => reply.startsWith(text))
