import { createHash } from "node:crypto"
import type { RetrievalSet } from "./RetrievalSet.ts"

/** Which half of a set's questions one belongs to, by its id alone: parameters are fitted on one and judged on the other. */
export type Half = "fitted" | "held out"

const halfOf = (question: string): Half =>
  ((createHash("sha256").update(question).digest()[0] ?? 0) & 1) === 0 ? "fitted" : "held out"

/** The set with the questions of one half only. */
export const half = (set: RetrievalSet, wanted: Half): RetrievalSet => ({
  ...set,
  questions: set.questions.filter(({ id }) => halfOf(id) === wanted),
  judgements: new Map(Array.from(set.judgements).filter(([id]) => halfOf(id) === wanted)),
})
