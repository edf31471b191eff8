import type { PassageJson } from "../../domain/knowledge/Passage.ts"
import { bounded, type BoundedText } from "../../text/BoundedText.ts"
import { commonness } from "../../language/words/Commonness.ts"
import { cut } from "../../text/Cut.ts"
import { wordsOf } from "../../language/words/UnicodeWords.ts"
import { keysOf, plainTerms } from "./Terms.ts"

/** The most passages that are named. */
const NAMES_MAX = 3
/** The number of passages, the best ones, that may be named. */
const PASSAGES_MAX = 5
/** The longest name of a place, in UTF-16 code units. */
const NAME_MAX_LENGTH = 120
/** The share of texts that hold a word from which on the word says nothing about a subject. */
const COMMON_SHARE = 0.02
/** The places of passages that share a rare word with a question: title and section, each once. */
export const nearby = (question: BoundedText, passages: ReadonlyArray<PassageJson>): ReadonlyArray<string> => {
  const terms = plainTerms(wordsOf(question).filter((word) => commonness(word) < COMMON_SHARE))
  const held = passages.map(({ content, section = "", title }) =>
    terms.in([title, section, content].flatMap((text) => keysOf(bounded(text)))),
  )
  // A word that all passages hold, such as the name of what they are about, tells none of them from the others.
  const isInAll = (term: number) => held.length > 2 && held.every((terms) => terms.has(term))
  const near = passages
    .slice(0, PASSAGES_MAX)
    .filter((_, index) => Array.from(held[index]?.keys() ?? []).some((term) => !isInAll(term)))
  return [...new Set(near.map(nameOf))].slice(0, NAMES_MAX)
}

/** The innermost heading above a passage with the title of its document, or the title alone. */
const nameOf = ({ section, title }: PassageJson): string => {
  const heading = section?.split(" > ").at(-1)?.trim() ?? ""
  return heading === "" || heading === title ? `“${shortened(title)}”` : `“${shortened(heading)}” (${shortened(title)})`
}

const shortened = (name: string): string => {
  const line = name.replaceAll(/\s+/g, " ").trim()
  return line.length <= NAME_MAX_LENGTH ? line : `${cut(line, NAME_MAX_LENGTH - 1)}…`
}
