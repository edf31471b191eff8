import { Schema } from "effect"
import { boundedList } from "../schema/Bounded.ts"
import { textBetween } from "../schema/Text.ts"
import { unexpressed } from "../schema/Unexpressed.ts"

const GROUPS_MAX_COUNT = 200
const GROUP_MIN_COUNT = 2
const GROUP_MAX_COUNT = 10
const SYNONYM_MAX_LENGTH = 60
/** The most UTF-16 code units of all synonyms together. The database stems each word for each language of the passages. */
const SYNONYMS_MAX_LENGTH = 10_000

const Synonym = textBetween(1, SYNONYM_MAX_LENGTH).check(
  Schema.makeFilter((text: string) => /[\p{L}\p{N}]/u.test(text) || "Expected a letter or a digit", unexpressed),
  // People write a group on a line, with commas in between.
  Schema.makeFilter(
    (text: string) => !/[,，、\r\n]/u.test(text) || "Expected a word or a phrase without commas and line breaks",
    unexpressed,
  ),
)

/** Groups of words and phrases that search takes for each other. */
export const Synonyms = boundedList(
  boundedList(Synonym, { minimum: GROUP_MIN_COUNT, maximum: GROUP_MAX_COUNT }),
  { maximum: GROUPS_MAX_COUNT },
  {
    description: `Groups of words and phrases that search takes for each other, in any form and in either case; the word of the question itself counts a little more. At most ${SYNONYMS_MAX_LENGTH} characters altogether. Shown when there are any.`,
    examples: [[["PTO", "paid leave", "vacation"]]],
  },
).check(
  Schema.makeFilter(
    (groups: ReadonlyArray<ReadonlyArray<string>>) =>
      groups.flat().reduce((sum, { length }) => sum + length, 0) <= SYNONYMS_MAX_LENGTH ||
      `Expected at most ${SYNONYMS_MAX_LENGTH} characters altogether`,
    unexpressed,
  ),
)
