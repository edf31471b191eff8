import { LIKELY_SIMILARITY } from "../../../src/domain/knowledge/Passage.ts"
import { LexicalIndex } from "../../../src/knowledge/search/LexicalIndex.ts"
import type { LexicalQuery } from "../../../src/knowledge/search/LexicalQuery.ts"
import { type Calibration, DEFAULT_CALIBRATION } from "../../../src/knowledge/search/Similarity.ts"

/** A set with the questions that it answers, and those that it does not. */
export interface CalibrationSet {
  readonly name: string
  /** The subject of the set, or its language where that is not English: sets of one group are fitted or left out together. */
  readonly group: string
  readonly asked: ReadonlyArray<{
    readonly index: LexicalIndex
    readonly answerable: boolean
    readonly queries: ReadonlyArray<LexicalQuery>
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
  chance: [0.1, 0.12, 0.13, 0.14, 0.17, 0.185, 0.2, 0.25],
  longQuestion: [3.5, 6.5, 8, 12],
  scattered: [0.4, 0.5, 0.7, 0.8],
  similar: [0.3, 0.5],
}
const isConstant = (name: string): name is keyof Calibration => name in GRID

/** The candidates of a search, of which any may be kept. */
const CANDIDATES = 30

/** Leaving an answerable question without passages harms as much as finding some for this many others. */
const HARM_OF_EMPTY = 3

const errorsOf = ({ asked }: CalibrationSet, calibration: Calibration): Errors => {
  const shareFound = (answerable: boolean): number => {
    let [found, all] = [0, 0]
    for (const { index, queries } of asked.filter((each) => each.answerable === answerable)) {
      const calibrated = new LexicalIndex(index.segments, { calibration })
      all += queries.length
      found += queries.filter((query) =>
        calibrated.search(query, CANDIDATES).some(({ similarity }) => similarity >= LIKELY_SIMILARITY),
      ).length
    }
    return all === 0 ? 0 : found / all
  }
  return { empty: 1 - shareFound(true), found: shareFound(false) }
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
 * @param report called with each line of the result
 */
export const calibrate = (sets: ReadonlyArray<CalibrationSet>, report: (line: string) => void): void => {
  const variants = [
    { label: "as they are", calibration: DEFAULT_CALIBRATION },
    ...Object.keys(GRID)
      .filter(isConstant)
      .flatMap((name) =>
        GRID[name].map((value) => ({
          label: `${name} ${value}`,
          calibration: { ...DEFAULT_CALIBRATION, [name]: value },
        })),
      ),
  ].map(({ label, calibration }) => ({ label, errors: sets.map((set) => errorsOf(set, calibration)) }))
  const harm = (errors: ReadonlyArray<Errors>, isCounted: (group: string) => boolean): number =>
    mean(errors.filter((_, index) => isCounted(sets[index]?.group ?? "")).map(harmOf))
  for (const { label, errors } of variants) {
    const [empty, found] = [mean(errors.map((each) => each.empty)), mean(errors.map((each) => each.found))]
    report(`${label.padEnd(20)} empty ${percent(empty)}  found off topic ${percent(found)}`)
  }
  for (const group of new Set(sets.map((set) => set.group))) {
    const best = variants.toSorted(
      (left, right) => harm(left.errors, (each) => each !== group) - harm(right.errors, (each) => each !== group),
    )[0]
    for (const [index, set] of sets.entries()) {
      const [errors, present] = [best?.errors[index], variants[0]?.errors[index]]
      if (set.group !== group || errors === undefined || present === undefined) continue
      report(
        `${set.name.padEnd(26)} without ${group}: ${(best?.label ?? "").padEnd(18)} empty ${percent(errors.empty)}  found off topic ${percent(errors.found)}` +
          `  as they are: empty ${percent(present.empty)}  found off topic ${percent(present.found)}`,
      )
    }
  }
}
