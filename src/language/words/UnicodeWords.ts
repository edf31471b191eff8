import type { BoundedText } from "../../text/BoundedText.ts"
import { normalize } from "../../text/Normalization.ts"

const wordSegmenter = new Intl.Segmenter(undefined, { granularity: "word" })

/** The words of a text in any language, by Unicode's word boundaries: compatibility forms composed, in lower case. */
export const wordsOf = (text: BoundedText): ReadonlyArray<string> => {
  const words: Array<string> = []
  for (const { isWordLike, segment } of wordSegmenter.segment(normalize(text, "NFKC").toLowerCase())) {
    if (isWordLike === true) words.push(segment)
  }
  return words
}
