import type { RetrievalSet } from "./RetrievalSet.ts"

/** The means over the questions that have a relevant passage, computed like those of trec_eval. */
export interface RankingMetrics {
  readonly ndcg10: number
  readonly recall10: number
  readonly recall100: number
  readonly mrr10: number
}

/**
 * Computes the metrics of a run.
 *
 * @param run the passage ids, best first, by question id; a missing question counts as one without results
 */
export const measure = (
  run: ReadonlyMap<string, ReadonlyArray<string>>,
  judgements: RetrievalSet["judgements"],
): RankingMetrics => {
  const all = Array.from(judgements, ([question, grades]) => measureOne(run.get(question) ?? [], grades))
  const mean = (key: keyof RankingMetrics): number => all.reduce((sum, one) => sum + one[key], 0) / all.length
  return { ndcg10: mean("ndcg10"), recall10: mean("recall10"), recall100: mean("recall100"), mrr10: mean("mrr10") }
}

const measureOne = (found: ReadonlyArray<string>, grades: ReadonlyMap<string, number>): RankingMetrics => {
  const gain = (list: ReadonlyArray<number>): number =>
    list.slice(0, 10).reduce((sum, grade, index) => sum + grade / Math.log2(index + 2), 0)
  const ideal = Array.from(grades.values()).sort((left, right) => right - left)
  const gained = found.map((passage) => grades.get(passage) ?? 0)
  const relevantIn = (depth: number): number => gained.slice(0, depth).filter((grade) => grade > 0).length
  const first = gained.slice(0, 10).findIndex((grade) => grade > 0)
  return {
    ndcg10: gain(gained) / gain(ideal),
    recall10: relevantIn(10) / grades.size,
    recall100: relevantIn(100) / grades.size,
    mrr10: first < 0 ? 0 : 1 / (first + 1),
  }
}
