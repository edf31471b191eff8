import { resumption } from "../extract/pdf/PdfLayout.ts"

/*
 * The text of a page from the words that tesseract has recognized: their places, and how sure it is of each.
 */

export interface PageText {
  readonly text: string
  /** How sure the words are, from 0 to 100, weighted by their lengths; 0 where there are none. */
  readonly confidence: number
}

interface Word {
  readonly text: string
  readonly confidence: number
}

type Line = ReadonlyArray<Word>

/** The row of a word in a table of tab-separated values; others are of its page, block, paragraph and line. */
const WORD_LEVEL = "5"

/**
 * What tesseract takes for words in pictures, stamps and handwriting is less sure than print. Measured in pictures of noise
 * and shapes, read in five languages: mostly below 53, single paragraphs of a few letters up to 76; in scans of print, also
 * in a language that is not theirs: above 83.
 */
const LEAST_CONFIDENCE = 60
/** A page on which less of the letters is sure is a picture. */
const LEAST_SURE_SHARE = 1 / 3

/** Reads paragraphs of lines of words. */
const paragraphsOf = (table: string): ReadonlyArray<ReadonlyArray<Line>> => {
  const words = table.split("\n").flatMap((row) => {
    const [level, , block, paragraph, line, , , , , , confidence, text = ""] = row.split("\t")
    const isWord = level === WORD_LEVEL && text.trim() !== ""
    return isWord ? [{ text, confidence: Number(confidence), paragraph: `${block} ${paragraph}`, line }] : []
  })
  const paragraphs = Map.groupBy(words, ({ paragraph }) => paragraph)
  return Array.from(paragraphs.values(), (own) => Array.from(Map.groupBy(own, ({ line }) => line).values()))
}

const lettersOf = (text: string): number => text.match(/[\p{L}\p{N}]/gu)?.length ?? 0

const lettersIn = (words: ReadonlyArray<Word>): number => words.reduce((sum, { text }) => sum + lettersOf(text), 0)

const confidenceOf = (words: ReadonlyArray<Word>): number => {
  const letters = lettersIn(words)
  return letters === 0 ? 0 : words.reduce((sum, word) => sum + word.confidence * lettersOf(word.text), 0) / letters
}

const WIDE = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uffef]`
/** Matches a space between characters of scripts that write none. */
const wideGap = new RegExp(`(?<=${WIDE}) (?=${WIDE})`, "gu")
const item = /^(?:[•*▪◦–-]|\d{1,3}[.)])\s/u

/** Joins two lines of a paragraph, of which a word may continue on the second. */
const joined = (above: string, below: string): string => {
  if (item.test(below)) return `${above}\n${below}`
  return /\p{L}[-\u00ad\u2010¬]$/u.test(above) && /^\p{Ll}/u.test(below)
    ? above.slice(0, -1) + below
    : `${above} ${below}`
}

/** Writes lines of paragraphs as text in which a sentence is not broken at the end of a line, a column or a picture. */
const written = (paragraphs: ReadonlyArray<ReadonlyArray<string>>): string => {
  let text = ""
  for (const lines of paragraphs) {
    const paragraph = lines.reduce(joined)
    const { drop, joint } = resumption(text.slice(-2), paragraph) ?? { drop: 0, joint: text === "" ? "" : "\n\n" }
    text = text.slice(0, text.length - drop) + joint + paragraph
  }
  return text.replace(wideGap, "")
}

/** The text of a table of words as tesseract prints it with `tsv`, without paragraphs that are no print. */
export const textOfTable = (table: string): PageText => {
  const all = paragraphsOf(table)
  const sure = all.filter((lines) => confidenceOf(lines.flat()) >= LEAST_CONFIDENCE)
  if (lettersIn(sure.flat(2)) < LEAST_SURE_SHARE * lettersIn(all.flat(2))) return { text: "", confidence: 0 }
  return {
    text: written(sure.map((lines) => lines.map((words) => words.map(({ text }) => text).join(" ")))),
    confidence: confidenceOf(sure.flat(2)),
  }
}

/** The text that another program prints, whose paragraphs have empty lines between them. */
export const textOfLines = (printed: string): string =>
  written(
    printed
      .split(/\n[^\S\n]*\n\s*/)
      .map((paragraph) => paragraph.split("\n").flatMap((line) => (line.trim() === "" ? [] : [line.trim()])))
      .filter((lines) => lines.length > 0),
  )
