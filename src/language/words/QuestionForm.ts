import type { BoundedText } from "../../text/BoundedText.ts"
import { normalize } from "../../text/Normalization.ts"
import { lowerCased } from "./PhraseBook.ts"
import { UNSPACED } from "./Words.ts"

/** Characters that people leave out: apostrophes, invisible ones, and vowel marks of Arabic and Hebrew. */
const LEFT_OUT =
  /['’ʼ\p{Cf}\u0640]|[[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Inherited}]&&\p{Mn}&&[\u0590-\u06ff]]/gv

/**
 * Matches what tells questions apart: words, single characters of scripts without spaces, and signs that mean something,
 * as in `C++`, `-5`, `2.5` and `50 %`.
 */
const TELLING = new RegExp(
  "(?:(?<![\\p{L}\\p{N}])-(?=\\p{N}))?" +
    `(?:[[${UNSPACED}]--\\p{N}][\\p{M}ー]*|` +
    `(?:[[\\p{L}\\p{M}\\p{Sc}\\p{Sm}#%&@§°]--[${UNSPACED}]]|\\p{N}|(?<=\\p{N})[.,:](?=\\p{N}))+)`,
  "gv",
)

/**
 * The form in which two questions are the same: without case, blanks and marks of punctuation. Empty where a text has no
 * word.
 */
export const questionForm = (text: BoundedText): string => {
  const plain = normalize(text, "NFKC").replace(LEFT_OUT, "")
  // By way of upper case, because ß has no other form in lower case, and a sigma is final by what is kept before it.
  const told = plain.toLowerCase().toUpperCase().match(TELLING)?.join(" ") ?? ""
  return normalize(lowerCased(told), "NFC")
}
