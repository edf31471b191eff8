import { instructs } from "./AnswerForms.ts"
import type { Reading, Sentence } from "./Reading.ts"

/*
 * Finds instructions that are written as running text.
 */

/** The most sentences of an instruction. */
const STEPS_MAX = 6
/** The least share of sentences that tell what to do. */
const STEPS_SHARE_MIN = 0.5

/** The paragraph of a sentence from its first step to its last; empty where it holds no instruction. */
export const stepsAround = (sentence: Sentence, { sentences }: Reading): ReadonlyArray<Sentence> => {
  if (sentence.form === "item") return []
  let from = sentence.place
  while (from > 0 && sentences[from]?.before !== undefined) from--
  let to = sentence.place + 1
  while (sentences[to]?.before !== undefined) to++
  const paragraph = sentences.slice(from, to)
  const isStep = paragraph.map(({ text }) => instructs(text))
  const steps = paragraph.slice(isStep.indexOf(true), isStep.lastIndexOf(true) + 1)
  const told = isStep.filter(Boolean).length
  const isPart = steps.includes(sentence) && steps.length <= STEPS_MAX
  return isPart && told >= STEPS_SHARE_MIN * steps.length ? steps : []
}
