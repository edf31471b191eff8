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
