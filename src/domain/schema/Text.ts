import { Schema } from "effect"
import { unexpressed } from "./Unexpressed.ts"

/**
 * Text that every layer can hold: no NUL (Postgres refuses it) and no lone surrogate (it has no UTF-8).
 */
export const Text = Schema.String.check(
  Schema.makeFilter(
    (text: string) =>
      (!text.includes("\u0000") && text.isWellFormed()) || "Expected text without NUL or lone surrogates",
    unexpressed,
  ),
)

/**
 * Text of at most `max` UTF-16 code units, as JSON Schema's `maxLength` is commonly counted. What is longer is not looked
 * at any further: checks that follow may count on the length.
 */
export const textUpTo = (max: number) => Text.check(Schema.isMaxLength(max).abort())

/** Text of `min` to `max` UTF-16 code units; checks that follow may count on it. */
export const textBetween = (min: number, max: number) => Text.check(Schema.isBetweenLength(min, max).abort())

/** White space, controls, and what is drawn as nothing or as a blank, such as U+200B, U+3164 and U+2800. */
const blanks = /^[\p{White_Space}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]+$/u

/** What people call a thing: 1 to 200 UTF-16 code units, of which they see at least one. */
export const Name = textBetween(1, 200).check(
  Schema.makeFilter((text: string) => !blanks.test(text) || "Expected a name that is not blank", unexpressed),
)
