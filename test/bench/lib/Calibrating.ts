import { LIKELY_SIMILARITY } from "../../../src/domain/knowledge/Passage.ts"
import { LexicalIndex } from "../../../src/knowledge/search/LexicalIndex.ts"
import { type LexicalQuery, isOfPairs } from "../../../src/knowledge/search/LexicalQuery.ts"
import {
  type Calibration,
  DEFAULT_CALIBRATION,
  similarityWithMeaning,
  similarityWithSpelling,
} from "../../../src/knowledge/search/Similarity.ts"
import { sparse } from "../../../src/knowledge/segments/Sketch.ts"
import { THRESHOLDS } from "./Curves.ts"

/** A set with the questions that it answers, and those that it does not. */
export interface CalibrationSet {
  readonly name: string
  /** The subject of the set, or its language where that is not English: sets of one group are fitted or left out together. */
  readonly group: string
  readonly asked: ReadonlyArray<{
    readonly index: LexicalIndex
    readonly answerable: boolean
    readonly questions: ReadonlyArray<{ readonly query: LexicalQuery; readonly vector: Float32Array }>
  }>
}

/** The shares of questions for which the threshold decides wrongly. */
interface Errors {
  /** Answerable questions that find nothing. */
  readonly empty: number
  /** Other questions that find something. */
  readonly found: number
}

/** The values that are tried for each constant. */
const GRID: Readonly<Record<keyof Calibration, ReadonlyArray<number>>> = {
  chance: [0.12, 0.135, 0.145, 0.17, 0.2],
  longQuestion: [4, 6.5, 8],
  scattered: [0.5, 0.7],
  similar: [0.3, 0.5],
  chanceCosine: [0.03, 0.05],
  cosineShare: [0.4, 0.6],
  mostLift: [1.5, 3],
  chanceScore: [0.33, 0.41],
}
const OF_SPELLING: ReadonlySet<keyof Calibration> = new Set(["chanceCosine", "cosineShare", "mostLift"])
/** The shares of the way from a model's cosine of unrelated texts to 1 that are tried as that cosine. */
const UNRELATED_SHARES = [0.06, 0.125, 0.19, 0.25]
const isConstant = (name: string): name is keyof Calibration => name in GRID

/** The candidates of a search, of which any may be kept. */
const CANDIDATES = 30

/**
 * Leaving an answerable question without passages harms as much as finding some for this many others. What is left empty
 * cannot be answered; what is found is still judged by whoever reads it. So many leave about one in a hundred empty, and
 * no kind of question more than two.
 */
const HARM_OF_EMPTY = 10

/** The highest similarity of a passage to each question. */
const similaritiesOf = (
  { index, questions }: CalibrationSet["asked"][number],
  unrelatedCosine: number | undefined,
  calibration: Calibration,
): ReadonlyArray<number> => {
  const calibrated = new LexicalIndex(index.segments, { calibration })
  return questions.map(({ query, vector }) => {
    const matches = calibrated.search(query, CANDIDATES)
    if (unrelatedCosine === undefined) {
      const question = sparse(vector)
      return matches.reduce((most, match) => {
        const cosine = calibrated.cosine(question, match) ?? 0
        const lifted = similarityWithSpelling(match.similarity, cosine, calibrated.size, calibration)
        return Math.max(most, isOfPairs(query) ? match.similarity : lifted)
      }, 0)
    }
    const ofWords = new Map(matches.map(({ chunkId, similarity }) => [chunkId, similarity]))
    return Array.from(calibrated.nearest(vector, matches, CANDIDATES)).reduce(
      (most, [chunkId, cosine]) =>
        Math.max(most, similarityWithMeaning(ofWords.get(chunkId) ?? 0, cosine, unrelatedCosine)),
      0,
    )
  })
}

