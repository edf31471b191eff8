import { fuse, spellingWeight } from "../../../src/knowledge/search/Fusion.ts"
import { LexicalIndex } from "../../../src/knowledge/search/LexicalIndex.ts"
import type { LexicalQuery } from "../../../src/knowledge/search/LexicalQuery.ts"
import { type SparseVector } from "../../../src/knowledge/segments/Sketch.ts"
import { DEFAULT_WEIGHTS, type LexicalWeights } from "../../../src/knowledge/search/Weights.ts"
import { type Half, halfOf } from "./Halves.ts"
import { measure } from "./RankingMetrics.ts"
import type { RetrievalSet } from "./RetrievalSet.ts"

/** The parameters that determine the order of search results. */
interface Parameters extends LexicalWeights {
  /** The weight of vector scores, 0–1. */
  readonly vector: number
}

/** A retrieval set in an index of the server. */
export interface IndexedSet {
  readonly set: RetrievalSet
  readonly index: LexicalIndex
  /** The questions by their ids, in the terms of the index. */
  readonly questions: ReadonlyMap<string, { readonly query: LexicalQuery; readonly vector: SparseVector }>
  /** The id of the passage by the id of its chunk. */
  readonly passageOf: ReadonlyMap<string, string>
}

const CANDIDATES = 30

/** The values that are tried for each parameter. */
const GRID: Readonly<Record<keyof Parameters, ReadonlyArray<number>>> = {
  k1: [0.9, 1.05, 1.2, 1.5],
  b: [0.6, 0.68, 0.75, 0.85],
  earlySaturation: [0.5, 0.6, 0.75, 1],
  background: [0, 0.15, 0.3, 0.5],
  phrase: [0, 0.1, 0.2, 0.3, 0.4],
  reversed: [0, 0.5, 1],
  vector: [0, 0.1, 0.2, 0.3],
}
const isParameter = (name: string): name is keyof Parameters => name in GRID
const names = Object.keys(GRID).filter(isParameter)
/** A gain below this counts as chance. */
const LEAST_GAIN = 0.0002

const ndcg = ({ set, index, questions, passageOf }: IndexedSet, parameters: Parameters): number => {
  const weighted = new LexicalIndex(index.segments, { weights: parameters })
  const run = new Map<string, ReadonlyArray<string>>()
  for (const { id } of set.questions) {
    const question = questions.get(id)
    if (question === undefined) continue
    const candidates = weighted.search(question.query, CANDIDATES).map((match) => ({
      ...match,
      lexical: match.score,
      vector: weighted.cosine(question.vector, match),
    }))
    const fused = fuse(candidates, spellingWeight(question.query, parameters.vector))
    run.set(
      id,
      fused.map(({ chunkId }) => passageOf.get(chunkId) ?? ""),
    )
  }
  return measure(run, set.judgements).ndcg10
}

/** The mean nDCG@10 of the sets. Every set counts the same, whatever its number of questions. */
const score = (sets: ReadonlyArray<IndexedSet>, parameters: Parameters): number =>
  sets.reduce((sum, set) => sum + ndcg(set, parameters), 0) / sets.length

/**
 * Fits the parameters to one half of the sets, one parameter after the other, until no value improves the score. The
 * other half shows what that is worth for texts and kinds of questions that the parameters were not fitted to. Sets of
 * the same texts, such as those that are made of one public set, are in the same half.
 *
 * @param report called with a line of text for each improvement, and for each set of the other half
 */
export const fit = (sets: ReadonlyArray<IndexedSet>, vector: number, report: (line: string) => void): void => {
  const textsOf = ({ set }: IndexedSet): string => set.name.split(" ")[0] ?? ""
  const partOf = (part: Half) => sets.filter((each) => halfOf(textsOf(each)) === part)
  const [fitted, heldOut] = [partOf("fitted"), partOf("held out")]
  const present: Parameters = { ...DEFAULT_WEIGHTS, vector }
  let best = present
  let highest = score(fitted, best)
  const summary = () => `fitted ${highest.toFixed(4)}  held out ${score(heldOut, best).toFixed(4)}`
  report(`as they are: ${summary()}`)
  for (let before = -1; highest > before;) {
    before = highest
    for (const name of names) {
      for (const value of GRID[name]) {
        const candidate = { ...best, [name]: value }
        const reached = value === best[name] ? highest : score(fitted, candidate)
        if (reached < highest + LEAST_GAIN) continue
        best = candidate
        highest = reached
        report(`${name} ${value}: ${summary()}`)
      }
    }
  }
  report(JSON.stringify(best))
  for (const each of heldOut) {
    report(`${each.set.name.padEnd(26)} ${ndcg(each, best).toFixed(4)}  as they are: ${ndcg(each, present).toFixed(4)}`)
  }
}
