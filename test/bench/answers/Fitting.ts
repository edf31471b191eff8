import { LIKELY_SIMILARITY } from "../../../src/domain/knowledge/Passage.ts"
import { keysIn } from "../../../src/models/local/Answer.ts"
import { Evidence } from "../../../src/models/local/Evidence.ts"
import { readQuestion } from "../../../src/models/local/Question.ts"
import { read } from "../../../src/models/local/Reading.ts"
import { Terms } from "../../../src/models/local/Terms.ts"
import type { Replied } from "./Asking.ts"
import { type Expected, hasNoAnswer, isSmallTalk, type Kind } from "./Case.ts"
import { digest } from "../lib/Halves.ts"
import { holds, holdsAny } from "./Matching.ts"
import { bounded } from "../../../src/text/BoundedText.ts"

/*
 * Fits the parameters of answers from sentences: the weights of `Evidence.ts` by which the best sentence is found, and
 * those by which it is an answer at all or none. All figures are of knowledge bases that were left
 * out of the fit.
 */

/** What speaks for each of some alternatives, and which of them are right. */
interface Example {
  readonly knowledge: string
  readonly weight: number
  readonly alternatives: ReadonlyArray<ReadonlyArray<number>>
  readonly isRight: ReadonlyArray<boolean>
}

/** Kinds that are answered in another way, or whose questions differ from what is searched for. */
const OTHER_KINDS: ReadonlySet<Kind> = new Set(["about", "comparison", "table"])
/** The least share of the items of a list that an answer holds. */
const ITEMS_MIN = 0.8
const STEPS = 200
/** The parts of the knowledge bases of which each is left out in turn. */
const PARTS = 8
const STEP_SIZE = 0.15
/** How strongly weights are drawn to zero. */
const SHRINKAGE = 0.001

/** Fits the parameters to cases with what was found for them, and says what they are worth. */
export const fittingOf = (replied: ReadonlyArray<Replied>): string => {
  const judged = replied.flatMap(({ asked, searched }) => {
    if (searched === undefined || isSmallTalk(asked.kind) || OTHER_KINDS.has(asked.kind)) return []
    const passages = searched.passages.filter(({ similarity = 1 }) => similarity >= LIKELY_SIMILARITY)
    const isAnswered = passages.some(({ content }) => answers(asked, content))
    const question = readQuestion(bounded(searched.query))
    const reading = read(passages)
    const evidence = new Evidence(question, new Terms(question, keysIn(reading, [])), reading)
    const [best] = evidence.ranked
    if (best === undefined || best.covered.size === 0 || isAnswered === hasNoAnswer(asked)) return []
    return [{ asked, evidence, best, isAnswered }]
  })
  const sentences = judged.map(({ asked, evidence }): Example => ({
    knowledge: asked.knowledge,
    weight: 1,
    alternatives: evidence.ranked.map(({ features }) => Object.values(features)),
    isRight: evidence.ranked.map(({ list, sentence }) =>
      answers(asked, list === undefined ? sentence.text : list.items.map(({ text }) => text).join("\n")),
    ),
  }))
  const [none, some] = [judged.filter(({ isAnswered }) => !isAnswered), judged.filter(({ isAnswered }) => isAnswered)]
  const replies = judged.map(({ asked, best, evidence, isAnswered }): Example => {
    const signals = Object.values(evidence.signals(best))
    return {
      knowledge: asked.knowledge,
      weight: judged.length / 2 / (isAnswered ? some.length : none.length),
      alternatives: [signals, signals.map(() => 0)],
      isRight: [isAnswered, !isAnswered],
    }
  })
  const [first] = judged
  if (first === undefined) return "No cases to fit to."
  const oddsOf = (each: Example, weights: ReadonlyArray<number>) => product(each.alternatives[0] ?? [], weights)
  return [
    ...described(
      "Sentences",
      Object.keys(first.best.features),
      sentences.filter(({ isRight }) => isRight.includes(true)),
      [
        "the best sentence is right",
        (left) => mean(left.map(([each, weights]) => (isBestRight(each, weights) ? 1 : 0))),
      ],
    ),
    ...described("Likelihood", Object.keys(first.evidence.signals(first.best)), replies, [
      "an answer is likelier than none",
      (left) => areaOf(left.map(([each, weights]) => [each.isRight[0] === true, oddsOf(each, weights)])),
    ]),
    "not found  unfounded  both   least likelihood",
    ...curveOf(leftOut(replies).map(([each, weights]) => [each.isRight[0] === true, oddsOf(each, weights)])),
  ].join("\n")
}

const answers = ({ all, answers }: Expected, text: string): boolean =>
  answers.length + all.length > 0 &&
  (answers.length === 0 || holdsAny(text, answers)) &&
  all.filter((item) => holds(text, item)).length >= ITEMS_MIN * all.length

