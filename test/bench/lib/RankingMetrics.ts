import type { RetrievalSet } from "./RetrievalSet.ts"

const DEPTH = 10

/**
 * The mean nDCG@10 over the questions that have a relevant passage, computed like that of trec_eval.
 *
 * @param run the passage ids, best first, by question id; a missing question counts as one without results
 */
export const ndcg10 = (
  run: ReadonlyMap<string, ReadonlyArray<string>>,
  judgements: RetrievalSet["judgements"],
): number => {
  const gain = (grades: ReadonlyArray<number>): number =>
    grades.slice(0, DEPTH).reduce((sum, grade, index) => sum + grade / Math.log2(index + 2), 0)
  const all = Array.from(judgements, ([question, grades]) => {
    const ideal = Array.from(grades.values()).toSorted((left, right) => right - left)
    return gain((run.get(question) ?? []).map((passage) => grades.get(passage) ?? 0)) / gain(ideal)
  })
  return all.reduce((sum, one) => sum + one, 0) / all.length
}
