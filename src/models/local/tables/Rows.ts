import { type AskedWord, foldedWords, isFormOf } from "./Asked.ts"
import { totals } from "./Concepts.ts"
import { COMPOUND } from "./Finder.ts"
import type { Matches } from "./Matches.ts"

/** The least weight of a word in cells, in bits: in a table, common words tell rows apart, too. */
const CELL_WEIGHT_MIN = 2
/** The weight of the share of a cell's own words that the question holds. */
const SHARE_WEIGHT = 4
/** The most rows that are compared. */
const COMPARED_MAX = 4

/** Words of a question with how much of each is covered, 0–1. */
export type Covered = ReadonlyMap<AskedWord, number>

/** The rows of a table by the words of the question in their cells. */
export class Rows {
  /** The rows that hold these words best, in order; all rows where no word tells them apart. */
  readonly best: ReadonlyArray<number>
  /** The words that tell the best rows from the others. */
  readonly words: Covered
  /** The columns that hold these words, the one that they fill most first. */
  readonly columns: ReadonlyArray<number>
  /** The rows that do not sum up the others. */
  readonly plain: ReadonlyArray<number>
  private readonly frequencies: ReadonlyMap<AskedWord, number>
  private readonly matches: Matches

  constructor(matches: Matches) {
    this.matches = matches
    const { cells } = matches
    const frequencies = new Map<AskedWord, number>()
    for (const row of cells) {
      const words = new Set(Array.from(row.values()).flatMap((cell) => [...cell.words.keys()]))
      for (const word of words) frequencies.set(word, (frequencies.get(word) ?? 0) + 1)
    }
    this.frequencies = frequencies
    const all = Array.from(cells.keys())
    this.plain = all.filter((row) => !isTotal(matches.cell(row, matches.label)))
    const scores = cells.map((_, row) => this.scoreOf(row))
    const most = Math.max(0, ...scores)
    this.best = most === 0 ? this.plain : all.filter((row) => (scores[row] ?? 0) > most - 0.01)
    const [first] = this.best
    const places = most === 0 || first === undefined ? [] : this.placesOf(first)
    this.columns = places.map(({ column }) => column)
    this.words = new Map(places.flatMap(({ words }) => words))
  }

  /** Whether words of the question tell some rows from the others. */
  get areChosen(): boolean {
    return this.columns.length > 0
  }

  /** The rows that hold all words that tell the best rows from others, and do not sum up the others. */
  get alike(): ReadonlyArray<number> {
    const wanted = [...this.words.keys()].filter((word) => this.rarityOf(word) > 0)
    return this.plain.filter((row) => {
      const cells = Array.from(this.matches.cells[row]?.values() ?? [])
      return wanted.every((word) => cells.some(({ words }) => words.has(word)))
    })
  }

  /**
   * The rows that the question names one by one, such as `Basic` and `Team`, with the words that name them. Empty where
   * it names one, or where a word could mean several.
   */
  get compared(): { readonly rows: ReadonlyArray<number>; readonly words: Covered } {
    const { cells, label } = this.matches
    const names = new Map<AskedWord, number>()
    const rows = new Set<number>()
    for (const word of this.matches.asked.words) {
      const holders = this.plain.filter((row) => this.choosing(row, label, word) > 0)
      const counts = holders.map((row) => cells[row]?.get(label)?.words.size ?? 0)
      const best = holders.filter((_, index) => counts[index] === Math.max(...counts))
      if (best.length !== 1) continue
      for (const row of best) rows.add(row)
      names.set(word, 1)
    }
    return rows.size > 1 && rows.size <= COMPARED_MAX
      ? { rows: Array.from(rows).toSorted((a, b) => a - b), words: names }
      : { rows: [], words: new Map() }
  }

  private scoreOf(row: number): number {
    let share = 0
    const scores = new Map<AskedWord, number>()
    for (const [column, cell] of this.matches.cells[row] ?? []) {
      for (const word of cell.words.keys()) {
        const score = this.choosing(row, column, word) * Math.max(word.weight, CELL_WEIGHT_MIN) * this.rarityOf(word)
        if (score === 0) continue
        share = Math.max(share, cell.share)
        scores.set(word, Math.max(score, scores.get(word) ?? 0))
      }
    }
    return scores.size === 0 ? 0 : [...scores.values()].reduce((sum, each) => sum + each) + SHARE_WEIGHT * share
  }

