import { type AskedWord, foldedWords, isFormOf } from "./Asked.ts"
import { totals } from "./Concepts.ts"
import type { Matches } from "./Matches.ts"
import { dateOf, kindOf } from "./Values.ts"
import { counting, type TableAnswer, worded } from "./Wording.ts"

/* Chooses the rows and columns of a table that a question asks for. */

/** The most rows of an answer, each with its values. */
const ROWS_MAX = 10
/** The most rows of an answer that only names them. */
const NAMES_MAX = 25
/** The most rows of an answer that asks for one, where that many hold its words equally well. */
const TIES_MAX = 3
/** The most rows that are compared. */
const COMPARED_MAX = 4

/** The least weight of a word in cells, in bits: in a table, common words tell rows apart, too. */
const CELL_WEIGHT_MIN = 2
/** The least weight of a word that means a column. */
const CONCEPT_WEIGHT_MIN = 4
/** The weight of the share of a cell's own words that the question holds. */
const SHARE_WEIGHT = 2
/** The weight of an extreme or a bound in a question. */
const CONDITION_WEIGHT = 5

/** The most columns that tell why a row was chosen. */
const REASONS_MAX = 2
/** Longest name of a row, in UTF-16 code units. */
const NAME_MAX_LENGTH = 60
/** The least share of a cell's words that a question holds when it names the row by this cell. */
const NAMING_SHARE_MIN = 0.5
/** Evidence from which on nothing of the question is missing. */
const COMPLETE = 0.7
const ALL_COVERED = 0.95

/** The factors of evidence that speaks against an answer. */
const MISSING_NAME = 0.4
const MISSING_COLUMN = 0.6
const MISSING_ROWS = 0.5

/** The answer of one table that covers most of the question; undefined where it has none. */
export const lookUp = (matches: Matches): TableAnswer | undefined => {
  const rows = new Rows(matches)
  const { bound, extreme, isCount } = matches.asked
  if (extreme !== undefined) return mostExtreme(matches, rows)
  if (bound !== undefined) return within(matches, rows)
  const found = fromRows(matches, rows)
  if (!isCount || (found !== undefined && rows.best.length === 1)) return found ?? listed(matches, rows)
  return counted(matches, rows) ?? found
}

/** The rows of a table by the words of the question in their cells. */
class Rows {
  /** The rows that hold these words best, in order; all rows where no word tells them apart. */
  readonly best: ReadonlyArray<number>
  /** The words that tell the best rows from the others. */
  readonly words: ReadonlySet<AskedWord>
  /** The columns that hold these words. */
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
    const [first = 0] = this.best
    this.columns = most === 0 ? [] : this.columnsIn(first)
    this.words = new Set(this.columns.flatMap((column) => [...(cells[first]?.get(column)?.words.keys() ?? [])]))
  }

  /** Whether words of the question tell some rows from the others. */
  get areChosen(): boolean {
    return this.columns.length > 0
  }

  /** The rows that the question names one by one, such as `Basic` and `Team`. */
  get compared(): ReadonlyArray<number> {
    const named = this.plain.filter((row) => this.matches.cells[row]?.get(this.matches.label)?.share === 1)
    return named.length > 1 && named.length <= COMPARED_MAX ? named : []
  }

  private scoreOf(row: number): number {
    let share = 0
    const scores = new Map<AskedWord, number>()
    for (const cell of this.matches.cells[row]?.values() ?? []) {
      for (const [word, sure] of cell.words) {
        if (word.isGrammar) continue
        const score = sure * Math.max(word.weight, CELL_WEIGHT_MIN) * this.rarityOf(word)
        if (score === 0) continue
        share = Math.max(share, cell.share)
        scores.set(word, Math.max(score, scores.get(word) ?? 0))
      }
    }
    return scores.size === 0 ? 0 : [...scores.values()].reduce((sum, each) => sum + each) + SHARE_WEIGHT * share
  }

  /** How well a word tells rows apart, 0–1. */
  private rarityOf(word: AskedWord): number {
    const all = this.matches.cells.length
    return all === 1 ? 1 : Math.log(all / (this.frequencies.get(word) ?? all)) / Math.log(all)
  }

  /** The columns of a row that hold its words: each word counts in the cell that it fills most. */
  private columnsIn(row: number): ReadonlyArray<number> {
    const cells = Array.from(this.matches.cells[row] ?? []).toSorted(([, a], [, b]) => b.share - a.share)
    const counted = new Set<AskedWord>()
    return cells.flatMap(([column, { words }]) => {
      const added = [...words.keys()].filter((word) => !word.isGrammar && !counted.has(word) && this.rarityOf(word) > 0)
      for (const word of added) counted.add(word)
      return added.length > 0 ? [column] : []
    })
  }
}