/** Returns the errors at a threshold. */
const judged = (
  { asked }: CalibrationSet,
  unrelatedCosine: number | undefined,
  calibration: Calibration,
): ((threshold: number) => Errors) => {
  const best = asked.map((each) => ({
    answerable: each.answerable,
    similarities: similaritiesOf(each, unrelatedCosine, calibration),
  }))
  const shareFound = (answerable: boolean, threshold: number): number => {
    const all = best.flatMap((each) => (each.answerable === answerable ? each.similarities : []))
    return all.filter((similarity) => similarity > 0 && similarity >= threshold).length / Math.max(1, all.length)
  }
  return (threshold) => ({ empty: 1 - shareFound(true, threshold), found: shareFound(false, threshold) })
}

const harmOf = ({ empty, found }: Errors): number => HARM_OF_EMPTY * empty + found
const mean = (numbers: ReadonlyArray<number>): number =>
  numbers.reduce((sum, number) => sum + number, 0) / Math.max(1, numbers.length)
const percent = (share: number): string => `${(100 * share).toFixed(1)} %`.padStart(7)

/**
 * Shows whether the constants hold for sets that they were not fitted to. Each group of sets, those of one subject or
 * language, is left out in turn: the constants are varied one at a time, the best value for all other groups is chosen,
 * and the group that was left out shows what it costs.
 *
 * @param unrelatedCosine that of the model, undefined where its vectors express spelling
 * @param report called with each line of the result
 */
export const calibrate = (
  sets: ReadonlyArray<CalibrationSet>,
  unrelatedCosine: number | undefined,
  report: (line: string) => void,
): void => {
  const ofModel =
    unrelatedCosine === undefined
      ? []
      : UNRELATED_SHARES.map((share) => unrelatedCosine + share * (1 - unrelatedCosine))
  const variants = [
    { label: "as they are", calibration: DEFAULT_CALIBRATION, unrelated: unrelatedCosine },
    ...Object.keys(GRID)
      .filter(isConstant)
      .filter((name) => unrelatedCosine === undefined || !OF_SPELLING.has(name))
      .flatMap((name) =>
        GRID[name].map((value) => ({
          label: `${name} ${value}`,
          calibration: { ...DEFAULT_CALIBRATION, [name]: value },
          unrelated: unrelatedCosine,
        })),
      ),
    ...ofModel.map((unrelated) => ({
      label: `unrelated ${unrelated.toFixed(2)}`,
      calibration: DEFAULT_CALIBRATION,
      unrelated,
    })),
  ].map(({ label, calibration, unrelated }) => {
    const judgements = sets.map((set) => judged(set, unrelated, calibration))
    return { label, judgements, errors: judgements.map((at) => at(LIKELY_SIMILARITY)) }
  })
  const meansOf = (errors: ReadonlyArray<Errors>): string =>
    `empty ${percent(mean(errors.map(({ empty }) => empty)))}  at most ${percent(Math.max(...errors.map(({ empty }) => empty)))}` +
    `  found off topic ${percent(mean(errors.map(({ found }) => found)))}`
  for (const threshold of THRESHOLDS) {
    report(
      `threshold ${threshold.toFixed(2)}`.padEnd(20) +
        meansOf(variants[0]?.judgements.map((at) => at(threshold)) ?? []),
    )
  }
  for (const { errors, label } of variants) report(label.padEnd(20) + meansOf(errors))
  const harm = (errors: ReadonlyArray<Errors>, isCounted: (group: string) => boolean): number =>
    mean(errors.filter((_, index) => isCounted(sets[index]?.group ?? "")).map(harmOf))
  const heldOut: Array<Errors> = []
  for (const group of new Set(sets.map((set) => set.group))) {
    const best = variants.toSorted(
      (left, right) => harm(left.errors, (each) => each !== group) - harm(right.errors, (each) => each !== group),
    )[0]
    for (const [index, set] of sets.entries()) {
      const [errors, now] = [best?.errors[index], variants[0]?.errors[index]]
      if (set.group !== group || errors === undefined || now === undefined) continue
      heldOut.push(errors)
      report(
        `${set.name.padEnd(26)} without ${group}: ${(best?.label ?? "").padEnd(20)} empty ${percent(errors.empty)}  found off topic ${percent(errors.found)}` +
          `  as they are: empty ${percent(now.empty)}  found off topic ${percent(now.found)}`,
      )
    }
  }
  report("left out".padEnd(20) + meansOf(heldOut))
}
