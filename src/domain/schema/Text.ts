import { Schema } from "effect"
import { unexpressed } from "./Unexpressed.ts"

/**
 * Text that every layer can store: it holds no NUL, which Postgres refuses, and no lone surrogate, which has no UTF-8.
 */
export const Text = Schema.String.check(
  Schema.makeFilter(
    (text: string) =>
      (!text.includes("\u0000") && text.isWellFormed()) || "Expected text without NUL or lone surrogates",
    unexpressed,
  ),
)

/**
 * Text of at most `max` UTF-16 code units, as validators commonly count JSON Schema's `maxLength`. Longer text is
 * refused before any further check, so that later checks may rely on the length.
 */
export const textUpTo = (max: number) => Text.check(Schema.isMaxLength(max).abort())

/** Text of `min` to `max` UTF-16 code units. Later checks may rely on the length. */
export const textBetween = (min: number, max: number) => Text.check(Schema.isBetweenLength(min, max).abort())

/**
 * White space, control characters, and characters that are drawn as nothing or as a blank, such as U+200B, U+3164 and
 * U+2800.
 */
const blanks = /^[\p{White_Space}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]+$/u

/** A name that people give: 1 to 200 UTF-16 code units, at least one of them visible. */
export const Name = textBetween(1, 200).check(
  Schema.makeFilter((text: string) => !blanks.test(text) || "Expected a name that is not blank", unexpressed),
)