const isTotal = (label: string): boolean => {
  const [first = ""] = foldedWords(label)
  return totals.some((total) => isFormOf(first, total))
}

/** The columns that words of the question ask for, and these words. */
interface Columns {
  readonly columns: ReadonlyArray<number>
  readonly words: ReadonlySet<AskedWord>
}

const NO_COLUMNS: Columns = { columns: [], words: new Set() }

/** The columns, among those that `isCandidate` allows, that the question asks for by words that are not `used`. */
const askedColumns = (
  matches: Matches,
  isCandidate: (column: number) => boolean,
  used: ReadonlySet<AskedWord> = new Set(),
): Columns => {
  const candidates = Array.from(matches.columns.keys()).filter(isCandidate)
  const isNamed = candidates.some((column) =>
    Array.from(matches.columns[column] ?? []).some(
      ([word, share]) => share === 1 && !used.has(word) && word.weight > 0,
    ),
  )
  const scored = candidates.map((column) => {
    const words = Array.from(matches.columns[column] ?? []).filter(
      ([word]) => !used.has(word) && (word.text !== "" || !isNamed),
    )
    const score = words.reduce(
      (sum, [{ weight }, share]) => sum + share * Math.max(weight, share < 1 ? CONCEPT_WEIGHT_MIN : CELL_WEIGHT_MIN),
      0,
    )
    const own = foldedWords(matches.name(column)).length
    return { column, words: words.map(([word]) => word), score, share: own === 0 ? 0 : words.length / own }
  })
  const most = Math.max(0, ...scored.map(({ score }) => score))
  if (most === 0) return NO_COLUMNS
  const best = scored.filter(({ score }) => score > most - 0.01)
  // Of `Price` and `Price with support`, the first is what "price" asks for.
  const share = Math.max(...best.map((each) => each.share))
  const chosen = best.filter((each) => share < 1 || each.share === share)
  const words = new Set(chosen.flatMap((each) => each.words))
  // Other columns are asked for by other words, as in "price and storage".
  const others = scored.filter((each) => each.score >= most / 2 && each.words.every((word) => !words.has(word)))
  const columns = [...chosen, ...others].map(({ column }) => column).toSorted((a, b) => a - b)
  return { columns, words: new Set([...words, ...others.flatMap((each) => each.words)]) }
}

/** The share of the question's information in these words and in what stands above the table, 0–1. */
const evidenceOf = (matches: Matches, words: Iterable<AskedWord>): number => {
  const { asked } = matches
  const covered = new Set([...words, ...matches.above])
  const condition = asked.extreme === undefined && asked.bound === undefined ? 0 : CONDITION_WEIGHT
  let all = condition
  let found = condition
  let factor = 1
  for (const word of asked.words) {
    // A question of how much says nothing by itself where another word names the column.
    if (word.text === "" && !covered.has(word)) continue
    all += word.weight
    if (covered.has(word)) found += word.weight
    else if (word.isExact) factor = MISSING_NAME
  }
  return all === 0 ? 0 : (factor * found) / all
}

/** The words of the question that name or mean these columns. */
const namesOf = (matches: Matches, columns: ReadonlyArray<number>): ReadonlyArray<AskedWord> =>
  columns.flatMap((column) => [...(matches.columns[column]?.keys() ?? [])])

/** The words of the question in cells of a column. */
const cellWords = (matches: Matches, rows: ReadonlyArray<number>, column: number): ReadonlyArray<AskedWord> =>
  rows.flatMap((row) => [...(matches.cells[row]?.get(column)?.words.keys() ?? [])])

