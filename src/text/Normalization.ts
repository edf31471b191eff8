/**
 * Matches more combining marks in a row than any language has: most have one or two, old Hebrew and Tibetan up to
 * eight.
 */
const LONG_RUN = /[[\p{M}\uff9e\uff9f]--\u034f]{64,}/gv
const HAS_LONG_RUN = new RegExp(LONG_RUN.source, "v")

/**
 * Matches the marks of a long run that stay together, 30 as in the Stream-Safe Text Format (Unicode Standard Annex #15,
 * section 13).
 */
const TOGETHER = /.{30}(?!$)/gsu
/** The combining grapheme joiner: it is invisible and part of its word, and normalization moves no mark across it. */
const JOINER = "\u034f"

/**
 * Converts a text to a Unicode normalization form, in time linear in its length.
 *
 * The engine's own `normalize` sorts the marks that follow a letter one by one, which takes 2 s for 32,000 of them in
 * the wrong order, so a run of 64 or more combining marks is broken up first, and one that grows so long by being
 * decomposed is broken up then. Any other text is normalized as the engine does. Normalizing a text again changes nothing.
 */
export const normalize = (text: string, form: "NFC" | "NFD" | "NFKC" | "NFKD"): string => {
  // oxlint-disable-next-line no-restricted-properties
  const normalized = (HAS_LONG_RUN.test(text) ? text.replace(LONG_RUN, brokenUp) : text).normalize(form)
  return normalized !== text && HAS_LONG_RUN.test(normalized) ? normalize(normalized, form) : normalized
}

const brokenUp = (marks: string): string => marks.replace(TOGETHER, `$&${JOINER}`)
