import { bounded, type BoundedText } from "../../text/BoundedText.ts"
import { normalize } from "../../text/Normalization.ts"

/** Matches invisible characters, which keep searches from finding words or hide text from the reader. */
const invisible = new RegExp(
  [
    "[\\u0000-\\u0008\\u000e-\\u001f\\u007f-\\u009f]", // controls, except tab and line breaks
    "\\u00ad", // soft hyphen
    "[\\u200b\\u2060\\ufeff]", // zero-width space, word joiner, byte order mark
    "[\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]", // controls of the writing direction
    "[\\u{e0000}-\\u{e007f}]", // tags, which a model reads and a person does not see
    "\\p{Surrogate}", // with the u flag, only lone surrogates
  ].join("|"),
  "gu",
)

const lineBreak = /\r\n|[\r\v\f\u0085\u2028\u2029]/g
const space = /[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g

/**
 * Normalises a text as every later stage expects it: in NFC, with `\n` as the only line break and ordinary spaces,
 * without NUL, control, invisible and lone surrogate characters, without spaces at the end of lines, with at most one
 * empty line in a row and none at either end. Normalising twice changes nothing.
 */
export const normalizeText = (text: string): string =>
  normalize(text.replace(lineBreak, "\n").replace(invisible, "").replace(space, " "), "NFC")
    // Without the look-behind, a long run of spaces would be matched from each of its positions, in quadratic time.
    .replace(/(?<![ \t])[ \t]+$/gm, "")
    .replace(/\n{3,}/g, "\n\n")
    .replace(/^\n+|\n+$/g, "")

/** Puts a text on one line, with single spaces between words. */
export const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim()

/** The longest title, in UTF-16 code units. */
export const MAX_TITLE_CHARACTERS = 200

/** Whether a text has a letter, a number or a symbol, and not only spaces, punctuation and invisible characters. */
export const isVisible = (text: string): boolean => /[\p{L}\p{N}\p{S}]/u.test(text)

/** Makes a title one short line that is safe to show; `undefined` when it has no visible character. */
export const cleanTitle = (title: BoundedText): string | undefined => {
  const line = oneLine(normalizeText(title))
  if (!isVisible(line)) return undefined
  return normalizeText(line.slice(0, MAX_TITLE_CHARACTERS)).trim()
}

/** Makes a title of a file's name, without its folders and its extension. */
export const titleOfFile = (name: BoundedText): string => {
  const file = name.split(/[/\\]/).findLast((part) => part.trim() !== "") ?? ""
  return cleanTitle(bounded(file.replace(/\.[^.]*$/, ""))) ?? cleanTitle(bounded(file)) ?? "Untitled"
}
