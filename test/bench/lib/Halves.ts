import { createHash } from "node:crypto"
import type { RetrievalSet } from "./RetrievalSet.ts"

/**
 * The half of a set to which a question belongs, by its id alone. Parameters are fitted on one half and evaluated on
 * the other.
 */
export type Half = "fitted" | "held out"

/** A number of 32 bits that depends on an id alone. */
export const digest = (id: string): number => createHash("sha256").update(id).digest().readUInt32BE()

/** The half of a question with this id. */
export const halfOf = (question: string): Half => (((digest(question) >>> 24) & 1) === 0 ? "fitted" : "held out")

/** The set with only the questions of one half. */
export const half = (set: RetrievalSet, part: Half): RetrievalSet => ({
  ...set,
  questions: set.questions.filter(({ id }) => halfOf(id) === part),
  judgements: new Map(Array.from(set.judgements).filter(([id]) => halfOf(id) === part)),
})
