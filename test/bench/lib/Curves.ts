import { Effect } from "effect"
import type { ChatbotId } from "../../../src/domain/Ids.ts"
import { Retriever } from "../../../src/knowledge/Retriever.ts"
import { store, type StoredPassages } from "./KnowledgeOfSets.ts"
import type { RetrievalSet } from "./RetrievalSet.ts"
import { withGaps } from "./Gaps.ts"
import { sampled } from "./Sample.ts"

/*
 * What a threshold does: it leaves questions that have an answer without any passage, and it keeps questions that have
 * none from finding some. Both are measured at each threshold.
 */

export const THRESHOLDS: ReadonlyArray<number> = [0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5]

/** The most questions of one kind that are asked of a knowledge base. */
const QUESTIONS = 300
/** The candidates of a search, of which any may have the highest similarity. */
const CANDIDATES = 30

type Questions = RetrievalSet["questions"]

/** The questions that are asked of one set. */
export interface Curves {
  /** Questions that the set answers. */
  readonly answerable: ReadonlyArray<number>
  /** Questions of sets about other subjects. */
  readonly otherSubjects: ReadonlyArray<number>
  /** Questions about articles that were removed from the set, in the language of the set. */
  readonly otherArticles: ReadonlyArray<number>
  /** Questions whose passages were removed, while their articles were not. */
  readonly nearMisses: ReadonlyArray<number>
}

/** The highest similarity of a passage to each question; 0 where nothing is found. */
const similarities = Effect.fnUntraced(function* (chatbotId: ChatbotId, questions: Questions) {
  const retriever = yield* Retriever
  return yield* Effect.forEach(sampled(questions, QUESTIONS), ({ text }) =>
    Effect.map(retriever.search({ chatbotId, query: text, topK: CANDIDATES, threshold: 0 }), ({ hits }) =>
      Math.max(0, ...hits.map((hit) => hit.similarity)),
    ),
  )
})

/** Questions of the sets about other subjects, about as many from each. */
const questionsOfOthers = (set: RetrievalSet, all: ReadonlyArray<RetrievalSet>): Questions => {
  const others = all.filter(({ subject }) => subject !== set.subject)
  return others.flatMap(({ questions }) => sampled(questions, Math.ceil(QUESTIONS / others.length)))
}

/** Asks a set its own questions, and those of the sets about other subjects. */
export const curvesOf = Effect.fnUntraced(function* (
  set: RetrievalSet,
  stored: StoredPassages,
  all: ReadonlyArray<RetrievalSet>,
) {
  const { passages, offTopic, nearMisses } = withGaps(set)
  const gaps = yield* store(`${set.name} with gaps`, passages)
  const curves: Curves = {
    answerable: yield* similarities(stored.chatbotId, set.questions),
    otherSubjects: yield* similarities(stored.chatbotId, questionsOfOthers(set, all)),
    otherArticles: yield* similarities(gaps.chatbotId, offTopic),
    nearMisses: yield* similarities(gaps.chatbotId, nearMisses),
  }
  return curves
})

/** The kinds of questions, each with the similarity of the best passage to each question, and whether to find it is right. */
const kindsOf = ({ answerable, nearMisses, otherArticles, otherSubjects }: Curves) =>
  [
    { kind: "empty though answerable", best: answerable, isAnswerable: true },
    { kind: "found, other subjects", best: otherSubjects, isAnswerable: false },
    { kind: "found, other articles", best: otherArticles, isAnswerable: false },
    { kind: "found, near misses", best: nearMisses, isAnswerable: false },
  ] as const

type Kind = ReturnType<typeof kindsOf>[number]

/** The share of the questions of a kind for which the threshold decides wrongly. */
const wrongShare = ({ best, isAnswerable }: Kind, threshold: number): number =>
  best.filter((value) => (value > 0 && value >= threshold) !== isAnswerable).length / best.length

/**
 * The shares of questions for which a threshold decides wrongly, in the order of `Curves`; undefined where there are no
 * questions of the kind.
 */
export const sharesOf = (curves: Curves, threshold: number): ReadonlyArray<number | undefined> =>
  kindsOf(curves).map((kind) => (kind.best.length === 0 ? undefined : wrongShare(kind, threshold)))

/** One line for each kind of question, with the share of its questions at each threshold. */
export const linesOf = (name: string, curves: Curves): ReadonlyArray<string> =>
  kindsOf(curves).flatMap((each) => {
    if (each.best.length === 0) return []
    const shares = THRESHOLDS.map((threshold) => (100 * wrongShare(each, threshold)).toFixed(1).padStart(6))
    return `${name.padEnd(26)} ${each.kind.padEnd(24)} ${shares.join("")}`
  })