type Judged = ReadonlyArray<readonly [example: Example, weights: ReadonlyArray<number>]>

/** The weights, and what a figure is without each of them. */
const described = (
  file: string,
  names: ReadonlyArray<string>,
  examples: ReadonlyArray<Example>,
  [name, figure]: readonly [name: string, figure: (judged: Judged) => number],
): ReadonlyArray<string> => [
  `${file}: ${examples.length} questions; ${name}: ${figure(leftOut(examples)).toFixed(3)}`,
  ...fit(examples).map((weight, at) => {
    const without = leftOut(
      examples.map((each) => ({ ...each, alternatives: each.alternatives.map((row) => row.toSpliced(at, 1)) })),
    )
    return `  ${`${names[at]}: ${weight.toFixed(1)},`.padEnd(20)} without it ${figure(without).toFixed(3)}`
  }),
  "",
]

/** Each example with the weights that are fitted to other knowledge bases. */
const leftOut = (examples: ReadonlyArray<Example>): Judged =>
  Array.from(Map.groupBy(examples, partOf)).flatMap(([part, own]) => {
    const weights = fit(examples.filter((each) => partOf(each) !== part))
    return own.map((each) => [each, weights] as const)
  })

/** All languages of XQuAD have the same texts. */
const partOf = ({ knowledge }: Example): number => digest(knowledge.split("-")[0] ?? "") % PARTS

/** Weights with which the right alternatives are the most probable ones, by gradient descent (Adam). */
const fit = (examples: ReadonlyArray<Example>): ReadonlyArray<number> => {
  const weights: Array<number> = (examples[0]?.alternatives[0] ?? []).map(() => 0)
  const [first, second] = [[...weights], [...weights]]
  for (let step = 1; step <= STEPS; step++) {
    const gradient = weights.map((weight) => SHRINKAGE * weight * examples.length)
    for (const { alternatives, isRight, weight } of examples) {
      const odds = alternatives.map((row) => Math.exp(Math.min(500, product(row, weights))))
      const all = odds.reduce((sum, each) => sum + each, 0)
      const right = odds.reduce((sum, each, at) => sum + (isRight[at] === true ? each : 0), 0)
      for (const [at, row] of alternatives.entries()) {
        const pull = weight * (odds[at] ?? 0) * (1 / all - (isRight[at] === true ? 1 / right : 0))
        for (let name = 0; name < row.length; name++) gradient[name] = (gradient[name] ?? 0) + pull * (row[name] ?? 0)
      }
    }
    for (const [at, raw] of gradient.entries()) {
      const slope = raw / examples.length
      first[at] = 0.9 * (first[at] ?? 0) + 0.1 * slope
      second[at] = 0.99 * (second[at] ?? 0) + 0.01 * slope * slope
      const [mean, spread] = [(first[at] ?? 0) / (1 - 0.9 ** step), (second[at] ?? 0) / (1 - 0.99 ** step)]
      weights[at] = (weights[at] ?? 0) - (STEP_SIZE * mean) / (Math.sqrt(spread) + 1e-8)
    }
  }
  return weights
}

const product = (row: ReadonlyArray<number>, weights: ReadonlyArray<number>): number => {
  let sum = 0
  for (let at = 0; at < row.length; at++) sum += (row[at] ?? 0) * (weights[at] ?? 0)
  return sum
}

const mean = (values: ReadonlyArray<number>): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)

const isBestRight = ({ alternatives, isRight }: Example, weights: ReadonlyArray<number>): boolean => {
  const scores = alternatives.map((row) => product(row, weights))
  return isRight[scores.indexOf(Math.max(...scores))] === true
}

type Odds = ReadonlyArray<readonly [isAnswered: boolean, odds: number]>

/** The share of pairs of a question with an answer and one without in which the former has the better odds. */
const areaOf = (judged: Odds): number => {
  const [some, none] = [judged.filter(([isAnswered]) => isAnswered), judged.filter(([isAnswered]) => !isAnswered)]
  return mean(some.map(([, odds]) => mean(none.map(([, other]) => Number(odds > other)))))
}

/** How many questions are refused wrongly, and answered wrongly, by the least likelihood of an answer. */
const curveOf = (judged: Odds): ReadonlyArray<string> =>
  Array.from({ length: 13 }, (_, at) => at / 4 - 2).map((least) => {
    const refused = (wanted: boolean) =>
      mean(judged.filter(([isAnswered]) => isAnswered === wanted).map(([, odds]) => Number(odds < least)))
    const [notFound, unfounded] = [refused(true), 1 - refused(false)]
    const cells = [notFound, unfounded, notFound + unfounded].map((share) =>
      `${(100 * share).toFixed(1)} %`.padStart(9),
    )
    return `${cells.join("")}   ${least.toFixed(2)}`
  })
