import { type Block, linesOf } from "./Blocks.ts"
import { weigh } from "./Tokens.ts"
import { sentencesOf } from "../../text/Sentences.ts"

/** A part of a text that is not split further. Atoms follow one another without a gap. */
export interface Atom {
  readonly start: number
  readonly end: number
  readonly weight: number
  /** The text that a chunk beginning with this atom repeats before it: a table's header, or the first line of code. */
  readonly prefix: string
}

export interface Limits {
  /** The weight up to which chunks are filled. */
  readonly target: number
  /** The weight that no chunk exceeds. */
  readonly max: number
}

const wordSegmenter = new Intl.Segmenter("und", { granularity: "word" })

const atom = (text: string, start: number, end: number, prefix = ""): Atom => ({
  start,
  end,
  weight: weigh(text, start, end),
  prefix,
})

/** Splits between characters and returns the ends of the parts: the last resort, for a word heavier than a chunk. */
const splitCharacters = (text: string, start: number, end: number, limit: number): ReadonlyArray<number> => {
  const cuts: Array<number> = []
  let weight = 0
  for (let at = start; at < end;) {
    const next = at + ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1)
    const more = weigh(text, at, next)
    if (weight + more > limit && weight > 0) {
      cuts.push(at)
      weight = 0
    }
    weight += more
    at = next
  }
  return [...cuts, end]
}

/**
 * Splits between words into parts as large as `limit` allows, and returns the ends of the parts. Scripts without spaces
 * are split by the engine's dictionary.
 */
const splitWords = (text: string, start: number, end: number, limit: number): ReadonlyArray<number> => {
  const cuts: Array<number> = []
  let weight = 0
  for (const { segment, index } of wordSegmenter.segment(text.slice(start, end))) {
    const more = weigh(segment)
    if (weight + more > limit && weight > 0) {
      cuts.push(start + index)
      weight = 0
    }
    weight += more
    if (more <= limit) continue
    const parts = splitCharacters(text, start + index, start + index + segment.length, limit)
    for (const cut of parts.slice(0, -1)) cuts.push(cut)
    weight = weigh(text, cuts.at(-1) ?? start, start + index + segment.length)
  }
  return [...cuts, end]
}

/** Matches a line break within a sentence of wrapped prose, not before a list item, a row or a `key: value` line. */
const SOFT_WRAP = /\n(?=\p{Ll})(?!\S{1,60}:\s)/gu

const sentenceEnds = (text: string, start: number, end: number): ReadonlyArray<number> => {
  // Each line break becomes one space, so that offsets stay the same.
  const joined = text.slice(start, end).replace(SOFT_WRAP, " ")
  let at = start
  return sentencesOf(joined).map((sentence) => (at += sentence.length))
}

/** Makes atoms that end at the given offsets. Those heavier than `limit` are split between words. */
const atomsBetween = (
  text: string,
  start: number,
  ends: ReadonlyArray<number>,
  limit: number,
  prefix: string,
): ReadonlyArray<Atom> => {
  const atoms: Array<Atom> = []
  let from = start
  for (const end of ends) {
    const whole = atom(text, from, end, prefix)
    if (whole.weight <= limit) atoms.push(whole)
    else {
      let at = from
      for (const cut of splitWords(text, from, end, limit)) {
        atoms.push(atom(text, at, cut, prefix))
        at = cut
      }
    }
    from = end
  }
  return atoms
}

/** Longest line above a table that its parts repeat, in UTF-16 code units: a caption, or the sentence that announces it. */
const CAPTION_MAX_LENGTH = 200

/** The line above a table, with an empty line below; empty where it is no single short line of text. */
const captionOf = (text: string, above: Block | undefined): string => {
  const line = above?.kind === "text" ? text.slice(above.start, above.end).trim() : ""
  return line === "" || line.length > CAPTION_MAX_LENGTH || line.includes("\n") ? "" : `${line}\n\n`
}

/** An atom that repeats a caption, if it begins a chunk and the caption fits. */
const captioned = (table: Atom, caption: string, limits: Limits): Atom =>
  table.weight + weigh(caption) <= limits.max ? { ...table, prefix: caption } : table

/**
 * Splits a table or a block of code into its lines.
 *
 * @param opening the number of lines at the beginning that every later chunk repeats, unless they are too long
 * @param caption what every later chunk repeats before them
 */
const lineAtoms = (text: string, block: Block, opening: number, limits: Limits, caption = ""): ReadonlyArray<Atom> => {
  const lines = linesOf(text, block.start, block.end)
  const openingEnd = lines[opening - 1]?.end ?? block.end
  const repeated = text.slice(block.start, openingEnd).trimEnd() + "\n"
  const prefix = [caption + repeated, repeated, ""].find((each) => weigh(each) <= limits.max / 4) ?? ""
  const limit = limits.target - weigh(prefix)
  // The opening and the first line after it form one atom, so that no chunk consists of an opening only.
  const firstEnd = lines[opening]?.end ?? openingEnd
  const first = atomsBetween(text, block.start, [firstEnd], limits.target, "").map((each, index) =>
    index === 0
      ? captioned(each, caption, limits)
      : { ...each, prefix: each.start >= openingEnd && each.weight <= limit ? prefix : "" },
  )
  const others = lines.slice(opening + 1).map((line) => line.end)
  return [...first, ...atomsBetween(text, firstEnd, others, limit, prefix)]
}

/**
 * Splits a block where it does not fit: tables and code between lines, and text between sentences.
 *
 * @param above the block before it under the same heading
 */
export const atomsOf = (text: string, block: Block, limits: Limits, above?: Block): ReadonlyArray<Atom> => {
  const whole = atom(text, block.start, block.end)
  const keepsWhole = block.kind === "code" || block.kind === "table"
  const caption = block.kind === "table" ? captionOf(text, above) : ""
  if (whole.weight <= (keepsWhole ? limits.max : limits.target)) return [captioned(whole, caption, limits)]
  if (block.kind === "table") return lineAtoms(text, block, 2, limits, caption)
  if (block.kind === "code") return lineAtoms(text, block, 1, limits)
  return atomsBetween(text, block.start, sentenceEnds(text, block.start, block.end), limits.target, "")
}
