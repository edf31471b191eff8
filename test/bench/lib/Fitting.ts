import { fuse, weightFor } from "../../../src/knowledge/search/Fusion.ts"
import { LexicalIndex } from "../../../src/knowledge/search/LexicalIndex.ts"
import type { LexicalQuery } from "../../../src/knowledge/search/LexicalQuery.ts"
import { type SparseVector } from "../../../src/knowledge/segments/Sketch.ts"
import { defaultWeights, type LexicalWeights } from "../../../src/knowledge/search/Weights.ts"
import { type Half, half } from "./Halves.ts"
import { measure } from "./RankingMetrics.ts"
import type { RetrievalSet } from "./RetrievalSet.ts"

/** All that an order depends on. */
export interface Parameters extends LexicalWeights {
  readonly vector: number
}

/** A set as the server's index holds it, and its questions in the index's terms. */
export interface IndexedSet {
  readonly set: RetrievalSet
  readonly index: LexicalIndex
  readonly questions: ReadonlyMap<string, { readonly query: LexicalQuery; readonly vector: SparseVector }>
  /** Of a chunk, by its id. */
  readonly passageOf: ReadonlyMap<string, string>
}

const CANDIDATES = 30

/** Tried in turn for each parameter, the others as they are, until none helps. */
const GRID: Readonly<Record<keyof Parameters, ReadonlyArray<number>>> = {
  k1: [0.9, 1.05, 1.2, 1.5],
  b: [0.6, 0.68, 0.75, 0.85],
  pairSaturation: [0.5, 0.6, 0.75, 1],
  background: [0, 0.15, 0.3, 0.5],
  phrase: [0, 0.1, 0.2, 0.3, 0.4],
  reversed: [0, 0.5, 1],
  vector: [0, 0.1, 0.2, 0.3],
}
const isParameter = (name: string): name is keyof Parameters => name in GRID
const names = Object.keys(GRID).filter(isParameter)
/** A gain below this is chance. */
const LEAST_GAIN = 0.0002

const ndcg = ({ set, index, questions, passageOf }: IndexedSet, parameters: Parameters, wanted: Half): number => {
  const weighted = new LexicalIndex(index.segments, { weights: parameters })
  const part = half(set, wanted)
  const run = new Map<string, ReadonlyArray<string>>()
  for (const { id } of part.questions) {
    const asked = questions.get(id)
    if (asked === undefined) continue
    const fused = fuse(
      weighted.search(asked.query, CANDIDATES),
      (match) => weighted.cosine(asked.vector, match),
      weightFor(asked.query, parameters.vector),
    )
    run.set(
      id,
      fused.map(({ match }) => passageOf.get(match.chunkId) ?? ""),
    )
  }
  return measure(run, part.judgements).ndcg10
}

/** Every set counts the same, whatever its number of questions. */
const score = (sets: ReadonlyArray<IndexedSet>, parameters: Parameters, wanted: Half): number =>
  sets.reduce((sum, set) => sum + ndcg(set, parameters, wanted), 0) / sets.length

/**
 * Improves the parameters, one after the other, on one half of the questions.
 *
 * @param tell told each improvement
 */
export const fit = (sets: ReadonlyArray<IndexedSet>, vector: number, tell: (line: string) => void): void => {
  let best: Parameters = { ...defaultWeights, vector }
  let highest = score(sets, best, "fitted")
  const summary = () => `fitted ${highest.toFixed(4)}  held out ${score(sets, best, "held out").toFixed(4)}`
  tell(`as they are: ${summary()}`)
  for (let before = -1; highest > before;) {
    before = highest
    for (const name of names) {
      for (const value of GRID[name]) {
        const candidate = { ...best, [name]: value }
        const reached = value === best[name] ? highest : score(sets, candidate, "fitted")
        if (reached < highest + LEAST_GAIN) continue
        best = candidate
        highest = reached
        tell(`${name} ${value}: ${summary()}`)
      }
    }
  }
  tell(JSON.stringify(best))
}
