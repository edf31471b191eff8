import { bounded, type BoundedText } from "../../text/BoundedText.ts"
import { plain } from "../../text/Markup.ts"
import { sentencesOf } from "../../text/Sentences.ts"

/*
 * Takes a reply apart into its sentences.
 */

/** A sentence of a reply that may claim something. */
export interface Claim {
  /** Without the marks of Markdown, of lists and of citations. */
  readonly text: BoundedText
  /** Whether it only announces what follows, such as a list. */
  readonly isLead: boolean
  /** Its place in the reply, in UTF-16 code units. */
  readonly start: number
  readonly end: number
}

/** Longest sentence that is compared, in UTF-16 code units. */
const CLAIM_MAX_LENGTH = 600
/** Longest part of a line that is split at once: a line of any length is split in bounded pieces. */
const PIECE_MAX_LENGTH = 4_000

/** A part of a line of a reply, with its place. */
interface Piece {
  readonly text: string
  readonly start: number
}

/** The pieces of a reply's lines that are text: no fenced code, headings and rules. */
export const piecesOf = (reply: string): ReadonlyArray<Piece> => {
  const pieces: Array<Piece> = []
  let fence: string | undefined
  let start = 0
  for (const line of reply.split("\n")) {
    const mark = /^\s{0,12}(`{3}|~{3})/.exec(line)?.[1]
    const isText = mark === undefined && fence === undefined && !/^\s{0,12}(?:#{1,6}\s|[-=*_|:\s]*$)/.test(line)
    if (mark !== undefined) fence = fence === undefined ? mark : fence === mark ? undefined : fence
    for (let at = 0; isText && at < line.length; at += PIECE_MAX_LENGTH) {
      pieces.push({ text: line.slice(at, at + PIECE_MAX_LENGTH), start: start + at })
    }
    start += line.length + 1
  }
  return pieces
}

/** Matches numbers of steps, and of the passages that a sentence cites. */
const NUMBERING =
  /^[^\p{L}\p{N}]*(?:\p{L}+\s)?\d{1,2}\s?[.:)）、](?=\s)|[[【(]\d{1,2}(?:[,;–-]\s?\d{1,2})*[\]】)](?!\d)/gu

export const claimsIn = ({ start: from, text }: Piece): ReadonlyArray<Claim> => {
  const claims: Array<Claim> = []
  let start = from
  // A row of a table is one claim.
  for (const sentence of /^\s*\|/.test(text) ? [text] : sentencesOf(text)) {
    const shown = sentence.trim()
    const at = start + sentence.indexOf(shown)
    start += sentence.length
    const claim = bounded(plain(shown).replaceAll(NUMBERING, "").trim(), CLAIM_MAX_LENGTH)
    if (/\p{L}/u.test(claim) && !/[?？؟][\s*_\p{P}]*$/u.test(claim)) {
      claims.push({ text: claim, isLead: /[:：][\s*_]*$/u.test(claim), start: at, end: at + shown.length })
    }
  }
  return claims
}
