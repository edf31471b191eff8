import type { Term } from "./Lexemes.ts"
import type { LexicalQuery } from "./LexicalQuery.ts"
import type { Segment } from "./Segment.ts"

/** Two words of a question that stand side by side in it. */
export interface Phrase {
  readonly left: Term
  readonly right: Term
  /** How often they do. */
  readonly times: number
  /** Of two pairs of characters, which overlap, the nearness says nothing that they do not say themselves. */
  readonly isOfPairs: boolean
}

/** Words this far apart still count as neighbours: one stop word may stand between. */
const REACH = 2

export const phrasesOf = (query: LexicalQuery): ReadonlyArray<Phrase> => {
  const phrases = new Map<string, Phrase>()
  for (const [index, word] of query.entries()) {
    const next = query[index + 1]
    if (next === undefined) continue
    const isOfPairs = word.isPair && next.isPair
    for (const left of word.terms) {
      for (const right of next.terms) {
        const key = `${left} ${right}`
        phrases.set(key, { left, right, times: (phrases.get(key)?.times ?? 0) + 1, isOfPairs })
      }
    }
  }
  return Array.from(phrases.values())
}

/**
 * How often the first word stands shortly before the second in the chunk of these postings. Positions carry their weight
 * in their top bits, so words of the title and of the text are never neighbours.
 */
export const timesAdjacent = (segment: Segment, leftPosting: number, rightPosting: number): number => {
  const { positions, starts } = segment
  const rightEnd = starts[rightPosting + 1]!
  let right = starts[rightPosting]!
  let found = 0
  for (let left = starts[leftPosting]!; left < starts[leftPosting + 1]!; left++) {
    const from = positions[left]!
    while (right < rightEnd && positions[right]! <= from) right++
    if (right < rightEnd && positions[right]! - from <= REACH) found++
  }
  return found
}
