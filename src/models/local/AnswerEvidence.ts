import { languageOfReply } from "../../language/Detection.ts"
import { bounded } from "../../text/BoundedText.ts"
import type { Question } from "./Question.ts"
import type { Excerpt } from "./Reading.ts"
import { type Found, keysOf, sum, type Terms } from "./Terms.ts"

/*
 * Judges how well each part of some excerpts answers a question, and whether the best one does at all, by the words that
 * it and what stands around it share with the question. The weights were fitted on questions with known answers;
 * `bench answers` measures what they reach.
 */

/** Features of a part, each about 0–1, with what each adds to its score. */
const WEIGHTS = {
  /** The share of the question's information that the part itself holds. */
  own: 3,
  /** The same where words count that are rare among the parts. */
  rare: 4.5,
  /** The share that the nearest heading, the announcement of a list and the names of columns add. */
  heading: 6.6,
  /** The share that the other parts of the excerpt add. */
  around: 3,
  /** The rank of its passage. */
  rank: -1.2,
}

/** Signals for an answer at all, with what each adds to the logarithm of the odds. */
const LIKELIHOOD = {
  /** The information that the excerpt and what stands above it hold, in words other than names. */
  held: 0.43,
  /** The information in the rarest word that they lack, and that the part with what stands above it lacks. */
  missing: -0.52,
  missingPart: -0.41,
  /** The same of names, for which texts have no other word. */
  missingName: -1.5,
  /** The information in the rarest word that names a row of a table, where no other name is missing. */
  label: 1.24,
  /** Whether the question is only a few words. */
  isBare: 1.15,
  /** The similarity of the passage, and how much more similar it is than the next best one. */
  similarity: 1.06,
  lead: 0.89,
}

/** The rank from which on a passage counts least. */
const RANKS = 5
/** The number of first cells that may name their row: its number may stand before its name. */
const LABELS = 2

/** A part of an excerpt with what speaks for it. */
export interface Judged {
  readonly excerpt: Excerpt
  /** The index of the part; -1 for the line that announces a list, or the names of a table's columns. */
  readonly part: number
  /** The share of the question's information that the part itself holds, 0–1. */
  readonly own: number
  readonly score: number
  /** The words of the question in the part and what stands above it. */
  readonly held: Found
  /** The same of the excerpt as a whole. */
  readonly covered: Found
}

export class AnswerEvidence {
  /** The parts, the best one first. */
  readonly ranked: ReadonlyArray<Judged>
  /** The logarithm of the odds that the excerpt with the best part answers the question. */
  readonly likelihood: number
  private readonly terms: Terms
  private readonly total: number

  constructor(question: Question, terms: Terms, excerpts: ReadonlyArray<Excerpt>) {
    this.terms = terms
    this.total = Math.max(sum(terms.all.map(({ weight }) => weight)), Number.EPSILON)
    const own = excerpts.map(({ parts }) => parts.map(({ keys }) => terms.in(keys)))
    const flat = own.flat()
    const rarity = terms.all.map(({ weight }, term) => {
      const holders = flat.filter((found) => found.has(term)).length
      return weight * Math.log(1 + (flat.length - holders + 0.5) / (holders + 0.5))
    })
    this.ranked = excerpts
      .flatMap((excerpt, at) => this.judge(excerpt, own[at] ?? [], rarity))
      .toSorted((a, b) => b.score - a.score)
    const passages = new Set(excerpts.flatMap(({ parts }) => parts.map(({ passage }) => passage)))
    const [, next = 0] = Array.from(passages, ({ similarity = 1 }) => similarity).toSorted((a, b) => b - a)
    const [best] = this.ranked
    this.likelihood =
      best === undefined || best.covered.size === 0
        ? -Infinity
        : weighted(LIKELIHOOD, this.signals(best, question, next))
  }

  /** Judges each part of an excerpt, and of a list or a table also what stands above it. */
  private judge(excerpt: Excerpt, own: ReadonlyArray<Found>, rarity: ReadonlyArray<number>): ReadonlyArray<Judged> {
    const { form, keys, lead, rank } = excerpt
    const announced = this.terms.in(keys)
    const near = merged([this.terms.in(lead.keys), announced])
    const far = this.terms.in(lead.above)
    const all = merged([near, ...own])
    const covered = merged([all, far])
    const judged = (found: Found, part: number): Judged => {
      const share = this.shareOf(found)
      const withNear = this.shareOf(merged([found, near]))
      const score = weighted(WEIGHTS, {
        own: share,
        rare:
          sum(Array.from(found, ([term, strength]) => (rarity[term] ?? 0) * strength)) /
          Math.max(sum(rarity), Number.EPSILON),
        heading: withNear - share,
        around: this.shareOf(all) - withNear,
        rank: Math.min(1, rank / RANKS),
      })
      return { excerpt, part, own: share, score, held: merged([found, near, far]), covered }
    }
    return [...own.map(judged), ...(form === "paragraph" ? [] : [judged(announced, -1)])]
  }

  /**
   * Signals for and against a part as an answer.
   *
   * @param next the similarity of the second best passage
   */
  private signals({ covered, excerpt, held, part }: Judged, { isBare, language }: Question, next: number) {
    const { all } = this.terms
    const { cells = [], passage } = excerpt.parts[Math.max(0, part)] ?? {}
    const similarity = passage?.similarity ?? 1
    // Of a text in another language than the question, only names are expected.
    const isForeign = !isBare && languageOfReply(bounded(passage?.content ?? "")) !== language
    const countsNames = isForeign || all.every(({ isName }) => isName)
    const rarest = (counts: (term: number, isName: boolean) => boolean) =>
      Math.max(0, ...all.map(({ isName, weight }, term) => (counts(term, isName) ? weight : 0)))
    const named = this.terms.in(part < 0 ? [] : keysOf(bounded(cells.slice(0, LABELS).join(" "))))
    const missingName = rarest((term, isName) => !covered.has(term) && isName)
    return {
      held: sum(
        all.map(({ isName, weight }, term) => (isName && !countsNames ? 0 : weight * (covered.get(term) ?? 0))),
      ),
      missing: rarest((term, isName) => !covered.has(term) && (isName || !isForeign)),
      missingPart: rarest((term, isName) => !held.has(term) && (isName || !isForeign)),
      missingName,
      label: missingName > 0 ? 0 : rarest((term) => named.has(term)),
      isBare: isBare ? 1 : 0,
      similarity,
      lead: similarity - next,
    }
  }

  /** The share of the question's information in some of its words. */
  private shareOf(found: Found): number {
    return sum(Array.from(found, ([term, strength]) => (this.terms.all[term]?.weight ?? 0) * strength)) / this.total
  }
}

/** The words of several texts, each with its highest certainty. */
const merged = (all: ReadonlyArray<Found>): Found => {
  const found = new Map<number, number>()
  for (const [term, strength] of all.flatMap((each) => [...each])) {
    if ((found.get(term) ?? 0) < strength) found.set(term, strength)
  }
  return found
}

const weighted = <Name extends string>(
  weights: Readonly<Record<Name, number>>,
  values: Readonly<Record<Name, number>>,
): number => {
  let total = 0
  for (const name in weights) total += weights[name] * values[name]
  return total
}