  /**
   * How surely a word chooses a row by this cell, 0–1. The name of its column does not, and what the table is about
   * only does as the name of a row.
   */
  private choosing(row: number, column: number, word: AskedWord): number {
    const { above, cells, label } = this.matches
    const isAbout = above.has(word) && column !== label
    if (word.isGrammar || isAbout || this.matches.isName(column, word)) return 0
    return cells[row]?.get(column)?.words.get(word) ?? 0
  }

  /** How well a word tells rows apart, 0–1. */
  private rarityOf(word: AskedWord): number {
    const all = this.matches.cells.length
    return all === 1 ? 1 : Math.log(all / (this.frequencies.get(word) ?? all)) / Math.log(all)
  }

  /** The columns of a row that hold its words: each word counts in the cell that it fills most. */
  private placesOf(row: number) {
    const cells = Array.from(this.matches.cells[row] ?? []).toSorted(([, a], [, b]) => b.share - a.share)
    const counted = new Set<AskedWord>()
    return cells.flatMap(([column, cell]) => {
      const words = [...cell.words].filter(([word]) => !counted.has(word) && this.choosing(row, column, word) > 0)
      for (const [word] of words) counted.add(word)
      return words.some(([word]) => this.rarityOf(word) > 0) ? [{ column, words }] : []
    })
  }
}

/** The words of the question that name or mean these columns. */
export const namesOf = (matches: Matches, columns: ReadonlyArray<number>): Covered =>
  new Map(columns.flatMap((column) => [...(matches.columns[column] ?? [])]))

const isTotal = (label: string): boolean => {
  const [first = ""] = foldedWords(label)
  return totals.some((total) => isFormOf(first, total))
}

/** The weight of an extreme or a bound in a question. */
const CONDITION_WEIGHT = 5

/** The factors of evidence that speaks against an answer. */
const MISSING_NAME = 0.4
const MISSING_ATTRIBUTE = 0.4
const MISSING_MEANING = 0.85
const PART_OF_NAME = 0.8

/** What a missing word counts where others name the row: it mostly says in other words what its column says. */
const PARAPHRASE = 0.35
/** How much more a word says that is all of a name, in bits. */
const WHOLE_NAME = 3

/** What speaks for an answer. */
interface Reasons {
  /** The words that chose the rows; empty where all rows are answers. */
  readonly rows: Covered
  /** The words in names of columns and elsewhere. */
  readonly names: Covered
  /** Whether the words that chose the rows name them. */
  readonly isNamed?: boolean
  /** Whether the cells that name the rows hold words that the question lacks. */
  readonly isPart?: boolean
}

/** The share of the question's information that an answer and what stands above its table hold, 0–1. */
export const evidenceOf = (matches: Matches, { isNamed = false, isPart = false, names, rows }: Reasons): number => {
  const { asked } = matches
  const condition = asked.extreme === undefined && asked.bound === undefined ? 0 : CONDITION_WEIGHT
  const missing = new Set<number>()
  let heaviest = 0
  let found = condition
  let missed = 0
  let factor = 1
  for (const word of asked.words) {
    const isAbove = matches.above.has(word)
    const most = Math.max(isAbove ? 1 : 0, rows.get(word) ?? 0, names.get(word) ?? 0)
    const share = most > COMPOUND ? 1 : most
    // Where another word names the column, "how many" says nothing more.
    if (word.text === "") {
      if (share === 0 && names.size === 0) factor *= MISSING_MEANING
      continue
    }
    found += share * word.weight
    missed += (1 - share) * word.weight
    if (share > 0) continue
    if (word.isExact) factor *= MISSING_NAME
    else if (word.isGrammar && word.concepts.length > 0) factor *= MISSING_MEANING
    heaviest = Math.max(heaviest, word.weight)
    if (word.weight > 0) missing.add(word.place)
  }
  // What is the colour of a thing is not answered without its colour.
  if (asked.attributes.length > 0 && asked.attributes.every((place) => missing.has(place))) factor *= MISSING_ATTRIBUTE
  // A "yearly pass" is not the row "monthly pass".
  if (isPart && Array.from(rows.keys()).some(({ place }) => missing.has(place - 1))) factor *= PART_OF_NAME
  const naming = Math.max(0, ...Array.from(rows.keys(), ({ weight }) => weight)) + (isPart ? 0 : WHOLE_NAME)
  const all = found + (isNamed && naming >= heaviest ? PARAPHRASE : 1) * missed
  return all === 0 ? 0 : (factor * found) / all
}
