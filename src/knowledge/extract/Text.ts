import { normalize } from "../../text/Normalization.ts"

/** Characters that are never seen and only get in the way of a search, or deceive the reader. */
const invisible = new RegExp(
  [
    "[\\u0000-\\u0008\\u000e-\\u001f\\u007f-\\u009f]", // controls, but for tab and the line breaks
    "\\u00ad", // soft hyphen
    "[\\u200b\\u2060\\ufeff]", // zero-width space, word joiner, byte order mark
    "[\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]", // bidi controls
    "[\\u{e0000}-\\u{e007f}]", // tags: text that a model reads and a person does not see
    "\\p{Surrogate}", // under the u flag: lone ones only
  ].join("|"),
  "gu",
)

const lineBreak = /\r\n|[\r\v\f\u0085\u2028\u2029]/g
const space = /[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g

/**
 * Text as every later stage expects it: NFC, `\n` as the only line break, no NUL, control, invisible or lone surrogate
 * character, ordinary spaces, nothing at the end of lines, never two empty lines in a row, no empty line at either end.
 * Applying it twice changes nothing.
 */
export const normalizeText = (text: string): string =>
  normalize(text.replace(lineBreak, "\n").replace(invisible, "").replace(space, " "), "NFC")
    // The look-behind keeps this linear: without it a long run of spaces is tried from each of its places.
    .replace(/(?<![ \t])[ \t]+$/gm, "")
    .replace(/\n{3,}/g, "\n\n")
    .replace(/^\n+|\n+$/g, "")

/** Longest title, in UTF-16 code units. */
export const MAX_TITLE_CHARACTERS = 200

/** One line that is safe to show, or `undefined` when nothing visible is left of it. */
export const cleanTitle = (title: string | undefined): string | undefined => {
  const line = normalizeText(title ?? "")
    .replace(/\s+/g, " ")
    .trim()
  if (!/[\p{L}\p{N}\p{S}]/u.test(line)) return undefined
  return normalizeText(line.slice(0, MAX_TITLE_CHARACTERS)).trim()
}

/** A title made of a file name: without folders and extension. */
export const titleOfFile = (name: string): string => {
  const file = name.split(/[/\\]/).findLast((part) => part.trim() !== "") ?? ""
  return cleanTitle(file.replace(/\.[^.]*$/, "")) ?? cleanTitle(file) ?? "Untitled"
}
