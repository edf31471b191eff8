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
  return (isCount ? counted(matches, rows) : undefined) ?? fromRows(matches, rows) ?? listed(matches, rows)
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
      const words = new Set(Array.from(row.values()).flatMap((cell) => [...cell.words]))
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
    this.words = new Set(this.columns.flatMap((column) => [...(cells[first]?.get(column)?.words ?? [])]))
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
    let score = 0
    let share = 0
    const counted = new Set<AskedWord>()
    for (const cell of this.matches.cells[row]?.values() ?? []) {
      for (const word of cell.words) {
        const rarity = this.rarityOf(word)
        if (rarity === 0) continue
        share = Math.max(share, cell.share)
        if (!counted.has(word)) score += Math.max(word.weight, CELL_WEIGHT_MIN) * rarity
        counted.add(word)
      }
    }
    return score === 0 ? 0 : score + SHARE_WEIGHT * share
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
      const added = [...words].filter((word) => !counted.has(word) && this.rarityOf(word) > 0)
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

/** The words of the question in the name of a column, as it is written. */
const namesOf = (matches: Matches, columns: ReadonlyArray<number>): ReadonlyArray<AskedWord> =>
  columns.flatMap((column) =>
    Array.from(matches.columns[column] ?? []).flatMap(([word, share]) => (share === 1 ? [word] : [])),
  )

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
    ...compared.flatMap((row) => [...(matches.cells[row]?.get(label)?.words ?? [])]),
  ])
  const free = (column: number) => !rows.columns.includes(column)
  const wanted = askedColumns(matches, free, words)
  const named = namesOf(matches, [label, ...rows.columns, ...wanted.columns])
  const evidence = evidenceOf(matches, [...words, ...wanted.words, ...named])
  if (wanted.columns.includes(label)) {
    // The row is known by its values, and its name is asked for.
    const others = wanted.columns.filter((column) => column !== label)
    const columns = isMany ? others : [...others, ...rows.columns]
    return worded(matches, { rows: chosen.slice(0, NAMES_MAX), label, columns, evidence })
  }
  const labelOf = rows.columns.find((column) => isName(matches, column)) ?? label
  if (wanted.columns.length > 0) {
    const columns = [...wanted.columns, ...rows.columns.filter((column) => column !== labelOf)]
    return worded(matches, { rows: chosen.slice(0, ROWS_MAX), label: labelOf, columns, evidence })
  }
  if (isSingle && !rows.areChosen) return undefined
  const others = Array.from({ length: width }, (_, column) => column).filter((column) => column !== labelOf)
  // Words that are nowhere in the table probably ask for a column that it does not have.
  const factor = evidence > 0.7 ? 1 : MISSING_COLUMN
  if (isMany)
    return worded(matches, { rows: chosen.slice(0, NAMES_MAX), label, columns: [], evidence: factor * evidence })
  return worded(matches, { rows: chosen, label: labelOf, columns: others, evidence: factor * evidence })
}

/** Longest name of a row, in UTF-16 code units. */
const NAME_MAX_LENGTH = 80
const isName = (matches: Matches, column: number): boolean => {
  const cell = matches.cell(0, column)
  return cell.length <= NAME_MAX_LENGTH && (column === 0 || matches.kind(column) === "text")
}

/** Answers with the names of all rows, or with those that a column of yes and no marks, or with a value of each. */
const listed = (matches: Matches, { plain }: Rows): TableAnswer | undefined => {
  const { asked, grid, label } = matches
  const named = namesOf(matches, [label])
  if (!asked.isList && named.length === 0) return undefined
  const wanted = askedColumns(matches, (column) => column !== label, new Set(named))
  const flag = wanted.columns.find((column) => matches.kind(column) === "flag")
  const rows = flag === undefined ? plain : plain.filter((row) => isYes(matches.cell(row, flag)))
  const isValues = flag === undefined && wanted.columns.length > 0
  const evidence = evidenceOf(matches, [...named, ...wanted.words]) * (grid.isWhole ? 1 : MISSING_ROWS)
  if (rows.length === 0 || rows.length > (isValues ? ROWS_MAX : NAMES_MAX)) return undefined
  if (isValues && !asked.isList) return undefined
  return worded(matches, { rows, label, columns: isValues ? wanted.columns : [], evidence })
}

const isYes = (cell: string): boolean =>
  kindOf(cell) === "flag" &&
  !/^(?:no|nein|non|não|nao|false|wahr^|falsch|not .*|nicht .*|none|✗|✘|×|–|—|-)$/iu.test(cell.trim())

/** Answers with the number of rows. */
const counted = (matches: Matches, rows: Rows): TableAnswer | undefined => {
  const { grid, label } = matches
  const named = namesOf(matches, [label])
  if (!grid.isWhole || (named.length === 0 && matches.above.size === 0)) return undefined
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
  const words = [...wanted.words, ...namesOf(matches, [label])]
  const evidence = evidenceOf(matches, words) * (grid.isWhole ? 1 : MISSING_ROWS)
  return worded(matches, { rows: chosen, label, columns: [column], evidence })
}
