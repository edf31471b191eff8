import { sentencesOf } from "../../text/Sentences.ts"

/*
 * Splits the Markdown of a reply, as it is streamed, into clauses that can be spoken, in any language.
 */

/** A part of a reply that is spoken in one piece. */
export interface Clause {
  /** What is spoken: without Markdown, addresses, tables and code blocks. */
  readonly text: string
  /** The part of the reply, in UTF-16 code units, that is covered when this clause was spoken. */
  readonly end: number
}

/** Matches what nobody speaks: marks of Markdown, tables, targets of links, citations, addresses, tags and emoji. */
const SILENT = new RegExp(
  [
    /^[^\S\n]*\|.*$/u,
    /^[^\S\n]*(?:[-*_][^\S\n]*){3,}$/u,
    /^[^\S\n]*(?:#{1,6}|>|[-*+])[^\S\n]+/u,
    /\]\([^)\s]*(?:\s+"[^"]*")?\)/u,
    /\[\^?\d{1,3}\]/u,
    /<\/?[a-zA-Z][^>\n]*>/u,
    /(?:https?:\/\/|www\.)[^\s<>]*[^\s<>).,;:!?\]]/u,
    /!(?=\[)|[[\]*`~]/u,
    /(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}])/u,
    /\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f|\ufe0f|\u200d|\u007f/u,
  ]
    .map(({ source }) => source)
    .join("|"),
  "gmu",
)

/** What is spoken of a part of a reply, and where each of its UTF-16 code units stands in that part. */
export const spokenIn = (part: string): { readonly text: string; readonly at: ReadonlyArray<number> } => {
  const at: Array<number> = []
  let text = ""
  const keep = (from: number, to: number) => {
    for (let index = from; index < to; index++) {
      const unit = part.charAt(index)
      const isBlank = /\s/u.test(unit)
      if (isBlank && (text === "" || text.endsWith(" "))) continue
      text += isBlank ? " " : unit
      at.push(index)
    }
  }
  let from = 0
  for (const { 0: silent, index } of part.matchAll(SILENT)) {
    keep(from, index)
    from = index + silent.length
  }
  keep(from, part.length)
  return /[\p{L}\p{N}]/u.test(text) ? { text: text.trimEnd(), at } : { text: "", at: [] }
}

/** Length of the first clause from which it may end at a comma, so that speech begins early, and of the others. */
const [FIRST_MIN_LENGTH, MIN_LENGTH] = [24, 60]
/** Longest clause: some twenty seconds of speech. */
const MAX_LENGTH = 240
/** Characters after a sentence that show whether it has ended. */
const LOOKAHEAD = 12
/** The part of a text in which a boundary is looked for. */
const WINDOW = 2_000

const ENDED = /[\n。！？｡]["'”’»」』）)\]*_]*\s*$|\s$/u
const PAUSE = /[,;:،؛—–](?=\s)|[，；：、]/gu
const FENCE = /^[^\S\n]*(?:```|~~~)/mu

const graphemes = new Intl.Segmenter("und", { granularity: "grapheme" })
const words = new Intl.Segmenter("und", { granularity: "word" })

/** The latest boundary of these segments in a text, at this index at most; 0 where there is none. */
const boundaryIn = (segmenter: Intl.Segmenter, text: string, most: number): number => {
  let boundary = 0
  for (const { index, segment } of segmenter.segment(text)) {
    if (index + segment.length > most) break
    boundary = index + segment.length
  }
  return boundary
}

/** The latest end of a word at this index of a text, or before it. */
export const wordEnd = (text: string, most: number): number =>
  most >= text.length ? text.length : boundaryIn(words, text, most)

/** Where a text without the end of a sentence can be broken; undefined while it is short enough. */
const breakIn = (text: string, shortest: number): number | undefined => {
  const pauses = Array.from(text.slice(0, MAX_LENGTH).matchAll(PAUSE), ({ index }) => index + 1)
  const pause = pauses.find((index) => index >= shortest && index < text.length)
  if (pause !== undefined) return pause
  if (text.length <= MAX_LENGTH) return undefined
  const blank = text.slice(0, MAX_LENGTH).search(/\s\S*$/u)
  if (blank > 0) return blank
  // An address is not spoken: it is cut where it ends.
  if (/^\s*\S*https?:/u.test(text) && text.length < WINDOW) {
    const after = text.search(/\S\s/u)
    return after === -1 ? undefined : after + 1
  }
  const start = text.slice(0, MAX_LENGTH + LOOKAHEAD)
  return boundaryIn(words, start, MAX_LENGTH) || boundaryIn(graphemes, start, MAX_LENGTH) || undefined
}

/** Splits a reply that is streamed. */
export class Clauses {
  /** The text that belongs to no clause yet, and where it begins in the reply. */
  private rest = ""
  private from = 0
  private isFirst = true
  private inCode = false

  /** Adds text, and returns the clauses that are complete now. */
  push(text: string): ReadonlyArray<Clause> {
    this.rest += text
    return this.taken(false)
  }

  /** Returns the clauses of what is left. */
  end(): ReadonlyArray<Clause> {
    return this.taken(true)
  }

  private taken(isOver: boolean): ReadonlyArray<Clause> {
    const clauses: Array<Clause> = []
    for (let length = this.next(isOver); length !== undefined; length = this.next(isOver)) {
      const { text } = this.inCode ? { text: "" } : spokenIn(this.rest.slice(0, length))
      const line = this.rest.slice(0, length)
      if (FENCE.test(line)) this.inCode = !this.inCode
      this.rest = this.rest.slice(length)
      this.from += length
      if (text === "" || FENCE.test(line)) continue
      this.isFirst = false
      clauses.push({ text, end: this.from })
    }
    return clauses
  }

  /** Length of the part that comes next; undefined while it is not complete. */
  private next(isOver: boolean): number | undefined {
    const line = this.rest.slice(0, WINDOW).indexOf("\n") + 1
    const text = this.rest.slice(0, line === 0 ? WINDOW : line)
    const whole = line > 0 || (isOver && this.rest.length <= WINDOW) ? text.length || undefined : undefined
    if (this.inCode || FENCE.test(text) || /^\s*\|/u.test(text))
      return whole ?? (text.length === WINDOW ? WINDOW : undefined)
    let sentence = 0
    for (const one of sentencesOf(text)) {
      sentence += one.length
      if (ENDED.test(one)) break
    }
    const isCertain = whole !== undefined || text.length - sentence >= LOOKAHEAD
    const complete = isCertain && (sentence < text.length || whole !== undefined) ? sentence : undefined
    const part = complete === undefined ? text : text.slice(0, complete)
    const broken = breakIn(part, this.isFirst ? FIRST_MIN_LENGTH : MIN_LENGTH)
    return broken ?? complete
  }
}