/** Answers with the row, or the few rows, that hold the words of the question. */
const fromRows = (matches: Matches, rows: Rows): TableAnswer | undefined => {
  const { asked, label, width } = matches
  const isSingle = matches.cells.length === 1
  if (!rows.areChosen && !isSingle) return undefined
  const compared = asked.isComparison ? rows.compared : []
  const chosen = compared.length > 0 ? compared : rows.best
  const isMany = compared.length === 0 && chosen.length > TIES_MAX
  if (isMany && !asked.isList) return undefined
  const words = new Set([
    ...rows.words,
    ...compared.flatMap((row) => [...(matches.cells[row]?.get(label)?.words.keys() ?? [])]),
  ])
  const first = chosen[0] ?? 0
  const shareOf = (column: number) => matches.cells[first]?.get(column)?.share ?? 0
  // "Which setting limits the size" asks for the name of a row, and "the setting SIZE" gives it.
  const isNamedLabel =
    shareOf(label) < NAMING_SHARE_MIN &&
    [...(matches.columns[label]?.keys() ?? [])].some((word) => word.weight > 0 && !words.has(word))
  const free = (column: number) => !rows.columns.includes(column) || (column === label && isNamedLabel)
  const wanted = askedColumns(matches, free, words)
  const evidence = evidenceOf(matches, [
    ...words,
    ...wanted.words,
    ...namesOf(matches, [label, ...rows.columns, ...wanted.columns]),
  ])
  const isShort = (column: number) => matches.cell(first, column).length <= NAME_MAX_LENGTH
  // The columns that tell why it is this row.
  const reasons = rows.columns.filter(isShort).slice(0, REASONS_MAX)
  if (wanted.columns.includes(label)) {
    // The row is known by its values, and its name is asked for.
    const columns = wanted.columns.length > 1 || isMany ? wanted.columns : reasons
    return worded(matches, { rows: chosen.slice(0, NAMES_MAX), label, columns, evidence })
  }
  const named = rows.columns.find((column) => isShort(column) && shareOf(column) >= NAMING_SHARE_MIN)
  if (wanted.columns.length > 0) {
    const columns = [...wanted.columns, ...reasons.filter((column) => column !== named)]
    return worded(matches, { rows: chosen.slice(0, ROWS_MAX), label: named ?? label, columns, evidence })
  }
  // No column is asked for: an answer is the whole row, or what it holds of the words of the question.
  if (!rows.areChosen || matches.grid.isAcross) return undefined
  // Words that are nowhere in the table probably ask for a column that it does not have.
  const factor = evidence > COMPLETE ? 1 : MISSING_COLUMN
  const isList = matches.grid.header.length === 0 && width === 2
  const columns = isMany
    ? []
    : named === undefined || (isList && named !== label)
      ? rows.columns
      : Array.from({ length: width }, (_, column) => column)
  return worded(matches, {
    rows: chosen.slice(0, NAMES_MAX),
    label: isMany || isList ? label : (named ?? label),
    columns,
    evidence: factor * evidence,
  })
}

/** Answers with the names of all rows, or with those that a column of yes and no marks, or with a value of each. */
const listed = (matches: Matches, { plain }: Rows): TableAnswer | undefined => {
  const { asked, grid, label } = matches
  const named = namesOf(matches, [label]).filter(({ weight }) => weight > 0)
  if (!asked.isList && named.length === 0) return undefined
  const wanted = askedColumns(matches, (column) => column !== label, new Set(named))
  const flag = wanted.columns.find((column) => matches.kind(column) === "flag")
  const rows = flag === undefined ? plain : plain.filter((row) => isYes(matches.cell(row, flag)))
  const isValues = flag === undefined && wanted.columns.length > 0
  const evidence = evidenceOf(matches, [...named, ...wanted.words]) * (grid.isWhole ? 1 : MISSING_ROWS)
  if (rows.length === 0 || rows.length > (isValues ? ROWS_MAX : NAMES_MAX)) return undefined
  if (isValues && !asked.isList && evidence < ALL_COVERED) return undefined
  return worded(matches, { rows, label, columns: isValues ? wanted.columns : [], evidence })
}

