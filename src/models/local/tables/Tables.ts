import type { BoundedText } from "../../../text/BoundedText.ts"
import { asked } from "./Asked.ts"
import { Finder } from "./Finder.ts"
import { across, type Grid } from "./Grid.ts"
import { lookUp } from "./Lookup.ts"
import { Matches } from "./Matches.ts"
import type { TableAnswer } from "./Wording.ts"

/*
 * Answers questions from the cells of tables: finds the table, the rows and the columns that a question asks for.
 */

/** An answer that covers less of the question than this is mostly the answer to another one. */
const EVIDENCE_MIN = 0.36
/** How much better the answer of a table that is read across has to be. */
const ACROSS_GAIN = 0.12

/** Answers a question from tables; undefined where no row or no column is what it asks for. */
export const answerFromTables = (question: BoundedText, grids: ReadonlyArray<Grid>): TableAnswer | undefined => {
  if (grids.length === 0) return undefined
  const words = asked(question)
  const finder = new Finder(words)
  let best: TableAnswer | undefined
  for (const grid of grids.toSorted((a, b) => a.rank - b.rank)) {
    const along = lookUp(new Matches(grid, words, finder))
    const turned = across(grid)
    const other = turned === undefined ? undefined : lookUp(new Matches(turned, words, finder))
    const found = (other?.evidence ?? 0) > (along?.evidence ?? 0) + ACROSS_GAIN ? other : along
    if (found !== undefined && found.evidence > (best?.evidence ?? EVIDENCE_MIN)) best = found
  }
  return best
}
