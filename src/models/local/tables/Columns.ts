import { type AskedWord, foldedWords } from "./Asked.ts"
import { COMPOUND } from "./Finder.ts"
import type { Matches } from "./Matches.ts"
import type { Covered } from "./Rows.ts"

/** The least weight of a word in the name of a column, and of one that only means it, in bits. */
const NAME_WEIGHT_MIN = 2
const CONCEPT_WEIGHT_MIN = 4

/** The columns that words of the question ask for, and these words. */
export interface Columns {
  readonly columns: ReadonlyArray<number>
  readonly words: Covered
}

export const noColumns: Columns = { columns: [], words: new Map() }

/** The columns, among those that `isCandidate` allows, that the question asks for by words that are not `used`. */
export const askedColumns = (
  matches: Matches,
  isCandidate: (column: number) => boolean,
  used: Covered = new Map(),
): Columns => {
  const candidates = Array.from(matches.columns.keys()).filter(isCandidate)
  const wordsOf = (column: number) => Array.from(matches.columns[column] ?? []).filter(([word]) => !used.has(word))
  // Where a word names a column, "how much" does not ask for a price.
  const isNamed = candidates.some((column) => wordsOf(column).some(([word]) => matches.isName(column, word)))
  const scored = candidates.map((column) => {
    const words = wordsOf(column).filter(([word]) => word.text !== "" || !isNamed)
    const score = words.reduce(
      (sum, [word, share]) => sum + share * Math.max(word.weight, leastOf(matches, column, word)),
      0,
    )
    const own = foldedWords(matches.name(column)).length
    return { column, words, score, share: own === 0 ? 0 : words.length / own }
  })
  const most = Math.max(0, ...scored.map(({ score }) => score))
  if (most === 0) return noColumns
  const best = scored.filter(({ score }) => score > most - 0.01)
  // Of `Price` and `Price with support`, the first is what "price" asks for.
  const share = Math.max(...best.map((each) => each.share))
  const chosen = best.filter((each) => share < 1 || each.share === share)
  const words = new Map(chosen.flatMap((each) => each.words))
  // Other columns are asked for by other words, as in "price and storage".
  const others = scored.filter((each) => each.score >= most / 2 && each.words.every(([word]) => !words.has(word)))
  return {
    columns: [...chosen, ...others].map(({ column }) => column).toSorted((a, b) => a - b),
    words: new Map([...words, ...others.flatMap((each) => each.words)]),
  }
}

/** The columns of which other rows hold a word of the question as their value: "Is it automatic?" asks for the gearbox. */
export const valuedColumns = (matches: Matches, isCandidate: (column: number) => boolean, used: Covered): Columns => {
  const columns = new Map<number, AskedWord>()
  for (const row of matches.cells) {
    for (const [column, { share, words }] of row) {
      const word = Array.from(words.keys()).find((each) => each.weight > 0 && !used.has(each))
      if (word !== undefined && share > COMPOUND && isCandidate(column)) columns.set(column, word)
    }
  }
  return columns.size > 1
    ? noColumns
    : { columns: Array.from(columns.keys()), words: new Map(Array.from(columns.values(), (word) => [word, 1])) }
}

const leastOf = (matches: Matches, column: number, word: AskedWord): number =>
  matches.isName(column, word) ? NAME_WEIGHT_MIN : CONCEPT_WEIGHT_MIN
