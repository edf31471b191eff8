import { bounded, type BoundedText } from "./BoundedText.ts"
import { blocksOf } from "./Blocks.ts"
import { plain } from "./Markup.ts"
import { SENTENCE_MAX_LENGTH, sentencesOf } from "./Sentences.ts"

/*
 * Takes Markdown apart into sentences and headings, without its marks.
 */

const SENTENCE_MIN_LENGTH = 2

export interface Line {
  readonly text: BoundedText
  /**
   * Whether the line is a heading, a question or the announcement of a list: it says what follows, and answers nothing
   * itself.
   */
  readonly isLead: boolean
}

/** The sentences and headings of a text, without the rows of its tables. */
export const linesOf = (content: BoundedText): ReadonlyArray<Line> =>
  blocksOf(content).flatMap(({ kind, text }) =>
    kind === "row"
      ? []
      : kind === "heading"
        ? [{ text: bounded(plain(text)), isLead: true }]
        : sentencesIn(text).map((sentence) => ({ text: sentence, isLead: announces(sentence) })),
  )

/** Whether a sentence only says what follows it. */
export const announces = (sentence: string): boolean => /[?？؟;:：]$/u.test(sentence)

/** The sentences of a block without marks of Markdown, marks of citations and pictures. */
export const sentencesIn = (block: BoundedText): ReadonlyArray<BoundedText> => {
  const text = plain(withoutCitations(block.replaceAll(PICTURE, " ")))
    .replaceAll(/\s+/g, " ")
    .trim()
  return sentencesOf(text).flatMap((sentence) => {
    const trimmed = sentence.trim()
    return trimmed.length >= SENTENCE_MIN_LENGTH && trimmed.length <= SENTENCE_MAX_LENGTH ? [bounded(trimmed)] : []
  })
}

const PICTURE = /!\[[^\][]*\]\([^()]*\)/g

/** Marks such as `[29]`, `[note 3]` and `[citation needed]`, also where they are links. */
const CITATION =
  /(?<=[^\s[(])(?:\\?\[{1,2}(?:\\\[)?(?:\d{1,3}|[a-z]|(?:note|nb|n|Anm\.) ?\d{1,3}|citation needed|clarification needed|better source needed)\\?\]{1,2}(?:\(#[^()\s]*\))?)+/g

const withoutCitations = (text: string): string => (text.includes("[") ? text.replaceAll(CITATION, "") : text)
