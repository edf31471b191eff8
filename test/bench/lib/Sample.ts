import { createHash } from "node:crypto"
import type { RetrievalSet } from "./RetrievalSet.ts"

/** A number of 32 bits that depends on an id alone. */
export const digest = (id: string): number => createHash("sha256").update(id).digest().readUInt32BE()

/** The size of a part of a set. Absent, all of its passages or questions are in it. */
export interface SampleSize {
  readonly passages?: number | undefined
  readonly questions?: number | undefined
}

/** Items in an order that depends on their ids alone, at most `count`. */
export const sampled = <A extends { readonly id: string }>(
  items: ReadonlyArray<A>,
  count = items.length,
): ReadonlyArray<A> => items.toSorted((left, right) => digest(left.id) - digest(right.id)).slice(0, count)

/** A part of a set, the same in every run: some questions, all passages that answer them, and others up to the size. */
export const sampleOf = (set: RetrievalSet, size: SampleSize): RetrievalSet => {
  const questions = sampled(set.questions, size.questions)
  const judgements = new Map(questions.map(({ id }) => [id, set.judgements.get(id) ?? new Map()]))
  const relevant = new Set(Array.from(judgements.values()).flatMap((grades) => Array.from(grades.keys())))
  const others = set.passages.filter(({ id }) => !relevant.has(id))
  const room = Math.max(0, (size.passages ?? set.passages.length) - relevant.size)
  const chosen = new Set([...relevant, ...sampled(others, room).map(({ id }) => id)])
  return { ...set, questions, judgements, passages: set.passages.filter(({ id }) => chosen.has(id)) }
}