const isYes = (cell: string): boolean =>
  kindOf(cell) === "flag" &&
  !/^(?:no|nein|non|não|nao|false|wahr^|falsch|not .*|nicht .*|none|✗|✘|×|–|—|-)$/iu.test(cell.trim())

/** Answers with the number of rows. */
const counted = (matches: Matches, rows: Rows): TableAnswer | undefined => {
  const { grid, label } = matches
  const named = namesOf(matches, [label]).filter(({ weight }) => weight > 0)
  const isAbove = matches.name(label) !== "" && Array.from(matches.above).some(({ weight }) => weight > 0)
  if (!grid.isWhole || (named.length === 0 && !isAbove)) return undefined
  const isValue = askedColumns(matches, (column) => column !== label, new Set([...rows.words, ...named]))
  if (isValue.columns.length > 0) return undefined
  const chosen = rows.best.filter((row) => rows.plain.includes(row))
  return counting(matches, {
    rows: chosen,
    label,
    columns: [],
    evidence: evidenceOf(matches, [...named, ...rows.words]),
  })
}

/** The columns by whose values rows are compared: those of the words of the question, or the only one with numbers. */
const comparable = (matches: Matches, rows: Rows): Columns => {
  const { extreme } = matches.asked
  const isValue = (column: number) =>
    column !== matches.label && !["text", "flag", "email", "empty"].includes(matches.kind(column))
  const asked = askedColumns(matches, isValue, rows.words)
  if (asked.columns.length > 0) return asked
  const meant = matches.meaning(extreme?.concept).filter(isValue)
  if (meant.length > 0) return { columns: meant, words: new Set() }
  const values = Array.from(matches.columns.keys()).filter(isValue)
  return values.length === 1 && extreme?.concept === undefined ? { columns: values, words: new Set() } : NO_COLUMNS
}

const valueOf = (matches: Matches, row: number, column: number): number | undefined =>
  matches.kind(column) === "date" ? dateOf(matches.cell(row, column)) : matches.number(row, column)

/** Answers with the row that has the largest or smallest value. */
const mostExtreme = (matches: Matches, rows: Rows): TableAnswer | undefined => {
  const { asked, grid, label } = matches
  const wanted = comparable(matches, rows)
  const [column] = wanted.columns
  if (column === undefined || !grid.isWhole) return undefined
  const direction = asked.extreme?.direction ?? 1
  const valued = rows.best
    .filter((row) => rows.plain.includes(row))
    .flatMap((row) => {
      const value = valueOf(matches, row, column)
      return value === undefined ? [] : [{ row, value: direction * value }]
    })
  const most = Math.max(...valued.map(({ value }) => value))
  const chosen = valued.filter(({ value }) => value === most).map(({ row }) => row)
  if (chosen.length === 0 || chosen.length > TIES_MAX) return undefined
  const others = askedColumns(
    matches,
    (each) => each !== label && each !== column,
    new Set([...rows.words, ...wanted.words]),
  )
  const words = [...rows.words, ...wanted.words, ...others.words, ...namesOf(matches, [label])]
  return worded(matches, {
    rows: chosen,
    label,
    columns: [...others.columns, column],
    evidence: evidenceOf(matches, words),
  })
}

/** Answers with the rows whose value is within the bound that the question sets. */
const within = (matches: Matches, rows: Rows): TableAnswer | undefined => {
  const { asked, grid, label } = matches
  const wanted = comparable(matches, rows)
  const [column] = wanted.columns
  if (column === undefined || asked.bound === undefined) return undefined
  const { direction, value } = asked.bound
  const chosen = rows.plain.filter((row) => {
    const number = matches.number(row, column)
    return number !== undefined && direction * number > direction * value
  })
  if (chosen.length === 0 || chosen.length > ROWS_MAX) return undefined
  const words = [...wanted.words, ...namesOf(matches, [label]), ...cellWords(matches, chosen, column)]
  const evidence = evidenceOf(matches, words) * (grid.isWhole ? 1 : MISSING_ROWS)
  return worded(matches, { rows: chosen, label, columns: [column], evidence })
}
