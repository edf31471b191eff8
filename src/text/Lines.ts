import { bounded, type BoundedText } from "./BoundedText.ts"
import { blocksOf } from "./Blocks.ts"
import { plain } from "./Markup.ts"

/*
 * Takes Markdown apart into sentences and headings, without its marks.
 */

/** Longest sentence, in UTF-16 code units: a longer one is mostly a listing that lost its form. */
export const SENTENCE_MAX_LENGTH = 600
const SENTENCE_MIN_LENGTH = 2

const sentenceSegmenter = new Intl.Segmenter(undefined, { granularity: "sentence" })

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
  const sentences: Array<string> = []
  for (const { segment } of sentenceSegmenter.segment(text)) {
    const sentence = segment.trim()
    const last = sentences.at(-1)
    if (
      last !== undefined &&
      (endsAbbreviated(last) || CONTINUES.test(sentence)) &&
      last.length <= SENTENCE_MAX_LENGTH
    ) {
      sentences[sentences.length - 1] = `${last} ${sentence}`
    } else sentences.push(sentence)
  }
  return sentences.flatMap((sentence) =>
    sentence.length >= SENTENCE_MIN_LENGTH && sentence.length <= SENTENCE_MAX_LENGTH ? [bounded(sentence)] : [],
  )
}

const PICTURE = /!\[[^\][]*\]\([^()]*\)/g

/** Marks such as `[29]`, `[note 3]` and `[citation needed]`, also where they are links. */
const CITATION =
  /(?<=[^\s[(])(?:\\?\[{1,2}(?:\\\[)?(?:\d{1,3}|[a-z]|(?:note|nb|n|Anm\.) ?\d{1,3}|citation needed|clarification needed|better source needed)\\?\]{1,2}(?:\(#[^()\s]*\))?)+/g

const withoutCitations = (text: string): string => (text.includes("[") ? text.replaceAll(CITATION, "") : text)

/** Matches the beginning of a part that was taken for a sentence because of an abbreviation before it. */
const CONTINUES = /^[\p{Ll}\p{Pe}\p{Pf},;–]/u

const ABBREVIATIONS = new Set(
  "dr mr mrs ms st jr sr prof nr no vs ca bzw approx e.g i.e z.b d.h u.a evtl ggf inkl usw max min tel fig vol pp ed inc ltd co corp bros gen col lt sgt rev hon mt ft art abs str м г гг д им ул рис стр тыс млн млрд р п sra dra sig dott núm pág bd hrsg jh".split(
    " ",
  ),
)

/** The longest abbreviation with its point and what stands before it, in UTF-16 code units. */
const ABBREVIATION_MAX_LENGTH = 8

const endsAbbreviated = (sentence: string): boolean => {
  if (!sentence.endsWith(".")) return false
  const word = /(?:^|[\s(])(\S{1,6})\.$/u.exec(sentence.slice(-ABBREVIATION_MAX_LENGTH))?.[1]
  return word !== undefined && (/^\p{Lu}$/u.test(word) || ABBREVIATIONS.has(word.toLowerCase()))
}
