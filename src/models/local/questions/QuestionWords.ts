import type { Language } from "../../../text/Language.ts"

/** What the answer to a question consists of. */
export type Kind =
  | "definition"
  | "list"
  | "how-to"
  | "yes-no"
  | "number"
  | "date"
  | "person"
  | "place"
  | "why"
  | "comparison"
  | "other"

/**
 * The words of a language that ask, by the kind of answer that they ask for; phrases are separated by commas. A phrase
 * of a script without spaces is found within words, one of another script as whole words.
 */
export interface QuestionWords extends Partial<Readonly<Record<Kind, string>>> {
  /** The name of the language among those of `Language.ts`. */
  readonly name: Language
  /** The words that stand between two things that are compared. */
  readonly and: string
  /** Nouns that decide the kind after a word like `what`: `year` asks for a date. */
  readonly nouns?: Partial<Readonly<Record<Kind, string>>>
  /** Words that ask for yes or no wherever they stand; those of `yes-no` only begin a question. */
  readonly particle?: string
  /** Words that bear nothing on the answer: politeness, and approximations. */
  readonly filler: string
}
